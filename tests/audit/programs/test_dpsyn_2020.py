"""DPSyn-2020 on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.dpsyn_2020 import DPSyn2020
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

FOUR, EIGHT = Domain.from_cells("2x2"), Domain.from_cells("2x2x2")
PEOPLE = Domain("people", FOUR.attributes, individual="person")
PURE = DPSyn2020(Fraction(1), Fraction(1, 10**6), rounds=2, slack=0)
# At so large a delta Gaussian noise is the smaller.
GAUSSIAN = DPSyn2020(Fraction(1), Fraction(1, 5), rounds=2, slack=0)


def test_laplace_noise_is_pure() -> None:
    program = replace(PURE, epsilon=Fraction(99, 100))
    exact, _ = require_proved_and_exact(Instance(program, "epsilon=1", AddRemove(), EIGHT, 1))
    # A record more raises a count of each of three pairs, at scale 3/0.99.
    assert exact.bound is not None
    assert 0.989 < float(exact.bound.epsilon.upper) < 0.991


def test_gaussian_noise_with_n_public() -> None:
    require_proved_and_exact(Instance(GAUSSIAN, "epsilon=1, delta=1/5", ReplaceOne(), FOUR, 2))


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(PURE, "epsilon=1", neighbours, PEOPLE, 2, rows=2))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(Instance(PURE, "epsilon=1", ReplaceOne(), FOUR, 2, released="output"), 100)
