"""Random rounding against its definition and the offices' own examples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.errors import InputError
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.laws.rounding import MAX_BASE, RandomRounding
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.slow_tables import (
    Law,
    far,
    largest_ratio,
    law_of,
    require_law,
    worst_excess,
)

THIRD = Fraction(1, 3)


def test_the_example_of_statistics_new_zealand() -> None:
    """17 becomes 15 with chance 1/3 and 18 with 2/3; zeros and multiples of 3 stay."""
    rr3 = RandomRounding(3)
    assert rr3.answers(17) == {15: THIRD, 18: 2 * THIRD}
    assert rr3.answers(0) == {0: 1} and rr3.answers(18) == {18: 1}


def test_base_five_by_hand() -> None:
    law = RandomRounding(5)
    fifths = {n: {k: p * 5 for k, p in law.answers(n).items()} for n in range(7)}
    assert fifths == {
        0: {0: 5}, 1: {0: 4, 5: 1}, 2: {0: 3, 5: 2}, 3: {0: 2, 5: 3}, 4: {0: 1, 5: 4},
        5: {5: 5}, 6: {5: 4, 10: 1},
    }  # fmt: skip


@pytest.mark.parametrize("base", [2, 3, 5, 10])
def test_counts_are_right_on_average_and_near(base: int) -> None:
    for count in range(4 * base):
        law = RandomRounding(base).answers(count)
        assert sum(value * chance for value, chance in law.items()) == count
        assert all(value % base == 0 and abs(value - count) < base for value in law)


def by_coins(counts: tuple[int, ...], base: int) -> Law:
    """One of ``base`` equally likely numbers a cell: up if it is below the remainder."""
    law: Law = {(): Fraction(1)}
    for count in counts:
        longer: Law = {}
        for start, chance in law.items():
            for number in range(base):
                up = base if number < count % base else 0
                outcome = (*start, count // base * base + up)
                longer[outcome] = longer.get(outcome, Fraction(0)) + chance / base
        law = longer
    return law


@pytest.mark.parametrize("counts", [(0,), (4,), (1, 2), (3, 0, 5), (1, 1, 1, 7)])
@pytest.mark.parametrize("base", [2, 3, 5])
def test_law_against_coins(counts: tuple[int, ...], base: int) -> None:
    assert law_of(RandomRounding(base), counts) == by_coins(counts, base)


@pytest.mark.parametrize("base", [2, 3, 5])
@pytest.mark.parametrize(("cells", "size"), [(1, 0), (1, 4), (2, 1), (2, 5), (3, 4), (4, 2)])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_it_is_a_law(neighbours: Any, cells: int, size: int, base: int) -> None:
    require_law(RandomRounding(base), neighbours, cells, size)


def test_a_record_of_a_cell_of_its_own_shows_with_chance_one_in_base() -> None:
    for base in (2, 3, 5):
        law = RandomRounding(base)
        for neighbours, size in ((AddRemove(), 1), (ReplaceOne(), 1), (ReplaceOne(), 4)):
            assert largest_ratio(law, neighbours, 2, size) is None
            assert worst_excess(law, neighbours, 2, size, Fraction(10**6)) >= Fraction(1, base)
    assert worst_excess(RandomRounding(5), AddRemove(), 1, 1, Fraction(2)) == Fraction(1, 5)


def test_a_released_count_leaves_the_stated_counts_possible() -> None:
    for base in (2, 3, 5):
        law = RandomRounding(base)
        for shown in (0, base, 4 * base):
            possible = [count for count in range(6 * base) if shown in law.answers(count)]
            assert possible == list(range(max(0, shown - base + 1), shown + base))


def test_draws_go_up_with_their_chance() -> None:
    # 60 000 cells a count; a right sampler fails with probability at most 2 · 10^-10: see `far`.
    drawn = RandomRounding(5).sample(np.repeat([7, 10, 9], 60_000), InsecureSeededEntropy(3))
    parts = drawn.reshape(3, -1)
    assert (parts[1] == 10).all()
    for part, up in ((parts[0], Fraction(2, 5)), (parts[2], Fraction(4, 5))):
        found = [int((part == value).sum()) for value in (5, 10)]
        assert sum(found) == 60_000 and not far(found, [1 - up, up])


def test_numbers_and_plain_data() -> None:
    assert isinstance(RandomRounding(3), ProductLaw)
    law = RandomRounding(np.int64(3))
    assert type(law.base) is int and law.to_json() == {"law": "random-rounding", "base": 3}
    for wrong in (-3, 0, 1, MAX_BASE + 1, 3.0, True):
        with pytest.raises(InputError, match="base of a rounding"):
            RandomRounding(wrong)
