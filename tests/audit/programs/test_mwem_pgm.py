"""MWEM+PGM on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.calibration import zcdp_rho
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.mwem_pgm import MwemPgm
from tests.audit.programs.instances import (
    PEOPLE,
    TWO,
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

DELTA = Fraction(1, 1000)
RHO = f"rho={zcdp_rho(Fraction(2), DELTA)}"
ONE_WAY = MwemPgm(Fraction(2), DELTA, degree=1, rounds=2, steps=2, slack=0)
PAIR = MwemPgm(Fraction(2), DELTA, rounds=1, steps=2, slack=0)


@pytest.mark.parametrize("released", ["transcript", "output"])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=["add-remove", "replace"])
def test_two_rounds(neighbours: Neighbours, released: str) -> None:
    require_proved_and_exact(Instance(ONE_WAY, RHO, neighbours, TWO, 1, released=released))


def test_a_pair() -> None:
    require_proved_and_exact(Instance(PAIR, RHO, ReplaceOne(), TWO, 2, released="output"))


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(PAIR, RHO, neighbours, PEOPLE, 1, rows=2))


def test_an_attack_does_not_refute_it() -> None:
    weak = MwemPgm(Fraction(1), DELTA, steps=2, slack=1)
    claim = "epsilon=1, delta=1/1000"
    require_not_refuted(Instance(weak, claim, AddRemove(), TWO, 2, released="output"), runs=300)
