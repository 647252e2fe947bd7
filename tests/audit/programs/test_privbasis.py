"""PrivBasis on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.privbasis import PrivBasis
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

ONE = Fraction(1)
TWO, THREE = Domain.from_cells("2x2"), Domain.from_cells("2x2x2")
LINE = Domain.from_cells("3")
PEOPLE = Domain("people", TWO.attributes, individual="person")
ONES = PrivBasis(ONE, 2, "ones", slack=0)
RECORDS = PrivBasis(ONE, 2, "ones", output="records", slack=0)
SPLIT = PrivBasis(ONE, 3, "ones", longest=2, slack=0)


def test_n_private() -> None:
    require_proved_and_exact(Instance(ONES, "epsilon=1", AddRemove(), TWO, 2))


@pytest.mark.parametrize(
    ("program", "released"),
    [(ONES, "output"), (RECORDS, "transcript")],
    ids=["itemsets", "records"],
)
def test_n_public(program: PrivBasis, released: str) -> None:
    require_proved_and_exact(
        Instance(program, "epsilon=1", ReplaceOne(), TWO, 1, released=released)
    )


def test_values_of_one_attribute() -> None:
    program = PrivBasis(ONE, 2, slack=0)
    require_proved_and_exact(Instance(program, "epsilon=1", ReplaceOne(), LINE, 1))


def test_persons() -> None:
    neighbours = AddRemove(Unit("person", 2))
    require_proved_and_exact(Instance(ONES, "epsilon=1", neighbours, PEOPLE, 2, rows=1))


@pytest.mark.slow
@pytest.mark.parametrize("program", [ONES, SPLIT], ids=["one basis", "several bases"])
def test_three_items(program: PrivBasis) -> None:
    require_proved_and_exact(Instance(program, "epsilon=1", AddRemove(), THREE, 1))


def test_an_attack_does_not_refute_it() -> None:
    require_not_refuted(
        Instance(ONES, "epsilon=1", AddRemove(), TWO, 2, released="output"), runs=400
    )
