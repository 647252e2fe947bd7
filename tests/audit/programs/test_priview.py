"""PriView on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.priview import PriView
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

ONE = Fraction(1)
TWO, THREE = Domain.from_cells("2x2"), Domain.from_cells("2x2x2")
PEOPLE = Domain("people", TWO.attributes, individual="person")
CHAIN = PriView(ONE, views=(("a1", "a2"), ("a2", "a3")), slack=0)
ONES = PriView(ONE, views=(("a1",), ("a2",)), slack=0)


def test_two_views_of_three_attributes() -> None:
    require_proved_and_exact(Instance(CHAIN, "epsilon=1", AddRemove(), THREE, 1, released="output"))


@pytest.mark.parametrize("released", ["transcript", "output"])
def test_n_public(released: str) -> None:
    exact, _ = require_proved_and_exact(
        Instance(ONES, "epsilon=1", ReplaceOne(), TWO, 2, released=released)
    )
    if released == "transcript":
        # Both views move by two.
        assert exact.bound is not None
        assert float(exact.bound.epsilon.upper) == pytest.approx(1)


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(ONES, "epsilon=1", neighbours, PEOPLE, 2, rows=2))


@pytest.mark.slow
def test_two_views_of_two_records() -> None:
    require_proved_and_exact(Instance(CHAIN, "epsilon=1", AddRemove(), THREE, 2))


@pytest.mark.slow
def test_the_design_of_three_views() -> None:
    program = PriView(ONE, length=2, slack=0)
    require_proved_and_exact(Instance(program, "epsilon=1", AddRemove(), THREE, 1))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(
        Instance(ONES, "epsilon=1", ReplaceOne(), TWO, 2, released="output"), runs=400
    )
