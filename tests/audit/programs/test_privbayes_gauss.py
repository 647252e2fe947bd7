"""PrivBayes with Gaussian noise on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.privbayes_gauss import PrivBayesGauss
from tests.audit.programs.instances import (
    TWO,
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

CLAIM = "epsilon=1, delta=1/10"
PEOPLE = replace(TWO, individual="person")
PROGRAM = PrivBayesGauss(Fraction(1), Fraction(1, 10), theta=Fraction(1, 10), slack=0)


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=lambda n: n.name)
@pytest.mark.parametrize("released", ["transcript", "output"])
def test_records(neighbours: Neighbours, released: str) -> None:
    instance = Instance(PROGRAM, CLAIM, neighbours, TWO, 1, released=released)
    exact, _ = require_proved_and_exact(instance)
    assert exact.bound is not None and exact.bound.epsilon.upper > 0.05


@pytest.mark.parametrize("neighbours", [AddRemove(Unit("person", 2)), ReplaceOne(Unit("person"))],
                         ids=lambda n: n.name)  # fmt: skip
def test_persons(neighbours: Neighbours) -> None:
    require_proved_and_exact(Instance(PROGRAM, CLAIM, neighbours, PEOPLE, 1, rows=1))


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=lambda n: n.name)
def test_three_attributes(neighbours: Neighbours) -> None:
    domain = Domain.from_cells("2x2x2")
    program = replace(PROGRAM, parents=1)
    require_proved_and_exact(Instance(program, CLAIM, neighbours, domain, 2, rows=0))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(Instance(PROGRAM, CLAIM, AddRemove(), TWO, 2, released="output"), runs=400)
