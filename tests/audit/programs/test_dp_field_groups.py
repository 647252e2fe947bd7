"""DPFieldGroups on two groups of one binary attribute each: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.dp_field_groups import DPFieldGroups
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

FOUR = Domain.from_cells("2x2")
PEOPLE = Domain("people", FOUR.attributes, individual="person")
PROGRAM = DPFieldGroups(Fraction(2), (("a1",), ("a2",)), slack=0)
# Under add-remove the scale is 1 and a count of 1 passes the limit 1.9·log10(2) = 0.57.


def test_the_output_with_n_private() -> None:
    exact, _ = require_proved_and_exact(
        Instance(PROGRAM, "epsilon=2", AddRemove(), FOUR, 1, released="output")
    )
    assert exact.bound is not None
    assert 0 < float(exact.bound.epsilon.lower) < 2


def test_the_transcript_attains_epsilon_with_n_public() -> None:
    # Exchanging one record moves two counts of both groups: scale 2·2/epsilon, loss epsilon.
    exact, _ = require_proved_and_exact(Instance(PROGRAM, "epsilon=2", ReplaceOne(), FOUR, 1))
    assert exact.bound is not None
    assert float(exact.bound.epsilon.upper) == pytest.approx(2)


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(PROGRAM, "epsilon=2", neighbours, PEOPLE, 2, rows=1))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(
        Instance(PROGRAM, "epsilon=2", ReplaceOne(), FOUR, 2, released="output"), 300
    )
