"""Divergences of exact rows: as fractions by hand, as intervals against high precision."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.exact_moments as moments
from audit.channels.channel import Channel
from audit.channels.measures.exact_moments import (
    are_equal,
    divergence,
    largest_exact,
    neighbours_are_equal,
    power_sum,
)
from synthesizers.exact import Exact, ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from tests.audit.channels import slow_divergences as slow
from tests.audit.channels.slow_measures import (
    channel_of_rows,
    entries,
    exponential_channels,
    matrix,
    numbers,
    ordered_pairs,
    rational_channels,
)
from tests.synthesizers.brute_force import holds

F = Fraction
ORDERS = (F(1), F(101, 100), F(3, 2), F(2), F(8), F(10**6))


def test_power_sums_by_hand() -> None:
    left, right = [F(1, 2), F(1, 2), F(0)], [F(1, 4), F(1, 2), F(1, 4)]
    assert power_sum(left, right, 2) == 1 + F(1, 2)
    assert power_sum(left, right, 3) == 2 + F(1, 2)
    assert power_sum(left, left, 5) == 1


@given(st.one_of(rational_channels(), exponential_channels()), st.sampled_from(ORDERS))
@settings(max_examples=60)
def test_divergences_of_exact_rows(channel: Channel, order: Fraction) -> None:
    exact, table = entries(channel), numbers(channel)
    for a, b in ordered_pairs(channel):
        found = divergence(exact[a], exact[b], order)
        truth = slow.divergence(table[a], table[b], order)
        if mpmath.isinf(truth):
            assert found is None
            continue
        assert found is not None
        assert found.upper - found.lower <= F(1, 10**35)
        if table[a] == table[b]:
            # The reference adds up logarithms that leave a last digit.
            assert found == Interval(F(0), F(0))
            continue
        assert holds(found, truth, 40)


def test_vague_rows_are_known_as_far_as_their_ends() -> None:
    near = Interval(F(1, 2), F(1, 2) + F(1, 10**20))
    left: list[Exact] = [near, 1 - near]
    found = divergence(left, [F(1, 4), F(3, 4)], F(2))
    assert found is not None
    with mpmath.workdps(60):
        assert holds(found, mpmath.log(mpmath.mpf(4) / 3), 18)
    assert F(0) < found.upper - found.lower < F(1, 10**18)
    # Intervals that reach 0 leave no logarithm, and wide ones too little of a large power.
    open_: list[Exact] = [Interval(F(0), F(1, 2)), Interval(F(1, 2), F(1))]
    assert divergence(open_, [F(1, 4), F(3, 4)], F(2)) is None
    wide: list[Exact] = [Interval(F(1, 4), F(1, 2)), Interval(F(1, 2), F(3, 4))]
    assert divergence(wide, [F(1, 4), F(3, 4)], F(10**7)) is None


def test_one_interval_is_not_one_number() -> None:
    vague = Interval(F(1, 3), F(2, 3))
    row: list[Exact] = [vague, 1 - vague]
    assert not are_equal(row, row)
    assert are_equal([Interval(F(1), F(1))], [F(1)])
    assert divergence(row, row, F(2)) != Interval(F(0), F(0))
    assert not neighbours_are_equal(channel_of_rows([row, row]))
    keep = ExpRational({F(1): F(1)}, {F(0): F(1), F(1): F(1)})
    twice = ExpRational({F(1): F(2)}, {F(0): F(2), F(1): F(2)})
    assert are_equal([keep, 1 - keep], [twice, 1 - twice])
    assert neighbours_are_equal(channel_of_rows([[keep, 1 - keep], [twice, 1 - twice]]))


def test_only_neighbours_need_be_equal() -> None:
    rows: list[list[Exact]] = [[F(1), F(0)], [F(1, 2), F(1, 2)], [F(1), F(0)]]
    apart = (ReplaceOne(), ((0, 4), (2, 2), (4, 0)))
    assert neighbours_are_equal(channel_of_rows(rows, apart))
    assert not neighbours_are_equal(channel_of_rows(rows))
    assert not neighbours_are_equal(channel_of_rows([rows[0], rows[0], rows[1]]))


def test_the_largest_of_several_pairs() -> None:
    rows: list[list[Exact]] = [[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)], [F(1, 8), F(7, 8)]]
    pairs = [(0, 1), (1, 0), (1, 2), (2, 1)]
    found = largest_exact(matrix(rows), pairs, F(2))
    assert found is not None
    assert found.rows == (0, 1)
    assert found.power_sum == F(4, 3)
    # At order 3/2 there is no fraction, and no value either.
    for listed in (pairs, pairs[::-1]):
        found = largest_exact(matrix(rows), listed, F(3, 2))
        assert found is not None
        assert found.rows == (0, 1)
        assert found.power_sum is None
        alone = largest_exact(matrix(rows), [(0, 1)], F(3, 2))
        assert alone is not None
        assert found.divergence == alone.divergence
    # A zero beside a non-zero has no power sum.
    nothing: list[list[Exact]] = [[F(1), F(0)], [F(1, 2), F(1, 2)]]
    assert largest_exact(matrix(nothing), [(1, 0)], F(2)) is None


@pytest.mark.parametrize("name", ["MAX_WORK", "MAX_TERMS"])
def test_long_sums_are_left_to_doubles(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, name, 0)
    rows: list[list[Exact]] = [[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]
    found = largest_exact(matrix(rows), [(0, 1)], F(2))
    assert found is not None
    assert (found.power_sum is None) == (name == "MAX_WORK")
    if name == "MAX_TERMS":
        assert largest_exact(matrix(rows), [(0, 1)], F(3, 2)) is None
