"""NIST-MST on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.calibration import zcdp_rho
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.nist_mst import NistMst
from tests.audit.programs.instances import (
    PEOPLE,
    TWO,
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

DELTA = Fraction(1, 1000)
RHO = f"rho={zcdp_rho(Fraction(2), DELTA)}"
WHOLE = NistMst(Fraction(2), DELTA, exempt=("a1", "a2"), doubled=("a1",), steps=2, slack=0)
MERGED = NistMst(Fraction(2), DELTA, steps=2, slack=0)


@pytest.mark.parametrize("released", ["transcript", "output"])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=["add-remove", "replace"])
def test_no_value_is_merged(neighbours: Neighbours, released: str) -> None:
    require_proved_and_exact(Instance(WHOLE, RHO, neighbours, TWO, 1, released=released))


def test_rare_values_are_merged() -> None:
    require_proved_and_exact(Instance(MERGED, RHO, AddRemove(), TWO, 1, released="output"))


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(MERGED, RHO, neighbours, PEOPLE, 1, rows=2))


def test_an_attack_does_not_refute_it() -> None:
    weak = NistMst(Fraction(1), DELTA, steps=2, slack=1)
    claim = "epsilon=1, delta=1/1000"
    require_not_refuted(Instance(weak, claim, AddRemove(), TWO, 2, released="output"), runs=300)
