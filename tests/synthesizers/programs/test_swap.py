"""The swap program: which law it asks for, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs.swap import Swap

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("cells", "attribute", "key", "swapped", "places"),
    [
        ("2x2", None, (), 0, ()),
        ("2x2", "a2", (), 1, ()),
        # The first attribute that is not in the key.
        ("2x2x2", None, ("a1",), 1, (0,)),
        ("2x3x2x2", None, ("a3", "a1"), 1, (2, 0)),
        ("2x3x2x2", "a4", ("a3", "a1"), 3, (2, 0)),
    ],
)
def test_the_law_of_the_parameters(
    cells: str, attribute: str | None, key: tuple[str, ...], swapped: int, places: tuple[int, ...]
) -> None:
    domain = Domain.from_cells(cells)
    law = Swap(HALF, attribute, key).law(Setting.of(domain, ReplaceOne(), 3))
    assert law == RecordSwapping(domain.shape, swapped, places, HALF)


def test_it_asks_one_question_and_promises_nothing() -> None:
    setting = Setting.of(Domain.from_cells("2x2"), ReplaceOne(), 3)
    program = Swap(HALF)
    assert program.budget(setting) == UnlimitedBudget()
    curator = Curator(setting, program.budget(setting), lambda event: (1, 0, 2, 0))
    assert canonical_output(program(curator), setting.domain) == (1, 0, 2, 0)
    (question,) = curator.ledger
    assert question.law == program.law(setting)


@pytest.mark.parametrize(
    ("cells", "attribute", "key", "words"),
    [
        ("4", None, (), "nothing would change"),
        ("2x2", None, ("a1",), "nothing would change"),
        ("2x2", "a1", ("a2",), "nothing would change"),
        ("2x2", None, ("a1", "a2"), "every attribute is in the key"),
        ("2x1", None, (), "nothing would change"),
        ("2x2x2", "a1", ("a1",), "different attributes"),
        ("2x2x2", "city", (), "no attribute 'city'"),
        ("2x2x2", None, ("sex",), "no attribute 'sex'"),
    ],
)
def test_domains_that_leave_nothing_to_swap(
    cells: str, attribute: str | None, key: tuple[str, ...], words: str
) -> None:
    setting = Setting.of(Domain.from_cells(cells), ReplaceOne(), 3)
    with pytest.raises(InputError, match=words):
        Swap(HALF, attribute, key).law(setting)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(-1), Fraction(5, 4), 0.5])
def test_shares_that_are_none(share: Any) -> None:
    with pytest.raises(InputError, match="share"):
        Swap(share)
