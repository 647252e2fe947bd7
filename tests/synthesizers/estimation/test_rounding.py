"""Largest remainder against its definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.errors import InputError
from synthesizers.estimation.rounding import largest_remainder


def by_definition(counts: Sequence[int], total: int) -> list[int]:
    """Seats are given one by one to the largest remaining claim beyond the floors."""
    shares = [Fraction(c) for c in counts] if any(counts) else [Fraction(1)] * len(counts)
    quotas = [share * total / sum(shares) for share in shares]
    seats = [q.numerator // q.denominator for q in quotas]
    claims = [quota - seat for quota, seat in zip(quotas, seats, strict=True)]
    while sum(seats) < total:
        best = claims.index(max(claims))
        seats[best] += 1
        claims[best] = Fraction(-1)
    return seats


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(0, 20))
def test_against_the_definition(counts: list[int], total: int) -> None:
    found = largest_remainder(counts, total)
    assert found == by_definition(counts, total)
    assert sum(found) == total and min(found) >= 0


@pytest.mark.parametrize(
    ("counts", "total", "wanted"),
    [
        ([1, 1, 1], 1, [1, 0, 0]),
        ([1, 1, 1], 2, [1, 1, 0]),
        ([0, 0, 0], 4, [2, 1, 1]),
        ([0, 0], 0, [0, 0]),
        ([3, 0, 2], 5, [3, 0, 2]),
        ([5, 5, 0], 5, [3, 2, 0]),
        ([7], 3, [3]),
    ],
)
def test_ties_go_to_the_lower_index_and_all_zero_is_uniform(
    counts: list[int], total: int, wanted: list[int]
) -> None:
    assert largest_remainder(counts, total) == wanted


def test_noisy_answers_do_not_overflow() -> None:
    counts = list(np.array([2**40, 2**41], np.int64))
    assert largest_remainder(counts, 3 * 2**30) == [2**30, 2**31]


@pytest.mark.parametrize(("counts", "total"), [([], 1), ([-1, 2], 1), ([1, 2], -1)])
def test_negative_or_no_counts_are_refused(counts: list[int], total: int) -> None:
    with pytest.raises(InputError, match="largest remainder"):
        largest_remainder(counts, total)
