"""Barak's Fourier marginals on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.fourier import Fourier
from tests.audit.programs.instances import (
    TWO,
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

ONE = Fraction(1)
PEOPLE = Domain("people", Domain.from_cells("2").attributes, individual="person")
RECORDS = Fourier(ONE, slack=0)
COUNTS = Fourier(ONE, output="marginals", slack=0)


@pytest.mark.parametrize(
    ("program", "released"), [(RECORDS, "transcript"), (RECORDS, "output"), (COUNTS, "output")]
)
def test_n_public(program: Fourier, released: str) -> None:
    require_proved_and_exact(
        Instance(program, "epsilon=1", ReplaceOne(), TWO, 2, released=released)
    )


def test_n_private() -> None:
    instance = Instance(RECORDS, "epsilon=1", AddRemove(), TWO, 1, released="output")
    require_proved_and_exact(instance)


def test_the_transcript_attains_epsilon() -> None:
    # Two attributes and one record: all four coefficients may move together.
    exact, _ = require_proved_and_exact(Instance(RECORDS, "epsilon=1", AddRemove(), TWO, 1))
    assert exact.bound is not None
    assert float(exact.bound.epsilon.upper) == pytest.approx(1)


@pytest.mark.parametrize("relation", [AddRemove, ReplaceOne])
def test_persons(relation: type[AddRemove] | type[ReplaceOne]) -> None:
    neighbours = relation(Unit("person", 2))
    require_proved_and_exact(Instance(RECORDS, "epsilon=1", neighbours, PEOPLE, 2, rows=2))


@pytest.mark.slow
def test_all_pairs_of_three_attributes() -> None:
    three = Domain.from_cells("2x2x2")
    require_proved_and_exact(Instance(RECORDS, "epsilon=1", AddRemove(), three, 1))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(
        Instance(RECORDS, "epsilon=1", ReplaceOne(), TWO, 2, released="output"), runs=400
    )
