"""MST on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.calibration import zcdp_rho
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.mst import Mst
from tests.audit.programs.instances import (
    PEOPLE,
    TWO,
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

DELTA = Fraction(1, 1000)
# One record stands out of the noise of one-way marginals, so that values are kept and pairs matter.
EPSILON = Fraction(60)
RHO = f"rho={zcdp_rho(EPSILON, DELTA)}"
TREE = Mst(EPSILON, DELTA, 2, slack=0)


@pytest.mark.parametrize("released", ["transcript", "output"])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=["add-remove", "replace"])
def test_two_attributes(neighbours: Neighbours, released: str) -> None:
    require_proved_and_exact(Instance(TREE, RHO, neighbours, TWO, 1, released=released))


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(TREE, RHO, neighbours, PEOPLE, 1, rows=2))


def test_one_attribute() -> None:
    one = Domain.from_cells("3")
    # All of rho is spent on one noisy marginal, so that the exact rho is the proved one.
    claim = "epsilon=60, delta=1/1000"
    require_proved_and_exact(Instance(TREE, claim, AddRemove(), one, 2))


@pytest.mark.slow
def test_choices_among_three_attributes() -> None:
    chosen = Domain.from_cells("2x2x1")
    require_proved_and_exact(Instance(TREE, RHO, AddRemove(), chosen, 1))


def test_an_attack_does_not_refute_it() -> None:
    weak = Mst(Fraction(1), DELTA, 2, slack=1)
    claim = "epsilon=1, delta=1/1000"
    require_not_refuted(Instance(weak, claim, AddRemove(), TWO, 2, released="output"), runs=300)
