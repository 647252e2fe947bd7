"""Inspired by pfr, on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.pfr_style import HistogramQuery, PfrStyle
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

FOUR = Domain.from_cells("2x2")
ALONE = ((HistogramQuery(("a1",)),), (HistogramQuery(("a2",)),))
THRESHOLD = ((HistogramQuery(("a1",), 1),), (HistogramQuery(("a2",)),))


def test_the_output_with_a_noisy_threshold() -> None:
    program = PfrStyle(Fraction(1), THRESHOLD, slack=0)
    require_proved_and_exact(
        Instance(program, "epsilon=1", AddRemove(), FOUR, 1, released="output")
    )


def test_denoised_with_n_public() -> None:
    program = PfrStyle(Fraction(1), ALONE, slack=1)
    require_proved_and_exact(
        Instance(program, "epsilon=1", ReplaceOne(), FOUR, 1, released="output")
    )


def test_an_attack_does_not_refute_it() -> None:
    program = PfrStyle(Fraction(1), ALONE, slack=1)
    require_not_refuted(
        Instance(program, "epsilon=1", ReplaceOne(), FOUR, 2, released="output"), 300
    )
