"""One pass over a streamed channel, against every measure of the channel held whole."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.channels.enumerate import channel_of, instance
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.one_pass import one_pass
from audit.channels.measures.probabilistic import probabilistic_delta
from audit.channels.measures.renyi import renyi
from audit.channels.streamed import streamed_channel
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs import build

EPSILONS = [Fraction(0), Fraction(1, 2), Fraction(3)]


def overlap(left: Any, right: Any) -> bool:
    return bool(left.lower <= right.upper and right.lower <= left.upper)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("name", "values", "neighbours", "cells", "size"),
    [
        ("multinomial-dirichlet", {"alpha": "1/2"}, ReplaceOne(), "3", 6),
        ("multinomial-dirichlet", {"alpha": "1,2"}, AddRemove(), "2", 7),
        ("subsample", {"fraction": "1/2"}, ReplaceOne(), "3", 4),
    ],
)
def test_the_same_as_one_by_one(
    name: str,
    values: dict[str, str],
    neighbours: Neighbours,
    cells: str,
    size: int,
    jobs: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("audit.channels.streamed.BLOCK", 8)
    setting = Setting.of(Domain.from_cells(cells), neighbours, size)
    program = build(name, values)
    channel = streamed_channel(program, setting, instance(setting, size), "output")
    whole = channel_of(program, setting, size=size, exact=True).channel
    told: list[tuple[int, int]] = []
    found = one_pass(channel, EPSILONS, jobs, lambda done, of: told.append((done, of)))
    assert told[-1][0] == told[-1][1] == len(told)
    pure = epsilon(whole)
    assert overlap(found.epsilon.enclosure, pure.enclosure)
    witness = found.epsilon.witness
    assert witness is not None and len(witness.event) == 1
    rows = [tuple(row) for row in whole.databases.tolist()]
    column = whole.outputs.index(witness.event[0])
    for counts, ends in zip((witness.source, witness.target), witness.probabilities, strict=True):
        assert whole.exact is not None
        assert ends.lower <= whole.exact[rows.index(counts), column] <= ends.upper
    for value in EPSILONS:
        assert overlap(found.deltas[value].enclosure, delta(whole, value).enclosure)
        likely, exact = found.probabilistic[value], probabilistic_delta(whole, value)
        assert overlap(likely.worst, exact.worst)
        for law, ends in exact.average.items():
            assert overlap(likely.average[law], ends)
    for order, ends in found.renyi.items():
        assert overlap(ends, renyi(whole, order).enclosure)


def test_the_number_of_processes_changes_no_digit() -> None:
    setting = Setting.of(Domain.from_cells("3"), ReplaceOne(), 7)
    program = build("multinomial-dirichlet", {})
    channel = streamed_channel(program, setting, instance(setting, 7), "output")
    alone, together = (one_pass(channel, EPSILONS, jobs) for jobs in (1, 2))
    assert alone.epsilon.enclosure == together.epsilon.enclosure
    assert alone.renyi == together.renyi
    for value in EPSILONS:
        assert alone.deltas[value].enclosure == together.deltas[value].enclosure
        assert alone.probabilistic[value] == together.probabilistic[value]
