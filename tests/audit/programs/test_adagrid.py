"""AdaGrid on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.adagrid import AdaGrid
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

CLAIM = "epsilon=1, delta=1/100"
PAIR = Domain.from_cells("2x2")
PERSONS = (AddRemove(Unit("person", 2)), ReplaceOne(Unit("person", 2)))
# A threshold of a quarter of a deviation: a count of 1 is plausible, of 0 not, so that every
# pattern of fine cells occurs. In units of 2 the weights are 2 and 1.
GRID = AdaGrid(Fraction(1), Fraction(1, 100), (), Fraction(1, 4), 2, 2, 0)


def _of_people(cells: str) -> Domain:
    return Domain("people", Domain.from_cells(cells).attributes, individual="person")


def test_the_transcript_with_n_private() -> None:
    exact, _ = require_proved_and_exact(Instance(GRID, CLAIM, AddRemove(), PAIR, 1))
    # All nine tenths of rho on the edge bring it far; clamping to 0 … n loses the rest.
    assert exact.bound is not None and 0.5 < float(exact.bound.epsilon.lower) < 1


def test_the_output_with_n_public() -> None:
    require_proved_and_exact(Instance(GRID, CLAIM, ReplaceOne(), PAIR, 1, released="output"))


@pytest.mark.parametrize("neighbours", PERSONS)
def test_persons_of_one_attribute(neighbours: Neighbours) -> None:
    instance = Instance(GRID, CLAIM, neighbours, _of_people("3"), 2, rows=2)
    require_proved_and_exact(instance)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", PERSONS)
def test_persons_of_two_attributes(neighbours: Neighbours) -> None:
    instance = Instance(GRID, CLAIM, neighbours, _of_people("2x2"), 2, rows=1)
    require_proved_and_exact(instance)


@pytest.mark.slow
def test_a_target() -> None:
    program = AdaGrid(Fraction(1), Fraction(1, 100), ("a2",), Fraction(1, 4), 4, 2, 0)
    require_proved_and_exact(Instance(program, CLAIM, AddRemove(), PAIR, 1, released="output"))


@pytest.mark.slow
def test_two_records() -> None:
    require_proved_and_exact(Instance(GRID, CLAIM, ReplaceOne(), PAIR, 2))


def test_an_attack_does_not_refute_it() -> None:
    instance = Instance(GRID, CLAIM, ReplaceOne(), PAIR, 2, released="output")
    require_not_refuted(instance, runs=300)
