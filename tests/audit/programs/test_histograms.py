"""Combined histograms of persons with two records: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.histograms import Histograms
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

FOUR = Domain.from_cells("2x2")
PEOPLE = Domain("people", FOUR.attributes, individual="person")
PAIR = Unit("person", 2)
PROGRAM = Histograms(Fraction(1), (("a1",), ("a2",)), slack=0)


def test_the_transcript_of_persons_attains_epsilon() -> None:
    # A person of two equal records moves a count of each histogram by 2: scale 4 for each.
    exact, _ = require_proved_and_exact(Instance(PROGRAM, "epsilon=1", AddRemove(PAIR), PEOPLE, 2))
    assert exact.bound is not None
    assert float(exact.bound.epsilon.upper) == pytest.approx(1)


def test_the_output_of_exchanged_persons() -> None:
    require_proved_and_exact(
        Instance(PROGRAM, "epsilon=1", ReplaceOne(PAIR), PEOPLE, 2, rows=1, released="output")
    )


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(
        Instance(PROGRAM, "epsilon=1", AddRemove(), FOUR, 2, released="output"), 300
    )
