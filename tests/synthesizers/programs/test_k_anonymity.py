"""The k-anonymity program: its hierarchies, its text, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synthesizers.attributes import Attribute, Hierarchy
from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.generalisation import KAnonymity
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs.k_anonymity import KAnonymous

CITY = Attribute("city", ("Paris", "Lyon", "Rome"))
SEX = Attribute("sex", ("f", "m"))
EUROPE = Domain("europe", (SEX, CITY), (Hierarchy("city", (("FR", "FR", "IT"),)),))
FOUR = Domain.from_cells("4")
PAIR = ((0, 1), (0, 0))


@pytest.mark.parametrize(
    ("domain", "groups", "ladders"),
    [
        (Domain.from_cells("2x2"), None, (PAIR, PAIR)),
        (FOUR, None, (((0, 1, 2, 3), (0, 0, 0, 0)),)),
        (FOUR, (0, 0, 1, 1), (((0, 1, 2, 3), (0, 0, 1, 1), (0, 0, 0, 0)),)),
        (EUROPE, None, (PAIR, ((0, 1, 2), (0, 0, 1), (0, 0, 0)))),
    ],
)
def test_the_hierarchies(domain: Domain, groups: Any, ladders: Any) -> None:
    setting = Setting.of(domain, ReplaceOne(), 5)
    assert KAnonymous(3, 1, groups).law(setting) == KAnonymity(ladders, 3, 1)


@pytest.mark.parametrize(
    ("outcome", "output"),
    [
        ((0, 1, 3, 0, 2, 0), ("sex=0 city=1", 3, 0, 2, 0)),
        ((1, 2, 5), ("sex=1 city=2", 5)),
        ((-1, -1), ("nothing",)),
    ],
)
def test_the_levels_are_told_as_text(outcome: tuple[int, ...], output: tuple[Any, ...]) -> None:
    setting = Setting.of(EUROPE, ReplaceOne(), 5)
    program = KAnonymous(2)
    assert program.budget(setting) == UnlimitedBudget()
    curator = Curator(setting, program.budget(setting), lambda event: outcome)
    assert canonical_output(program(curator), setting.domain) == output


@pytest.mark.parametrize(
    ("counts", "output"),
    [
        ((3, 0, 0, 0), ("cell=0", 3, 0, 0, 0)),
        ((2, 1, 0, 0), ("cell=0", 2, 0, 0, 0)),
        ((1, 1, 0, 1), ("cell=0", 0, 0, 0, 0)),
        ((0, 0, 0, 0), ("cell=0", 0, 0, 0, 0)),
    ],
)
def test_a_table_that_may_be_left_out_whole(
    counts: tuple[int, ...], output: tuple[Any, ...]
) -> None:
    setting = Setting.of(FOUR, ReplaceOne(), sum(counts))
    program = KAnonymous(2, suppressed=3)
    image = program.law(setting).image(np.array(counts))
    curator = Curator(setting, program.budget(setting), lambda event: tuple(image.tolist()))
    assert canonical_output(program(curator), FOUR) == output


@pytest.mark.parametrize(
    ("domain", "groups", "words"),
    [
        (EUROPE, (0, 1), "one attribute"),
        (FOUR, (0, 1), "2 numbers and attribute 'cell' has 4"),
    ],
)
def test_groups_that_do_not_fit(domain: Domain, groups: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        KAnonymous(2, groups=groups).law(Setting.of(domain, ReplaceOne(), 5))


@pytest.mark.parametrize(("k", "groups", "words"), [(0, None, "k >= 1"), (2, (1, 0), "write 0,1")])
def test_parameters_are_checked(k: int, groups: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        KAnonymous(k, groups=groups)
