"""Independent marginals on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.independent_marginals import IndependentMarginals
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

FOUR = Domain.from_cells("2x2")
LAPLACE = IndependentMarginals(Fraction(1), noise="laplace", slack=0)
GAUSSIAN = IndependentMarginals(Fraction(1), Fraction(1, 100), slack=0)
PEOPLE = Domain("people", FOUR.attributes, individual="person")


def test_laplace_with_n_private() -> None:
    instance = Instance(LAPLACE, "epsilon=1", AddRemove(), FOUR, 2, released="output")
    require_proved_and_exact(instance)


def test_the_transcript_attains_epsilon() -> None:
    # A record more raises one count of each of the two marginals by 1: scale 2 for each.
    exact, _ = require_proved_and_exact(Instance(LAPLACE, "epsilon=1", AddRemove(), FOUR, 1))
    assert exact.bound is not None
    assert float(exact.bound.epsilon.upper) == pytest.approx(1)


def test_gaussian_with_n_public() -> None:
    instance = Instance(GAUSSIAN, "epsilon=1, delta=0.01", ReplaceOne(), FOUR, 2)
    require_proved_and_exact(instance)


def test_persons() -> None:
    neighbours = ReplaceOne(Unit("person", 2))
    require_proved_and_exact(Instance(LAPLACE, "epsilon=1", neighbours, PEOPLE, 2, rows=2))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(Instance(LAPLACE, "epsilon=1", ReplaceOne(), FOUR, 2, released="output"))
