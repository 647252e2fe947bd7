"""Rényi divergences by repeated squaring, against sums of exact powers."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given

from audit.channels.channel import Channel
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.power_sums import ORDERS, PowerSums
from audit.channels.measures.sweep import group_pairs, sweep
from audit.statements.decimals import Enclosure
from tests.audit.channels.slow_measures import (
    DIGITS,
    channel_of_rows,
    encloses,
    floated,
    fraction_of,
    fractions,
    is_narrow,
    ordered_pairs,
    rational_channels,
)

F = Fraction


def found(channel: Channel) -> dict[Fraction, Enclosure]:
    pairs, groups = group_pairs(channel, channel.pairs)
    sums = PowerSums(len(pairs))
    sweep(channel, pairs, groups, [sums])
    return sums.divergences(epsilon(channel).enclosure)


def slow(channel: Channel, order: int) -> mpmath.mpf:
    """ln Σ P^α/Q^(α-1) over (α-1), the largest over ordered pairs, in exact powers."""
    table, largest = fractions(channel), F(1)
    for a, b in ordered_pairs(channel):
        total = F(0)
        for p, q in zip(table[a], table[b], strict=True):
            if p and not q:
                return mpmath.inf
            total += p**order / q ** (order - 1) if p else 0
        largest = max(largest, total)
    with mpmath.workdps(DIGITS):
        return mpmath.log(fraction_of(largest)) / (order - 1)


@given(rational_channels())
def test_every_order_against_exact_powers(channel: Channel) -> None:
    divergences = found(channel)
    assert list(divergences) == [F(order) for order in ORDERS]
    for order in ORDERS:
        ends = divergences[F(order)]
        assert encloses(ends, slow(channel, order))
        assert is_narrow(ends)


@given(rational_channels())
def test_doubles_with_a_counted_error(channel: Channel) -> None:
    rough = floated(channel, 1000, (1, -1, 0))
    for order, ends in found(rough).items():
        assert encloses(ends, slow(channel, int(order)))
        assert is_narrow(ends, F(1, 10**10))


def test_parts_of_the_columns_add_up() -> None:
    rows = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 3), F(1, 3), F(1, 3)]]
    channel = channel_of_rows(rows)
    pairs, groups = group_pairs(channel, channel.pairs)
    parts = []
    for column in range(3):
        part = PowerSums(len(pairs))
        single = Channel(
            channel.domain,
            channel.neighbours,
            channel.databases,
            channel.outputs[column : column + 1],
            channel.lower[:, column : column + 1],
            channel.upper[:, column : column + 1],
        )
        sweep(single, pairs, groups, [part])
        parts.append(part)
    whole = PowerSums(len(pairs))
    for part in parts:
        whole.merge(part)
    for order, ends in whole.divergences(epsilon(channel).enclosure).items():
        assert encloses(ends, slow(channel, int(order)))


@pytest.mark.parametrize("steep", [F(1, 10**12), F(1, 10**200)])
def test_powers_beyond_the_doubles_stay_between_the_order_before_and_epsilon(
    steep: Fraction,
) -> None:
    channel = channel_of_rows([[F(1, 2), F(1, 2)], [steep, 1 - steep]])
    divergences = found(channel)
    last = F(0)
    for order in ORDERS:
        ends = divergences[F(order)]
        assert encloses(ends, slow(channel, order))
        assert not isinstance(ends.upper, float)
        assert ends.lower >= last
        last = F(ends.lower)


def test_infinite_where_a_zero_stands_beside_a_non_zero() -> None:
    channel = channel_of_rows([[F(1, 2), F(1, 2)], [F(0), F(1)]])
    assert all(ends.lower == math.inf for ends in found(channel).values())


def test_no_neighbours_no_divergence() -> None:
    assert set(found(channel_of_rows([[F(1)]])).values()) == {Enclosure(F(0), F(0))}
