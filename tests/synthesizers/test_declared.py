"""The curator takes declared kinds of question alone."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import FREE, Cost, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.declared import NOISES, PUBLIC_LAWS, QUERIES, RUNS, SELECTIONS, TABLE_LAWS
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.events import Measure
from synthesizers.laws.cell_keys import CellKey, PerturbationTable
from synthesizers.laws.generalisation import KAnonymity
from synthesizers.laws.public_laws import Seed, UniformChoice
from synthesizers.laws.subsample import Subsample
from synthesizers.laws.suppression import CellSuppression
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import (
    CellErrors,
    Layer,
    LinearQueries,
    Marginal,
    ModelError,
    RecodedMarginal,
    Sensitivity,
    Total,
    whole_table,
)
from synthesizers.sampling import run
from synthesizers.selection import Exponential
from tests.synthesizers.declared_examples import DECLARED, HALVES, STEP, TABLE, A
from tests.synthesizers.hostile import hostile

DOMAIN = Domain.from_cells("2")
SETTING = Setting.of(DOMAIN, AddRemove(), 3)


class Keeps(Marginal):
    def answers(self, domain: Any, codes: Any, weights: Any) -> Any:
        raise AssertionError("a query of the program's own touched the data")


class SaysZero(Marginal):
    def sensitivity(self, domain: Any, neighbours: Any) -> Sensitivity:
        return Sensitivity(0, 0, 0, True)


class Gratis(DiscreteLaplace):
    def cost(self, sensitivity: Sensitivity) -> Cost:
        return FREE


class Sharp(Exponential):
    pass


class Whole(Subsample):
    pass


class Coin(UniformChoice):
    pass


class Known(Seed):
    def sample(self, entropy: Any) -> tuple[int]:
        return (7,)


class Regroups(RecodedMarginal):
    pass


class Slides(Layer):
    pass


class Pretends:
    """Looks like a layer."""

    weight = 1
    rows = (0, 1)


NOISE = DiscreteLaplace(Fraction(1))
QUESTIONS = {
    "query": lambda c: c.measure(Keeps(("cell",)), NOISE, low=0, high=3),
    "sensitivity": lambda c: c.measure(SaysZero(("cell",)), NOISE, low=0, high=3),
    "noise": lambda c: c.measure(whole_table(DOMAIN), Gratis(Fraction(1)), low=0, high=3),
    "scores": lambda c: c.select(Keeps(("cell",)), Exponential(Fraction(1))),
    "selection": lambda c: c.select(whole_table(DOMAIN), Sharp(Fraction(1))),
    "marginal within": lambda c: c.select(
        ModelError((Keeps(("cell",)),), ((0, 0),)), Exponential(Fraction(1))
    ),
    "recoded marginal within": lambda c: c.select(
        ModelError((Regroups(("cell",), ((0, 1),)),), ((0, 0),)), Exponential(Fraction(1))
    ),
    "marginal of errors": lambda c: c.select(
        CellErrors((Keeps(("cell",)),), ((0,),), ((0,),)), Exponential(Fraction(1))
    ),
    "layer within": lambda c: c.measure(
        LinearQueries(("cell",), (Slides(1, (0, 1)),)), NOISE, low=0, high=3
    ),
    "no layer": lambda c: c.measure(LinearQueries(("cell",), (Pretends(),)), NOISE, low=0, high=3),
    "table law": lambda c: c.sanitize(Whole(Fraction(1, 2))),
    "public law": lambda c: c.draw(Coin(2)),
    "seed": lambda c: c.draw(Known()),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_part_of_the_programs_own_is_refused_before_it_is_answered(kind: str) -> None:
    def answer(event: Any) -> tuple[int, ...]:
        raise AssertionError("the question was answered")

    curator = Curator(SETTING, UnlimitedBudget(), answer)
    with pytest.raises(ProtocolError, match="does not know"):
        QUESTIONS[kind](curator)
    assert curator.ledger == () and curator.spent == FREE


WITHIN: list[Any] = [TABLE, STEP, Measure(Total(), NOISE, 0, 3)]


def is_plain(value: Any) -> bool:
    """Whether a value is of Python's own classes in every part, declared objects aside."""
    if dataclasses.is_dataclass(value):
        return type(value) in ALL and all(is_plain(getattr(value, n)) for n in names(value))
    if type(value) is tuple:
        return all(map(is_plain, value))
    if type(value) is Fraction:
        return type(value.numerator) is type(value.denominator) is int
    return type(value) in (int, str, bool)


def names(value: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(value)]


KINDS = QUERIES | NOISES | RUNS | SELECTIONS | TABLE_LAWS | PUBLIC_LAWS
ALL = KINDS | {type(value) for value in WITHIN}


def test_the_examples_are_all_that_is_declared() -> None:
    assert {type(value) for value in DECLARED} == KINDS
    assert all(map(is_plain, DECLARED + WITHIN))


