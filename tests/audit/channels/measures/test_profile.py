"""Profiles: their points against the slow δ, their ceiling against δ between the points."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.profile as profiles
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.delta import delta, epsilon_at
from audit.channels.measures.profile import Profile, profile
from audit.statements.decimals import Enclosure
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    SHAPES,
    blurred,
    channel_of_rows,
    encloses,
    exponential_channels,
    floated,
    is_narrow,
    rational_channels,
    slow_delta,
    slow_epsilon,
    slow_impossible_mass,
)
from tests.synthesizers.brute_force import rational_near

F = Fraction
NONE = Enclosure(F(0), F(0))


def check(found: Profile, truth: Channel) -> None:
    """Points that enclose δ, from 0 to where it has nearly come to its limit, and a ceiling."""
    places = [place for place, _ in found.points]
    assert places[0] == 0 and places == sorted(set(places)) and len(places) <= 40
    for place, ends in found.points:
        assert encloses(ends, slow_delta(truth, place))
    last, ends = found.points[-1]
    assert last == 1024 or F(ends.upper) <= F(found.limit.upper) + F(1, 10**12)
    beyond = [*places, last + 1]
    for left, right in pairwise(beyond):
        for share in (F(1, 7), F(1, 2), F(9, 10)):
            place = left + (right - left) * share
            assert found.ceiling(place) >= rational_near(slow_delta(truth, place)) * (
                1 - F(1, 10**40)
            )


@given(st.one_of(rational_channels(), exponential_channels()))
@settings(max_examples=50)
def test_points_enclose_delta_and_the_ceiling_is_above(channel: Channel) -> None:
    found = profile(channel)
    check(found, channel)
    for _, ends in found.points:
        assert is_narrow(ends)
    pure = slow_epsilon(channel)
    if not mpmath.isinf(pure) and found.points[-1][1] == NONE:
        assert float(found.points[-1][0]) <= float(pure) * (1 + 1e-12)


@given(rational_channels(), st.sampled_from([[1, -1, 0], [-1], [1, 0, 0]]))
@settings(max_examples=30)
def test_doubles_enclose(channel: Channel, steps: list[int]) -> None:
    check(profile(floated(channel, 100, steps)), channel)


@given(rational_channels(), st.sampled_from([F(1, 1000), F(1, 4)]))
@settings(max_examples=30)
def test_intervals_enclose(channel: Channel, width: Fraction) -> None:
    found = profile(blurred(channel, width, F(1, 2)))
    check(found, channel)
    truth = slow_impossible_mass(channel)
    assert found.limit.lower <= truth <= found.limit.upper


def test_a_negative_epsilon_is_refused() -> None:
    found = profile(channel_of_rows([[F(1, 3), F(2, 3)], [F(2, 3), F(1, 3)]]))
    with pytest.raises(InputError, match="epsilon = 0"):
        found.ceiling(F(-1, 2))


def test_a_subsample_is_flat() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 4)
    channel = channel_of(build("subsample", {"fraction": "1/4"}), setting, exact=True).channel
    found = profile(channel)
    quarter = Enclosure(F(1, 4), F(1, 4))
    assert found.limit == quarter
    assert found.points == ((F(0), quarter), (F(1), quarter))
    assert found.ceiling(F(1, 3)) == found.ceiling(F(50)) == F(1, 4)
    assert found.epsilon_at(F(1, 4)) == NONE
    assert found.epsilon_at(F(1, 5)) == Enclosure.infinite()


def test_randomised_response_is_a_straight_line_to_its_epsilon() -> None:
    keep = ExpRational({F(2): F(1)}, {F(0): F(1), F(2): F(1)})
    channel = channel_of_rows([[keep, 1 - keep], [1 - keep, keep]])
    found = profile(channel)
    # δ(ε) = (e² - e^ε)/(1 + e²), a straight line in e^ε: no bend, hence nearly no points.
    assert [place for place, _ in found.points] == [0, 1, 2]
    assert found.points[-1][1] == NONE
    for place in (F(1, 3), F(7, 5)):
        exact = slow_delta(channel, place)
        assert encloses(found.at(place), exact)
        assert abs(found.ceiling(place) - rational_near(exact)) < F(1, 10**40)


def test_the_points_lie_where_the_curve_bends() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 12)
    channel = channel_of(
        build("multinomial-dirichlet", {"alpha": "1"}), setting, exact=True
    ).channel
    found = profile(channel)
    assert 12 < len(found.points) <= 40
    last = found.points[-1][0]
    for step in range(1, 60):
        place = last * step / 60
        exact = F(delta(channel, place).enclosure.upper)
        # A picture shows a hundredth of δ, down to what is negligible.
        assert exact <= found.ceiling(place) <= exact * F(101, 100) + F(1, 10**12)


def test_a_large_channel_is_asked_for_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 12)
    channel = channel_of(build("multinomial-dirichlet", {"alpha": "1"}), setting).channel
    asked: list[Fraction] = []

    def counted(columns: Channel, epsilon: Fraction) -> object:
        asked.append(epsilon)
        return delta(columns, epsilon)

    monkeypatch.setattr(profiles, "delta", counted)
    monkeypatch.setattr(profiles, "WORK", 1)
    found = profile(channel)
    assert len(found.points) == len(asked) + 1 == profiles.FEWEST
    assert len(set(asked)) == len(asked)
    check(
        found,
        channel_of(build("multinomial-dirichlet", {"alpha": "1"}), setting, exact=True).channel,
    )


@pytest.mark.parametrize("steep", [F(1, 10**20), F(1, 10**400), F(1, 10**600)])
def test_a_very_large_epsilon_ends_where_delta_is_negligible(steep: Fraction) -> None:
    channel = channel_of_rows([[1 - steep, steep], [F(1, 2), F(1, 2)]])
    found = profile(channel)
    check(found, channel)
    last = found.points[-1][0]
    assert last <= 1024 and (steep < F(1, 10**300) or last < 64)
    # One half until e^ε nears the ratio.
    assert F(1, 2) - F(1, 10**6) <= found.at(F(30)).upper <= F(1, 2) + F(1, 10**40)
    for place, ends in found.points:
        assert math.isfinite(float(place)) and ends.upper <= 1


def test_without_neighbours_or_difference_there_is_nothing_to_draw() -> None:
    rows: list[list[Exact]] = [[F(1), F(0)], [F(0), F(1)], [F(1, 2), F(1, 2)]]
    alone = channel_of_rows(rows[:1], SHAPES[0])
    for channel in (alone, channel_of_rows([[F(1, 3), F(2, 3)]] * 3)):
        found = profile(channel)
        assert found.points == ((F(0), NONE),)
        assert found.limit == NONE
        assert found.ceiling(F(1)) == 0


@given(
    rational_channels(),
    st.sampled_from([F(1, 3), F(1), F(3)]),
    st.sampled_from([F(1, 10), F(1, 3)]),
)
@settings(max_examples=30)
def test_at_and_epsilon_at_are_those_of_delta(
    channel: Channel, epsilon: Fraction, limit: Fraction
) -> None:
    found = profile(channel)
    assert found.at(epsilon) == delta(channel, epsilon).enclosure
    assert found.epsilon_at(limit) == epsilon_at(channel, limit)


@pytest.mark.parametrize("exponent", [308, 310, 315, 320, 323, 330, 400])
def test_chances_near_the_end_of_the_doubles_have_a_profile(exponent: int) -> None:
    tiny = Fraction(1, 10**exponent)
    channel = channel_of_rows(
        [
            [tiny, Fraction(1, 3), Fraction(2, 3) - tiny],
            [Fraction(1, 7), 2 * tiny, Fraction(6, 7) - 2 * tiny],
        ]
    )
    for epsilon, ends in profile(channel).points:
        truth = slow_delta(channel, epsilon)
        assert encloses(ends, truth)
