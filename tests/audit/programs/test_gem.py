"""GEM on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.gem import GEM
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

CLAIM = "epsilon=2, delta=1/100"
TINY = GEM(Fraction(2), Fraction(1, 100), degree=1, rounds=1, steps=5, slack=1)
DOMAIN = Domain.from_cells("2x2")


@pytest.mark.parametrize("released", ["transcript", "output"])
def test_n_public(released: str) -> None:
    require_proved_and_exact(Instance(TINY, CLAIM, ReplaceOne(), DOMAIN, 2, released=released))


def test_n_private() -> None:
    program = replace(TINY, slack=0)
    require_proved_and_exact(Instance(program, CLAIM, AddRemove(), DOMAIN, 1, released="output"))


@pytest.mark.slow
@pytest.mark.parametrize("relation", [AddRemove(), ReplaceOne()])
def test_two_rounds(relation: AddRemove | ReplaceOne) -> None:
    program = replace(TINY, rounds=2, slack=0)
    require_proved_and_exact(Instance(program, CLAIM, relation, DOMAIN, 2, rows=2))


def test_an_attack_does_not_refute_it() -> None:
    instance = Instance(TINY, CLAIM, ReplaceOne(), DOMAIN, 2, released="output")
    require_not_refuted(instance, runs=300)
