"""PrivSyn on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.privsyn import PrivSyn
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

FOUR = Domain.from_cells("2x2")
PROGRAM = PrivSyn(Fraction(8), Fraction(1, 100), rounds=2, slack=0)
CLAIM = "epsilon=8, delta=0.01"


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_one_pair(neighbours: AddRemove | ReplaceOne) -> None:
    require_proved_and_exact(Instance(PROGRAM, CLAIM, neighbours, FOUR, 1))


@pytest.mark.slow
def test_two_records() -> None:
    require_proved_and_exact(Instance(PROGRAM, CLAIM, ReplaceOne(), FOUR, 2))


def test_persons() -> None:
    people = Domain("people", FOUR.attributes, individual="person")
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(PROGRAM, CLAIM, neighbours, people, 2, rows=1))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(Instance(PROGRAM, CLAIM, ReplaceOne(), FOUR, 2, released="output"), 100)
