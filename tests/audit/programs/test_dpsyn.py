"""DPSyn on small domains: enumerated, proved, attacked."""

from __future__ import annotations

from fractions import Fraction

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.dpsyn import DPSyn
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

CHAIN = DPSyn(Fraction(1), Fraction(1, 100), (("a1", "a2"), ("a2", "a3")), rounds=2, slack=0)
# Six standard deviations would keep nothing of two records: here one count keeps a value.
RECODED = DPSyn(
    Fraction(60), Fraction(1, 100), (("a1", "a2"),), least_count=1, recode_from=3, slack=0
)
EIGHT, SIX = Domain.from_cells("2x2x2"), Domain.from_cells("3x2")


def test_two_pairs_of_three_attributes() -> None:
    require_proved_and_exact(Instance(CHAIN, "epsilon=1, delta=0.01", AddRemove(), EIGHT, 1))


def test_two_pairs_with_n_public() -> None:
    require_proved_and_exact(Instance(CHAIN, "epsilon=1, delta=0.01", ReplaceOne(), EIGHT, 1))


def test_recoding_by_noisy_counts() -> None:
    require_proved_and_exact(Instance(RECODED, "epsilon=60, delta=0.01", AddRemove(), SIX, 1))


def test_persons() -> None:
    people = Domain("people", SIX.attributes, individual="person")
    neighbours = ReplaceOne(Unit("person", 1))
    program = DPSyn(
        Fraction(1), Fraction(1, 100), (("a1",), ("a2",)), recode_from=3, rounds=1, slack=0
    )
    require_proved_and_exact(
        Instance(program, "epsilon=1, delta=0.01", neighbours, people, 1, rows=1)
    )


def test_an_attack_does_not_refute_it() -> None:
    instance = Instance(CHAIN, "epsilon=1, delta=0.01", ReplaceOne(), EIGHT, 2, released="output")
    require_not_refuted(instance, 100)
