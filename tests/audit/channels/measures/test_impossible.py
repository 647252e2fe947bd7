"""The chance of impossible outputs against sums of exact chances."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.channels.channel import Channel
from audit.channels.measures.impossible import impossible_mass
from audit.statements.decimals import Enclosure
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from tests.audit.channels.slow_measures import (
    channel_of_rows,
    floated,
    is_narrow,
    rational_channels,
    slow_impossible_mass,
)
from tests.audit.channels.slow_tradeoff import dyadic_channel

F = Fraction
NONE = Enclosure(F(0), F(0))


@given(rational_channels(), st.booleans())
@settings(max_examples=50)
def test_the_limit_is_the_largest_mass_on_impossible_outputs(
    channel: Channel, doubles: bool
) -> None:
    truth = slow_impossible_mass(channel)
    if not doubles:
        assert impossible_mass(channel) == Enclosure(truth, truth)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.channels.measures.impossible.MAX_EXACT_TERMS", 0)
        for vague in (channel, floated(channel, 10**4, [1, -1])):
            ends = impossible_mass(vague)
            assert ends.lower <= truth <= ends.upper
            assert is_narrow(ends, F(1, 10**9))


@pytest.mark.parametrize("exponent", [20, 320, 1000])
def test_the_limit_of_chances_below_the_doubles(exponent: int) -> None:
    tiny = F(1, 10**exponent)
    beside_zero = channel_of_rows([[1 - tiny, tiny], [F(1), F(0)]])
    assert impossible_mass(beside_zero) == Enclosure(tiny, tiny)
    finite = channel_of_rows([[1 - tiny, tiny], [1 - 3 * tiny, 3 * tiny]])
    assert impossible_mass(finite) == NONE
    rows: list[list[Exact]] = [[F(3, 4) - tiny, F(1, 4), tiny], [1 - 2 * tiny, F(0), 2 * tiny]]
    assert impossible_mass(channel_of_rows(rows)) == Enclosure(F(1, 4), F(1, 4))


def test_the_limit_counts_the_roundings_of_its_sums() -> None:
    for seed in range(5):
        weights = (np.random.default_rng(seed).random((2, 40)) / 50).tolist()
        for rows in ([weights[0], [0.0] * 40], [[0.0] * 40, weights[0]]):
            channel, table = dyadic_channel(rows)
            mass = max(sum(row[:40]) for row in table)
            ends = impossible_mass(channel)
            assert ends.lower <= mass <= ends.upper
            assert is_narrow(ends, F(1, 10**14))


def test_a_vague_zero_counts_above_only() -> None:
    vague = Interval(F(0), F(1, 2000))
    rows: list[list[Exact]] = [[vague, Interval(F(999, 1000), F(1))], [F(1, 3), F(2, 3)]]
    for channel in (channel_of_rows(rows), channel_of_rows(rows[::-1])):
        assert impossible_mass(channel) == Enclosure(F(0), F(1, 3))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("audit.channels.measures.impossible.MAX_EXACT_TERMS", 0)
            ends = impossible_mass(channel)
        assert ends.lower == 0 and F(1, 3) <= ends.upper < F(1, 3) + F(1, 10**15)
