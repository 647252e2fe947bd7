"""The curator takes declared kinds of question alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from synthesizers.budget import FREE, Cost, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.declared import NOISES, PUBLIC_LAWS, QUERIES, SELECTIONS, TABLE_LAWS
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.laws.public_laws import UniformChoice
from synthesizers.laws.table_laws import Subsample
from synthesizers.neighbours import AddRemove
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Marginal, ModelError, Sensitivity, whole_table
from synthesizers.selection import Exponential

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
    "table law": lambda c: c.sanitize(Whole(Fraction(1, 2))),
    "public law": lambda c: c.draw(Coin(2)),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_part_of_the_programs_own_is_refused_before_it_is_answered(kind: str) -> None:
    def answer(event: Any) -> tuple[int, ...]:
        raise AssertionError("the question was answered")

    curator = Curator(SETTING, UnlimitedBudget(), answer)
    with pytest.raises(ProtocolError, match="does not know"):
        QUESTIONS[kind](curator)
    assert curator.ledger == () and curator.spent == FREE


def test_every_declared_class_says_what_it_is() -> None:
    for kind in QUERIES:
        assert isinstance(kind.kind, str)
    for kind in NOISES | SELECTIONS | TABLE_LAWS | PUBLIC_LAWS:
        assert isinstance(kind.name, str)
