"""PrivMRF on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.privmrf import PrivMRF
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

CLAIM = "epsilon=1, delta=1/100"
PAIR = Domain.from_cells("2x2")
PEOPLE = Domain("people", PAIR.attributes, individual="person")
PERSONS = (AddRemove(Unit("person", 2)), ReplaceOne(Unit("person", 2)))
# Theta of a thousandth: a pair that is joined is measured as one; then one more marginal, of the
# two that are left, is chosen by its noisy distance.
FIELD = PrivMRF(Fraction(1), Fraction(1, 100), 100, 100, Fraction(1, 1000), 2, 0)


def test_the_transcript_with_n_private() -> None:
    require_proved_and_exact(Instance(FIELD, CLAIM, AddRemove(), PAIR, 1))


def test_the_output_with_n_public() -> None:
    instance = Instance(FIELD, CLAIM, ReplaceOne(), PAIR, 1, released="output")
    require_proved_and_exact(instance)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", PERSONS)
@pytest.mark.parametrize("released", ["transcript", "output"])
def test_persons(neighbours: Neighbours, released: str) -> None:
    instance = Instance(FIELD, CLAIM, neighbours, PEOPLE, 2, rows=1, released=released)
    require_proved_and_exact(instance)


def test_persons_whose_attributes_are_never_joined() -> None:
    # Cliques of one cell are impossible but for single attributes: 16 answers of the marginals.
    apart = PrivMRF(Fraction(1), Fraction(1, 100), 3, 100, Fraction(1), 2, 0)
    require_proved_and_exact(Instance(apart, CLAIM, PERSONS[0], PEOPLE, 2, rows=1))


@pytest.mark.slow
def test_two_records() -> None:
    require_proved_and_exact(Instance(FIELD, CLAIM, ReplaceOne(), PAIR, 2))


def test_an_attack_does_not_refute_it() -> None:
    instance = Instance(FIELD, CLAIM, ReplaceOne(), PAIR, 2, released="output")
    require_not_refuted(instance, runs=300)
