"""Budgets that say one thing to the curator and another to whoever reads them prove nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.certify import Effort, certify
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import parse_guarantee
from synthesizers.budget import PureBudget, UnlimitedBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts, Total

pytestmark = pytest.mark.smoke

F = Fraction
LOUD = DiscreteLaplace(F(1))
CRUDE = DiscreteLaplace(F(1, 100))
SETTING = Setting.of(Domain.from_cells("2"), AddRemove(), 2)


class NamedOtherwise(ReplaceOne):
    """Priced as replace-one, and written as add-remove."""

    name = "add-remove"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class NeverExceeded(Fraction):
    """A limit that every spend equals, and none is above."""

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


class Program:
    """Asks about the first cell, and then, where ``twice``, crudely."""

    def __init__(self, budget: Any, query: Any = None, twice: bool = False) -> None:
        self.declared, self.twice = budget, twice
        self.query = CellCounts((0,)) if query is None else query

    def budget(self, setting: Any) -> Any:
        return self.declared

    def __call__(self, curator: Any) -> Any:
        first = curator.measure(self.query, LOUD if self.twice else CRUDE, low=0, high=10**6)
        if not self.twice:
            return first
        return [*first, *curator.measure(self.query, CRUDE, low=0, high=10**6)]


class Raises(Program):
    """Raises its own budget while it asks, and puts it back."""

    def __call__(self, curator: Any) -> Any:
        object.__setattr__(self.declared, "epsilon", F(1000))
        try:
            return super().__call__(curator)
        finally:
            object.__setattr__(self.declared, "epsilon", F(1))


class Swaps(Program):
    """Gives its curator another budget."""

    def __call__(self, curator: Any) -> Any:
        curator._Curator__budget = UnlimitedBudget()
        return super().__call__(curator)


@pytest.mark.parametrize("records", [2, 3000])
@pytest.mark.parametrize(
    "program",
    [
        Program(PureBudget(F(1), NamedOtherwise()), Total()),
        Program(PureBudget(NeverExceeded(1)), twice=True),
        Raises(PureBudget(F(1))),
        Swaps(PureBudget(F(1))),
    ],
    ids=["relation", "number", "raises", "swaps"],
)
def test_no_such_program_keeps_its_claim(program: Any, records: int) -> None:
    claim = Claim(
        parse_guarantee("epsilon=1"), AddRemove(), "transcript", Domain.from_cells("2"), records
    )
    subject = ProgramSubject("hostile", program, built_in=False)
    try:
        verdict = certify(subject, claim, Effort(), "").certificate.verdict
    except (InputError, ProtocolError):
        return
    assert verdict not in (Verdict.PROVED, Verdict.EXACT, Verdict.NOT_REFUTED)


def test_an_honest_budget_is_as_it_was() -> None:
    honest = Program(PureBudget(F(100), AddRemove()))
    found = ProgramSubject("honest", honest, built_in=False).budget(SETTING)
    assert found == honest.declared and found is not honest.declared
