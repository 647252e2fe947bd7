"""AIM on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.calibration import zcdp_rho
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.aim import Aim
from tests.audit.programs.instances import (
    PEOPLE,
    TWO,
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

DELTA = Fraction(1, 1000)
RHO = f"rho={zcdp_rho(Fraction(2), DELTA)}"
# Two one-way marginals, then one round that takes what is left.
ONCE = Aim(Fraction(2), DELTA, rounds=3, steps=2, last_steps=2, slack=0)


@pytest.mark.parametrize("released", ["transcript", "output"])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=["add-remove", "replace"])
def test_one_round(neighbours: Neighbours, released: str) -> None:
    require_proved_and_exact(Instance(ONCE, RHO, neighbours, TWO, 1, released=released))


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(ONCE, RHO, neighbours, PEOPLE, 1, rows=2))


def test_rounds_that_the_noise_decides() -> None:
    # One attribute alone: whether the second round is the last depends on the answers so far.
    several = Aim(Fraction(2), DELTA, rounds=6, steps=2, last_steps=2, slack=0)
    require_proved_and_exact(Instance(several, RHO, AddRemove(), Domain.from_cells("2"), 1))


def test_an_attack_does_not_refute_it() -> None:
    weak = Aim(Fraction(1), DELTA, steps=2, last_steps=2, slack=1)
    claim = "epsilon=1, delta=1/1000"
    require_not_refuted(Instance(weak, claim, AddRemove(), TWO, 2, released="output"), runs=200)
