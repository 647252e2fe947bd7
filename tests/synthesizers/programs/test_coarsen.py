"""The coarsen program: which groups its parameters mean, and what it refuses."""

from __future__ import annotations

import pytest

from synthesizers.attributes import Attribute, Hierarchy
from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.generalisation import GlobalRecoding, Grouping
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs.coarsen import Coarsen

CITY = Attribute("city", ("Paris", "Lyon", "Rome"))
SEX = Attribute("sex", ("f", "m"))
LEVELS = (("Paris", "Lyon", "Rome"), ("FR", "FR", "IT"))
EUROPE = Domain("europe", (SEX, CITY), (Hierarchy("city", LEVELS),))
FOUR = Domain.from_cells("4")


@pytest.mark.parametrize(
    ("domain", "attribute", "level", "groups", "groupings"),
    [
        (FOUR, None, None, (0, 0, 1, 1), ((0, 0, 1, 1),)),
        (FOUR, "cell", None, (0, 1, 1, 0), ((0, 1, 1, 0),)),
        (FOUR, None, 1, None, ((0, 0, 0, 0),)),
        (EUROPE, "city", 1, None, ((0, 1), (0, 0, 1))),
        (EUROPE, "city", 2, None, ((0, 1), (0, 0, 0))),
        (EUROPE, "city", None, (0, 1, 1), ((0, 1), (0, 1, 1))),
        (EUROPE, "sex", 1, None, ((0, 0), (0, 1, 2))),
    ],
)
def test_the_groups_of_the_parameters(
    domain: Domain,
    attribute: str | None,
    level: int | None,
    groups: Grouping | None,
    groupings: tuple[Grouping, ...],
) -> None:
    setting = Setting.of(domain, ReplaceOne(), 5)
    assert Coarsen(attribute, level, groups).law(setting) == GlobalRecoding(groupings)


def test_it_releases_the_coarse_counts_and_promises_nothing() -> None:
    setting = Setting.of(FOUR, ReplaceOne(), 5)
    program = Coarsen(groups=(0, 0, 1, 1))
    assert program.budget(setting) == UnlimitedBudget()
    curator = Curator(setting, program.budget(setting), lambda event: (3, 2))
    assert canonical_output(program(curator), setting.domain) == (3, 2)


@pytest.mark.parametrize(
    ("domain", "attribute", "level", "groups", "words"),
    [
        (EUROPE, None, 1, None, "sex, city"),
        (EUROPE, "town", 1, None, "no attribute 'town'"),
        (EUROPE, "city", 3, None, "levels are 1 to 2"),
        (EUROPE, "city", 0, None, "levels are 1 to 2"),
        (EUROPE, "city", None, (0, 1), "2 numbers and attribute 'city' has 3"),
        (Domain.from_cells("1"), None, 1, None, "single value"),
    ],
)
def test_domains_that_the_parameters_do_not_fit(
    domain: Domain,
    attribute: str | None,
    level: int | None,
    groups: Grouping | None,
    words: str,
) -> None:
    with pytest.raises(InputError, match=words):
        Coarsen(attribute, level, groups).law(Setting.of(domain, ReplaceOne(), 5))


@pytest.mark.parametrize(
    ("level", "groups", "words"),
    [
        (None, None, "give one"),
        (1, (0, 0, 1, 1), "give one"),
        (None, (1, 0), "write 0,1"),
        (None, (), "groups"),
    ],
)
def test_either_a_level_or_groups(level: int | None, groups: Grouping | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Coarsen(None, level, groups)
