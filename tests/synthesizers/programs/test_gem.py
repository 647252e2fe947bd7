"""GEM: what it asks, what it pays, what it refuses, and how well it fits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import FREE
from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Draw, Event, Measure, Select
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.gem import GEM
from synthesizers.queries import Marginal, ModelError, Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

ONE, DELTA = Fraction(1), Fraction(1, 10**6)
DOMAIN = Domain.from_cells("2x3x2")
PROGRAM = GEM(ONE, DELTA, rounds=2, steps=5, initial=Fraction(0))
RHO = zcdp_rho(ONE, DELTA)
RELATIONS = [ReplaceOne(), AddRemove(), ReplaceOne(Unit("person", 2)), AddRemove(Unit("person", 2))]


def asked(program: GEM, neighbours: Neighbours, choice: int = 0) -> tuple[Event, ...]:
    domain = DOMAIN if neighbours.unit.is_record else replace(DOMAIN, individual="person")
    setting = Setting.of(domain, neighbours, 50)

    def reply(event: Event) -> tuple[int, ...]:
        if isinstance(event, Measure):
            return (9,) * event.query.size(domain)
        return (choice,)

    curator = Curator(setting, program.budget(setting), reply)
    program(curator)
    return curator.ledger


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_rounds_choose_a_marginal_and_ask_it(neighbours: Neighbours) -> None:
    events = list(asked(PROGRAM, neighbours, 1))
    if not neighbours.records_public:
        total = events.pop(0)
        assert isinstance(total, Measure) and total.query == Total()
        assert total.cost(DOMAIN, neighbours).rho == RHO / 20
    first, answer, second, other = events
    assert isinstance(first, Select) and isinstance(first.scores, ModelError)
    assert first.scores.candidates == tuple(
        Marginal(names) for names in (("a1", "a2"), ("a1", "a3"), ("a2", "a3"))
    )
    assert isinstance(answer, Measure) and answer.query == Marginal(("a1", "a3"))
    assert isinstance(second, Select) and isinstance(second.scores, ModelError)
    assert second.scores.candidates == (Marginal(("a1", "a2")), Marginal(("a2", "a3")))
    assert isinstance(other, Measure) and other.query == Marginal(("a2", "a3"))


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_one_way_marginals_come_first_and_the_budget_is_spent_whole(neighbours: Neighbours) -> None:
    program = replace(PROGRAM, initial=Fraction(1, 5))
    events = asked(program, neighbours)
    costs = [event.cost(DOMAIN, neighbours).rho or Fraction(0) for event in events]
    assert sum(costs) == RHO
    left = RHO if neighbours.records_public else RHO * Fraction(19, 20)
    ones = [event for event in events if isinstance(event, Measure)][-5:-2]
    assert [one.query for one in ones] == [Marginal((name,)) for name in DOMAIN.names]
    assert all(one.cost(DOMAIN, neighbours).rho == left / 15 for one in ones)
    choices = [cost for cost, event in zip(costs, events, strict=True) if isinstance(event, Select)]
    # A tenth of each of two rounds.
    assert len(choices) == 2
    assert all(0 <= left * Fraction(4, 5) / 20 - cost < Fraction(1, 10**6) for cost in choices)


def test_one_way_marginals_of_a_workload_of_them_are_not_asked_twice() -> None:
    program = replace(PROGRAM, initial=Fraction(1, 5), degree=1, rounds=1)
    assert [type(event) for event in asked(program, ReplaceOne())] == [Select, Measure]


@pytest.mark.parametrize(("rounds", "made"), [(2, 2), (9, 3)])
def test_rounds_are_equal_and_no_more_than_marginals(rounds: int, made: int) -> None:
    events = asked(replace(PROGRAM, rounds=rounds), ReplaceOne())
    costs = [event.cost(DOMAIN, ReplaceOne()).rho or Fraction(0) for event in events]
    shares = [
        float((choice + answer) / RHO)
        for choice, answer in zip(costs[::2], costs[1::2], strict=True)
    ]
    assert shares == pytest.approx([1 / made] * made, abs=1e-9)


def test_the_models_counts_are_in_the_question() -> None:
    first = asked(PROGRAM, ReplaceOne())[0]
    assert isinstance(first, Select) and isinstance(first.scores, ModelError)
    # Before any answer the table is uniform: 50 over 6, 4 and 6 cells.
    assert first.scores.models == ((8,) * 6, (12,) * 4, (8,) * 6)


def test_the_last_marginal_takes_what_is_left() -> None:
    events = asked(replace(PROGRAM, rounds=9), ReplaceOne())
    assert len(events) == 6
    assert sum((event.cost(DOMAIN, ReplaceOne()) for event in events), FREE).rho == RHO
    assert len(asked(replace(PROGRAM, degree=5, rounds=3), ReplaceOne())) == 2


def test_wrong_parameters_are_refused() -> None:
    for changed in ({"rounds": 0}, {"steps": 0}, {"degree": 0}, {"hidden": 0}, {"delta": 0},
                    {"initial": ONE}, {"learning_rate": Fraction(0)}):  # fmt: skip
        with pytest.raises(InputError):
            replace(PROGRAM, **changed)


def test_too_many_cells_are_refused_before_any_question() -> None:
    wide = Attribute("a", tuple(map(str, range(1000))))
    attributes = tuple(replace(wide, name=name) for name in "abcd")
    setting = Setting.of(Domain("wide", attributes), ReplaceOne(), 50)
    curator = Curator(setting, PROGRAM.budget(setting), lambda event: pytest.fail("asked"))
    with pytest.raises(InputError, match="lower degree"):
        PROGRAM(curator)


def correlated(size: int, attributes: int, records: int) -> Dataset:
    rng = np.random.default_rng(8)
    columns = [rng.integers(0, size, records)]
    for _ in range(attributes - 1):
        kept = rng.random(records) < 0.8
        columns.append(np.where(kept, columns[-1], rng.integers(0, size, records)))
    domain = Domain.from_cells("x".join([str(size)] * attributes))
    return Dataset(domain, np.stack(columns, axis=1))


@pytest.mark.parametrize(("size", "attributes"), [(4, 4), (6, 6)])
def test_marginals_come_near_the_datas(size: int, attributes: int) -> None:
    """The table held whole, and the network."""
    data = correlated(size, attributes, 4000)
    setting = Setting.of(data.domain, ReplaceOne(), 4000)
    program = GEM(Fraction(5), DELTA, rounds=8, steps=60, rows=128, hidden=64, width=8)
    found = run(program, data, setting, program.budget(setting), InsecureSeededEntropy(2))
    made = found.output
    if not isinstance(made, Dataset):
        made = Dataset.from_histogram(data.domain, np.array(made))
    assert made.records == 4000
    seeds = [e for e in found.ledger if isinstance(e, Draw)]
    assert len(seeds) == (data.domain.size > 4096)

    def pair(table: Dataset) -> Any:
        return np.bincount(table.codes[:, 0] * size + table.codes[:, 1], minlength=size**2) / 4000

    independent = np.outer(
        pair(data).reshape(size, size).sum(1), pair(data).reshape(size, size).sum(0)
    )
    distance = np.abs(pair(made) - pair(data)).sum() / 2
    assert distance < 0.15 < np.abs(independent.ravel() - pair(data)).sum() / 2
