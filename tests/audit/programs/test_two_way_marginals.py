"""All two-way marginals on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.two_way_marginals import TwoWayMarginals
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

CLAIM = "epsilon=1, delta=1/100"
PAIR = Domain.from_cells("2x2")
PEOPLE = Domain("people", PAIR.attributes, individual="person")
PROGRAM = TwoWayMarginals(Fraction(1), Fraction(1, 100), steps=5, slack=0)


def test_the_transcript_with_n_private() -> None:
    require_proved_and_exact(Instance(PROGRAM, CLAIM, AddRemove(), PAIR, 2))


def test_the_output_with_n_public() -> None:
    require_proved_and_exact(Instance(PROGRAM, CLAIM, ReplaceOne(), PAIR, 2, released="output"))


@pytest.mark.parametrize("relation", [AddRemove, ReplaceOne])
def test_persons(relation: type[AddRemove] | type[ReplaceOne]) -> None:
    neighbours = relation(Unit("person", 2))
    require_proved_and_exact(Instance(PROGRAM, CLAIM, neighbours, PEOPLE, 2, rows=2))


def test_records_by_gum_are_drawn_after_a_seed() -> None:
    gradual = TwoWayMarginals(Fraction(1), Fraction(1, 100), model_cells=0, rounds=2, slack=0)
    require_proved_and_exact(Instance(gradual, CLAIM, AddRemove(), PAIR, 1))


@pytest.mark.slow
def test_three_attributes() -> None:
    three = Domain.from_cells("2x2x2")
    require_proved_and_exact(Instance(PROGRAM, CLAIM, AddRemove(), three, 1))


def test_an_attack_does_not_refute_it() -> None:
    instance = Instance(PROGRAM, CLAIM, ReplaceOne(), PAIR, 2, released="output")
    require_not_refuted(instance, runs=300)
