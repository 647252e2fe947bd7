"""Channels: enclosures of every entry, partners, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.channels.channel import SMALLEST, Channel, gamma, scale
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational, enclose
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne, databases
from tests.audit.channels.slow_measures import (
    SHAPES,
    Shape,
    channel_of_rows,
    ordered_pairs,
    rational_channels,
)
from tests.synthesizers.brute_force import holds, real

pytestmark = pytest.mark.smoke

F = Fraction
UNIT = F(1, 2**53)


def one_float(value: float, operations: int) -> tuple[float, float]:
    """The enclosure of one entry of a channel of doubles."""
    channel = Channel.of_floats(
        Domain.from_cells("1"),
        ReplaceOne(),
        np.array([[1]]),
        ((0,),),
        np.array([[value]]),
        operations,
        "output",
    )
    return float(channel.lower[0, 0]), float(channel.upper[0, 0])


@given(st.one_of(st.integers(0, 10**6), st.integers(0, 10**12)))
def test_gamma_is_rounded_up(operations: int) -> None:
    exact = operations * UNIT / (1 - operations * UNIT)
    found = F(gamma(operations))
    assert exact <= found <= exact * (1 + 16 * UNIT)


@given(
    st.one_of(
        st.floats(2.0**-1020, 1.0, exclude_min=True),
        st.floats(2.0**-60, 1.0),
        st.sampled_from([2.0**-1019, 0.5, 1.0 - 2.0**-53, 1.0, 2.0**-30]),
    ),
    st.one_of(st.integers(0, 50), st.integers(0, 10**7)),
)
def test_a_double_encloses_every_chance_that_it_may_stand_for(
    value: float, operations: int
) -> None:
    lower, upper = map(F, one_float(value, operations))
    error = operations * UNIT / (1 - operations * UNIT)
    # |f - p| <= error·p: the furthest chances that round to this double.
    assert lower <= F(value) / (1 + error)
    assert F(value) / (1 - error) <= upper
    assert upper - lower <= F(value) * (2 * error + 20 * UNIT) * (1 + F(1, 10**6))


def test_a_zero_stays_a_zero_and_a_subnormal_is_no_number() -> None:
    assert one_float(0.0, 10**6) == (0.0, 0.0)
    for value in (5e-324, 1e-310, 2.0**-1021):
        lower, upper = one_float(value, 3)
        assert lower == 0.0
        assert upper >= value * 2


@given(
    st.one_of(
        st.fractions(0, 1),
        st.builds(lambda a, b: F(a, 2**1074) * F(3, b), st.integers(0, 9), st.integers(3, 9)),
        st.builds(lambda a: F(1, 10**a), st.integers(290, 420)),
    )
)
def test_exact_chances_lie_in_their_doubles(value: Fraction) -> None:
    channel = channel_of_rows([[value, 1 - value]])
    lower, upper = float(channel.lower[0, 0]), float(channel.upper[0, 0])
    assert F(lower) <= value <= F(upper)
    assert (lower, upper) == (0.0, 0.0) if value == 0 else upper > 0
    assert lower == 0 or lower >= SMALLEST
    assert upper == 0 or upper >= SMALLEST
    assert bool(channel.lower[0, 0] > 0 or channel.powers is not None) == (value > 0)
    assert bool(channel.centre[0, 0] > 0) == (value > 0)
    if value > F(1, 10**300):
        assert upper <= np.nextafter(lower, 2)


@pytest.mark.parametrize("power", [F(-1, 3), F(-2), F(-700), F(-2000)])
def test_exponential_and_vague_chances(power: Fraction) -> None:
    value = ExpRational.exp(power)
    vague = Interval(F(0), F(1, 3))
    point = Interval(F(0), F(0))
    channel = channel_of_rows([[value, 1 - value, vague, point]])
    lower, upper = channel.lower[0], channel.upper[0]
    ends = enclose(value)
    assert F(lower[0]) <= ends.lower
    assert ends.upper <= F(upper[0])
    assert holds(Interval(F(lower[1]), F(upper[1])), real(1 - value))
    assert (lower[2], F(upper[2]) >= F(1, 3)) == (0.0, True)
    assert (lower[3], upper[3]) == (0.0, 0.0)
    assert channel.powers is None
    assert channel.chance(0, 0) is value


@pytest.mark.parametrize("shape", SHAPES)
def test_partners_are_all_neighbours_and_no_others(shape: Shape) -> None:
    rows: list[list[Exact]] = [[F(1)] for _ in shape[1]]
    channel = channel_of_rows(rows, shape)
    found = {(a, b) for a, line in enumerate(channel.partners) for b in line.tolist()}
    assert found == set(ordered_pairs(channel))
    assert sum(len(line) for line in channel.partners) == len(found)
    assert 2 * len(channel.pairs) == len(found)
    assert [channel.counts(row) for row in range(len(rows))] == list(shape[1])


def test_partners_on_whole_instances() -> None:
    for relation in (AddRemove(), ReplaceOne()):
        listed = databases(relation, 3, 3)
        rows: list[list[Exact]] = [[F(1)] for _ in listed]
        channel = channel_of_rows(rows, (relation, tuple(map(tuple, listed.tolist()))))
        found = {(a, b) for a, line in enumerate(channel.partners) for b in line.tolist()}
        assert found == set(ordered_pairs(channel))


@given(rational_channels())
def test_centres_are_the_chances(channel: Channel) -> None:
    assert channel.exact is not None
    for place, value in np.ndenumerate(channel.exact):
        assert abs(F(float(channel.centre[place])) - value) <= 2 * UNIT


def test_products_with_an_infinite_factor_keep_their_zeros() -> None:
    with np.errstate(all="raise"):
        found = scale(float("inf"), np.array([0.0, 0.25]))
        assert found.tolist() == [0.0, float("inf")]
        assert scale(1e308, np.array([0.0, 1e10, 0.5])).tolist() == [0.0, float("inf"), 5e307]


def test_what_is_no_channel() -> None:
    domain = Domain.from_cells("2")
    listed = np.array([[0, 1], [1, 0]])

    def build(
        rows: np.ndarray, outputs: tuple[tuple[int, ...], ...], shape: tuple[int, int]
    ) -> Channel:
        return Channel(domain, ReplaceOne(), rows, outputs, np.zeros(shape), np.zeros(shape))

    build(listed, ((0,), (1,), (2,)), (2, 3))
    for rows, outputs, shape, word in (
        (listed, ((0,),), (2, 2), "needs both"),
        (listed, ((0,), (1,)), (1, 2), "needs both"),
        (listed, (), (2, 0), "at least one"),
        (listed[:0], ((0,),), (0, 1), "at least one"),
        (listed[[0, 0]], ((0,),), (2, 1), "database once"),
        (listed, ((0,), (0,)), (2, 2), "output once"),
    ):
        with pytest.raises(InputError, match=word):
            build(rows, outputs, shape)
