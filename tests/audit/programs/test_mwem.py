"""MWEM on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.mwem import Mwem
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

TWO = Domain.from_cells("2")
FOUR = Domain.from_cells("2x2")
PEOPLE = Domain("people", TWO.attributes, individual="person")
ONE_ROUND = Mwem(Fraction(1), rounds=1, width=1, slack=0)


def test_one_round_in_practice() -> None:
    require_proved_and_exact(
        Instance(ONE_ROUND, "epsilon=1", ReplaceOne(), FOUR, 2, released="output")
    )


def test_two_rounds_in_theory() -> None:
    program = Mwem(Fraction(1), rounds=2, variant="theory", slack=0)
    require_proved_and_exact(Instance(program, "epsilon=1", ReplaceOne(), TWO, 2))


def test_gaussian_noise_with_n_private() -> None:
    program = Mwem(Fraction(1), Fraction(1, 100), noise="gaussian", rounds=1, slack=0)
    require_proved_and_exact(Instance(program, "epsilon=1, delta=0.01", AddRemove(), TWO, 1))


@pytest.mark.slow
def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(ONE_ROUND, "epsilon=1", neighbours, PEOPLE, 2, rows=1))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(
        Instance(ONE_ROUND, "epsilon=1", ReplaceOne(), FOUR, 2, released="output"), 150
    )
