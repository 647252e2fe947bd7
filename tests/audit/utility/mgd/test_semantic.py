from __future__ import annotations

from fractions import Fraction

import pytest

from audit.utility.mgd.semantic import nominal, ordinal, semantic
from synthesizers.domain import Attribute, Domain, Hierarchy
from synthesizers.errors import InputError

CITIES = Attribute("city", ("Paris", "Lyon", "Rome", "Bonn"))


def _domain(attribute: Attribute, *levels: tuple[str, ...]) -> Domain:
    return Domain("d", (attribute,), (Hierarchy(attribute.name, levels),) if levels else ())


def test_months_are_elevenths_apart() -> None:
    # Li et al., section 2.3.1: the difference divided by 11; grades 1 and 8 of 13 are 7/12.
    assert ordinal(12).between(2, 5) == Fraction(3, 11)
    assert ordinal(13).between(0, 7) == Fraction(7, 12)


def test_plain_values_are_one_apart() -> None:
    assert [nominal(4).between(1, other) for other in range(4)] == [1, 0, 1, 1]


def test_a_single_value_is_at_distance_zero() -> None:
    for single in (ordinal(1), nominal(1)):
        assert single.between(0, 0) == 0


@pytest.mark.parametrize(
    "levels",
    [
        (("FR", "FR", "IT", "DE"),),
        (("Paris", "Lyon", "Rome", "Bonn"), ("FR", "FR", "IT", "DE")),
        (("FR", "FR", "IT", "DE"), ("Earth",) * 4),
        (("Paris", "Lyon", "Rome", "Bonn"), ("FR", "FR", "IT", "DE"), ("Earth",) * 4),
    ],
)
def test_cities_of_one_state_are_half_as_far(levels: tuple[tuple[str, ...], ...]) -> None:
    # Li et al., figure 1b; whether the leaves and the root are spelt out makes no difference.
    found = semantic(_domain(CITIES, *levels), "city", 4)
    assert [found.between(0, other) for other in range(4)] == [0, Fraction(1, 2), 1, 1]


def test_three_levels_are_thirds() -> None:
    levels = (("FR", "FR", "IT", "DE"), ("south", "south", "south", "north"))
    found = semantic(_domain(CITIES, *levels), "city", 4)
    expected = [0, Fraction(1, 3), Fraction(2, 3), 1]
    assert [found.between(0, other) for other in range(4)] == expected


def test_an_ordinal_attribute_is_a_line_whatever_its_hierarchy() -> None:
    grade = Attribute("grade", ("1", "2", "3"), ordinal=True)
    found = semantic(_domain(grade, ("low", "low", "high")), "grade", 3)
    assert [found.between(0, other) for other in range(3)] == [0, Fraction(1, 2), 1]


def test_a_missing_value_has_no_place_in_an_order() -> None:
    grade = Attribute("grade", ("1", "2", "3"), ordinal=True, missing=True)
    found = semantic(_domain(grade), "grade", 5)
    assert found.between(0, 2) == 1
    assert [found.between(3, other) for other in range(5)] == [None, None, None, 0, None]


def test_a_value_outside_is_as_far_as_can_be_from_all_others() -> None:
    assert semantic(_domain(CITIES), "city", 5).between(4, 0) == 1
    for levels in [(("FR", "FR", "IT", "DE"),), (("FR", "FR", "IT", "DE"), ("Earth",) * 4)]:
        found = semantic(_domain(CITIES, *levels), "city", 5)
        assert [found.between(4, other) for other in range(4)] == [1] * 4
        assert found.between(0, 1) == Fraction(1, 2)


def test_leaves_of_unequal_depth_are_refused() -> None:
    with pytest.raises(InputError, match=r"'city'.*different depths"):
        semantic(_domain(CITIES, ("FR", "FR", "", "DE")), "city", 4)


def test_an_axis_counts_in_units() -> None:
    axis = ordinal(12).axis(Fraction(1, 3), 33)
    assert (axis.step, axis.lines) == (1, (slice(0, 12),))
    assert nominal(3).axis(Fraction(1), 2).step == 1
