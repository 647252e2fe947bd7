"""Archetypes on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.archetypes import Archetypes, public_tables
from tests.audit.programs.instances import (
    Instance,
    renamed,
    require_not_refuted,
    require_proved_and_exact,
)

TAXIS = renamed("2x2", "archetype", "company")
LAPLACE = Archetypes(Fraction(1), noise="laplace", slack=0)
GAUSSIAN = Archetypes(Fraction(1), Fraction(1, 100), slack=0)
WITH_SHIFTS = Archetypes(
    Fraction(1), noise="laplace", tables=public_tables("shift=1,3|1,0", "tables"), slack=0
)


def test_the_output_with_n_public() -> None:
    require_proved_and_exact(
        Instance(LAPLACE, "epsilon=1", ReplaceOne(), TAXIS, 1, released="output")
    )


def test_gaussian_noise_with_n_private() -> None:
    require_proved_and_exact(Instance(GAUSSIAN, "epsilon=1, delta=0.01", AddRemove(), TAXIS, 1))


def test_an_attack_does_not_refute_it() -> None:
    taxis = renamed("2x2x2", "archetype", "company", "shift")
    require_not_refuted(
        Instance(WITH_SHIFTS, "epsilon=1", AddRemove(), taxis, 2, released="output"), 300
    )