@pytest.mark.parametrize("good", DECLARED + WITHIN, ids=lambda value: type(value).__name__)
def test_fields_are_rebuilt_as_plain_values_or_refused(good: Any) -> None:
    """Whoever keeps a value of its own within a law is told what the law compares it with."""
    for name in names(good):
        for value in hostile(getattr(good, name)):
            try:
                made = dataclasses.replace(good, **{name: value})
            except InputError:
                continue
            assert is_plain(made) and made == good


def asked(curator: Curator, value: Any) -> None:
    """The value within a question to the curator."""
    kind = type(value)
    if kind in QUERIES:
        curator.measure(value, NOISE, low=0, high=3)
    elif kind in NOISES:
        curator.measure(Total(), value, low=0, high=3)
    elif kind in RUNS:
        curator.measure_best(Total(), NOISE, value, low=0, high=3)
    elif kind in SELECTIONS:
        curator.select(A, value)
    elif kind in TABLE_LAWS:
        curator.sanitize(value)
    else:
        curator.draw(value)


@pytest.mark.parametrize("good", DECLARED, ids=lambda value: type(value).__name__)
def test_fields_that_are_put_in_afterwards_are_refused(good: Any) -> None:
    setting = Setting.of(Domain.from_cells("2x2"), AddRemove(), 3)
    curator = Curator(setting, UnlimitedBudget(), lambda event: (0,))
    for name in names(good):
        for value in hostile(getattr(good, name)):
            changed = dataclasses.replace(good)
            object.__setattr__(changed, name, value)
            with pytest.raises(ProtocolError, match="within its question"):
                asked(curator, changed)
    assert curator.ledger == ()


def test_a_table_of_changes_is_looked_into() -> None:
    setting = Setting.of(Domain.from_cells("2"), AddRemove(), 3)
    curator = Curator(setting, UnlimitedBudget(), lambda event: (0,))
    for rows in hostile(TABLE.rows):
        table = PerturbationTable(TABLE.rows)
        object.__setattr__(table, "rows", rows)
        with pytest.raises(ProtocolError, match="within its question"):
            curator.sanitize(CellKey(table))


PARTS: list[tuple[Any, Any, str]] = [
    (LinearQueries(("a1", "a2"), (STEP,)), lambda query: query.layers[0], "layer"),
    (CellErrors((A,), ((0,),), ((0,),)), lambda query: query.marginals[0], "marginal"),
    (ModelError((HALVES,), ((0,),)), lambda query: query.candidates[0], "candidate"),
]


@pytest.mark.parametrize(("query", "part", "kind"), PARTS, ids=lambda value: str(value)[:9])
def test_parts_of_queries_are_looked_into(query: Any, part: Any, kind: str) -> None:
    setting = Setting.of(Domain.from_cells("2x2"), AddRemove(), 3)
    curator = Curator(setting, UnlimitedBudget(), lambda event: (0,))
    for name in names(part(query)):
        old = getattr(part(query), name)
        for value in hostile(old):
            object.__setattr__(part(query), name, value)
            with pytest.raises(ProtocolError, match="within its question"):
                asked(curator, query)
        object.__setattr__(part(query), name, old)
    asked(curator, query)


@pytest.mark.parametrize("part", [STEP, A, HALVES], ids=lambda part: type(part).__name__)
def test_a_part_where_none_belongs_is_refused(part: Any) -> None:
    # Nobody would look into it: it may hold anything.
    part = dataclasses.replace(part)
    object.__setattr__(part, names(part)[0], object())
    query = Marginal(("a1",))
    object.__setattr__(query, "attributes", (part,))
    setting = Setting.of(Domain.from_cells("2x2"), AddRemove(), 3)
    curator = Curator(setting, UnlimitedBudget(), lambda event: (0,))
    with pytest.raises(ProtocolError, match="within its question"):
        asked(curator, query)


class Spy(int):
    """It keeps what numpy's arrays are compared with."""

    __array_ufunc__ = None

    def __gt__(self, other: Any) -> Any:
        SEEN.append(other)
        return other < int(self)

    __lt__ = __le__ = __ge__ = __gt__


SEEN: list[Any] = []


SPIED = [
    lambda: CellSuppression((4,), Spy(3), False),
    lambda: KAnonymity((((0, 1, 2, 3), (0, 0, 0, 0)),), Spy(3)),
    lambda: KAnonymity((((0, 1, 2, 3), (0, 0, 0, 0)),), 3, Spy(1)),
]


@pytest.mark.parametrize("make", SPIED)
def test_no_parameter_is_told_a_true_count(make: Any) -> None:
    data = Dataset.from_histogram(Domain.from_cells("4"), np.array([7, 0, 2, 5]))
    setting = Setting.of(data.domain, ReplaceOne(), data.records)
    law = make()
    SEEN.clear()
    run(lambda curator: curator.sanitize(law), data, setting, UnlimitedBudget())
    assert not SEEN


def test_every_declared_class_says_what_it_is() -> None:
    for kind in QUERIES:
        assert isinstance(kind.kind, str)
    for kind in NOISES | SELECTIONS | TABLE_LAWS | PUBLIC_LAWS:
        assert isinstance(kind.name, str)
