"""The suppress program: what it releases, and what it refuses."""

from __future__ import annotations

import pytest

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.suppression import CellSuppression
from synthesizers.neighbours import AddRemove
from synthesizers.programs.suppress import Suppress


@pytest.mark.parametrize("complementary", [True, False])
def test_a_suppressed_count_is_none(complementary: bool) -> None:
    setting = Setting.of(Domain.from_cells("2x2"), AddRemove(), 5)
    program = Suppress(3, complementary)
    assert program.budget(setting) == UnlimitedBudget()
    curator = Curator(setting, program.budget(setting), lambda event: (-1, 4, 0, -1))
    assert canonical_output(program(curator), setting.domain) == (None, 4, 0, None)
    (question,) = curator.ledger
    assert question.law == CellSuppression((2, 2), 3, complementary)


def test_complements_are_the_default() -> None:
    assert Suppress(3) == Suppress(3, True)


def test_a_threshold_of_nothing() -> None:
    with pytest.raises(InputError, match="at least 1"):
        Suppress(0)
