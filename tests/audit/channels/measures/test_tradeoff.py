"""Trade-off functions against all sets of outputs in fractions, and against known curves."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.tradeoff as tradeoffs
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.convex import Curve, height
from audit.channels.measures.tradeoff import Tradeoff, tradeoff
from audit.statements.decimals import Enclosure
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    SHAPES,
    blurred,
    blurs,
    channel_of_rows,
    encloses,
    exponential_channels,
    floated,
    fractions,
    is_narrow,
    numbers,
    ordered_pairs,
    randomised_response,
    rational_channels,
    roundings,
)
from tests.audit.channels.slow_tradeoff import all_errors, dyadic_channel, slow_tradeoff
from tests.synthesizers.brute_force import fraction, rational_near

F = Fraction
ALPHAS = (F(0), F(1, 1000), F(1, 3), F(3, 5), F(24, 25), F(1))


def curve_above(found: Tradeoff) -> Curve:
    return tuple((point.alpha, point.beta) for point in found.upper)


def check_shape(found: Tradeoff) -> None:
    """Both curves are convex, symmetric, and end in (0, ·) and (1, 0)."""
    for curve in (found.lower, curve_above(found)):
        assert curve[0][0] == 0 and curve[-1] == (1, 0)
        slopes = [(b1 - b0) / (a1 - a0) for (a0, b0), (a1, b1) in pairwise(curve)]
        assert slopes == sorted(set(slopes)) and slopes[-1] <= 0
        for a, b in curve:
            assert height(curve, b) <= a


def check_encloses(found: Tradeoff, truth: Channel) -> None:
    """The lower curve is below the errors of every test, the upper above the slow one."""
    check_shape(found)
    points = all_errors(truth)
    for alpha, beta in points:
        assert height(found.lower, alpha) <= beta
    for alpha in ALPHAS:
        ends, value = found.at(alpha), slow_tradeoff(points, alpha)
        assert ends.lower <= value <= ends.upper


def check_tests(found: Tradeoff, channel: Channel) -> None:
    """Each test's own errors are no larger than its breakpoint says, and its pair is one."""
    assert found.upper[-1].test is None
    assert found.upper[0].test is None or found.upper[0].beta < 1
    pairs = set(ordered_pairs(channel))
    table = numbers(channel)
    for point in found.upper[:-1]:
        if point.test is None:
            assert (point.alpha, point.beta) == (0, 1)
            continue
        null, alternative, outputs = point.test.null, point.test.alternative, point.test.outputs
        assert (null, alternative) in pairs
        with mpmath.workdps(50):
            alpha = mpmath.fsum(table[null][o] for o in outputs)
            beta = 1 - mpmath.fsum(table[alternative][o] for o in outputs)
            assert alpha <= fraction(point.alpha) + mpmath.mpf(10) ** -45
            assert beta <= fraction(point.beta) + mpmath.mpf(10) ** -45


@given(rational_channels())
@settings(max_examples=60)
def test_fractions_give_the_lowest_of_all_tests_exactly(channel: Channel) -> None:
    found = tradeoff(channel)
    assert curve_above(found) == found.lower
    check_encloses(found, channel)
    check_tests(found, channel)
    assert set(found.lower) <= all_errors(channel)


@given(rational_channels(), roundings(10**4))
@settings(max_examples=40)
def test_doubles_enclose_and_are_close(channel: Channel, rounding: tuple[int, list[int]]) -> None:
    found = tradeoff(floated(channel, *rounding))
    check_encloses(found, channel)
    check_tests(found, channel)
    for alpha in ALPHAS:
        assert is_narrow(found.at(alpha), F(1, 10**9))


@given(rational_channels(), blurs(), st.booleans())
@settings(max_examples=40)
def test_wide_intervals_enclose_whatever_lies_in_them(
    channel: Channel, blur: tuple[Fraction, Fraction], doubles: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if doubles:
            patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        found = tradeoff(blurred(channel, *blur))
    check_encloses(found, channel)
    assert all(found.at(alpha).upper <= 1 - alpha for alpha in ALPHAS)


@given(exponential_channels())
@settings(max_examples=40)
def test_exponential_sums_are_known_far_beyond_doubles(channel: Channel) -> None:
    found = tradeoff(channel)
    check_shape(found)
    check_tests(found, channel)
    for alpha in ALPHAS:
        assert is_narrow(found.at(alpha), F(1, 10**45))


@given(rational_channels())
@settings(max_examples=40)
def test_large_channels_of_fractions_take_doubles_pair_after_pair(channel: Channel) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        patch.setattr(tradeoffs, "CHUNK", 1)
        found = tradeoff(channel)
    check_encloses(found, channel)
    check_tests(found, channel)
    for alpha in ALPHAS:
        assert is_narrow(found.at(alpha), F(1, 10**13))


@pytest.mark.parametrize("text", ["1/10", "1", "3", "20"])
def test_randomised_response_has_three_breakpoints(text: str) -> None:
    # Either output is the other's mirror image.
    epsilon = F(text)
    found = tradeoff(randomised_response(epsilon))
    assert len(found.upper) == 3
    with mpmath.workdps(60):
        corner = 1 / (1 + mpmath.exp(fraction(epsilon)))
        for alpha in ALPHAS:
            # The trade-off of pure ε (Dong, Roth & Su 2022, equation 5).
            e = mpmath.exp(fraction(epsilon))
            pure = max(mpmath.mpf(0), 1 - e * fraction(alpha), (1 - fraction(alpha)) / e)
            assert encloses(found.at(alpha), pure)
            assert is_narrow(found.at(alpha), F(1, 10**45))
        middle = found.upper[1]
        assert abs(fraction(middle.alpha) - corner) < 1e-40
        assert abs(fraction(middle.beta) - corner) < 1e-40


def test_a_subsample_gives_itself_away_with_its_fraction() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 4)
    channel = channel_of(build("subsample", {"fraction": "1/4"}), setting, exact=True).channel
    # (0, 1/4)-DP and no better: f = 3/4 - α (Dong, Roth & Su 2022, equation 5).
    found = tradeoff(channel)
    assert found.lower == ((F(0), F(3, 4)), (F(3, 4), F(0)), (F(1), F(0)))
    assert curve_above(found) == found.lower
    assert found.at(F(1, 4)) == Enclosure(F(1, 2), F(1, 2))
    assert found.at(F(7, 8)) == Enclosure(F(0), F(0))
    rejection = found.upper[0].test
    assert rejection is not None
    table = fractions(channel)
    assert sum(table[rejection.null][o] for o in rejection.outputs) == 0


def test_without_neighbours_or_difference_nothing_beats_guessing() -> None:
    guess = ((F(0), F(1)), (F(1), F(0)))
    rows: list[list[Exact]] = [[F(1), F(0)], [F(0), F(1)], [F(1, 2), F(1, 2)]]
    for shape in (SHAPES[0], SHAPES[4]):
        channel = channel_of_rows(rows[: len(shape[1])], shape)
        found = tradeoff(channel)
        assert found.lower == guess == curve_above(found)
    third = ExpRational({F(1): F(1)}, {F(0): F(1), F(1): F(2)})
    for chances in ([F(1, 3), F(2, 3)], [third, 1 - third]):
        found = tradeoff(channel_of_rows([chances] * 3))
        assert height(found.lower, F(1, 2)) > F(1, 2) - F(1, 10**50)
    assert tradeoff(channel_of_rows([[F(1, 3), F(2, 3)]] * 3)).lower == guess


def test_the_channel_is_worse_than_each_pair_where_a_coin_chooses_between_pairs() -> None:
    # Pair 0–1 is easy to tell apart at α = 0, pair 1–2 on the whole: the hull is below both.
    rows: list[list[Exact]] = [
        [F(98, 100), F(2, 100), F(0)],
        [F(85, 100), F(10, 100), F(5, 100)],
        [F(45, 100), F(10, 100), F(45, 100)],
    ]
    channel = channel_of_rows(rows)
    found = tradeoff(channel)
    check_encloses(found, channel)
    pairs = {frozenset((p.test.null, p.test.alternative)) for p in found.upper if p.test}
    assert pairs == {frozenset((0, 1)), frozenset((1, 2))}


@pytest.mark.parametrize("exponent", [300, 310, 330, 1000])
def test_chances_below_the_doubles_leave_no_doubt_at_type_one_error_zero(exponent: int) -> None:
    tiny = F(1, 10**exponent)
    channel = channel_of_rows([[1 - tiny, tiny], [1 - 3 * tiny, 3 * tiny]])
    found = tradeoff(channel)
    assert found.lower == curve_above(found)
    assert (tiny, 1 - 3 * tiny) in found.lower
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        rough = tradeoff(channel)
    check_encloses(rough, channel)
    # In doubles the chance may be 0, but not its ratio.
    assert rough.at(F(0)) == Enclosure(F(1), F(1))
    assert F(rough.at(tiny).lower) >= 1 - 4 * tiny
    assert F(rough.at(F(1, 2)).lower) >= F(1, 2) - F(1, 10**14)


def test_small_errors_keep_their_relative_precision_in_doubles() -> None:
    # Eight powers of ten a step: sums of doubles from the wrong end would lose them.
    weights = [F(1, 10 ** (8 * k)) for k in range(8)]
    left = [w / sum(weights) for w in weights]
    rows: list[list[Exact]] = [list(left), list(left[::-1])]
    exact = channel_of_rows(rows)
    found = tradeoff(floated(exact, 4, [1, -1]))
    truth, more = tradeoff(exact).lower, 1 + F(1, 10**13)
    assert sum(alpha < F(1, 10**20) for alpha, _ in truth) > 2
    for alpha, beta in truth:
        # Next to where the curve is steep, α counts as much as β.
        assert height(found.lower, alpha) * more >= height(truth, min(alpha * more, F(1)))
        assert height(curve_above(found), min(alpha * more, F(1))) <= beta * more


@pytest.mark.parametrize("doubles", [True, False])
def test_small_powers_keep_their_relative_precision(doubles: bool) -> None:
    # Rejecting rare outputs: 1 - β is as small as α, and β = 1 in doubles.
    unit = ExpRational.exp(F(-80))
    left: list[Exact] = [unit * unit, unit * 2, unit * unit * unit]
    right: list[Exact] = [unit * unit * 3, unit * 3, unit * unit * unit * 4]
    rows = [[*row, 1 - row[0] - row[1] - row[2]] for row in (left, right)]
    channel = channel_of_rows(rows)
    with pytest.MonkeyPatch.context() as patch:
        if doubles:
            patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        found = tradeoff(channel)
    with mpmath.workdps(200):
        e = mpmath.exp(-80)
        for alpha, power in ((e**3, 4 * e**3), (e**3 + e**2, 4 * e**3 + 3 * e**2)):
            ends = found.at(rational_near(alpha))
            for end in (ends.lower, ends.upper):
                assert abs(fraction(1 - F(end)) / power - 1) < (1e-13 if doubles else 1e-50)


def test_sums_that_round_upwards_all_the_way_are_lowered_enough() -> None:
    # The same chance a thousand times: its sum in doubles errs to one side.
    often = next(
        chance
        for chance in (round((0.0009 + k / 10**8) * 2**60) / 2**60 for k in range(99))
        if F(np.cumsum([chance] * 999)[-1]) > 999 * F(chance) * (1 + F(60, 2**53))
    )
    channel, table = dyadic_channel([[often] * 999, [often / 2] * 999])
    found = tradeoff(channel)
    for null, alternative in ((0, 1), (1, 0)):
        for rejected in (slice(0, 999), slice(999, 1001)):
            alpha, power = sum(table[null][rejected]), sum(table[alternative][rejected])
            assert height(found.lower, F(alpha)) <= 1 - power
            assert height(found.lower, 1 - F(power)) <= alpha


def test_each_test_in_doubles_has_errors_no_larger_than_it_says() -> None:
    for seed in range(5):
        weights = np.random.default_rng(seed).random((2, 30)) / 40
        channel, table = dyadic_channel(weights.tolist())
        found = tradeoff(channel)
        assert len(found.upper) > 20
        for point in found.upper[1:-1]:
            assert point.test is not None
            alpha = sum(table[point.test.null][o] for o in point.test.outputs)
            power = sum(table[point.test.alternative][o] for o in point.test.outputs)
            assert alpha <= point.alpha and 1 - power <= point.beta
            assert height(found.lower, F(alpha)) <= 1 - power


def test_a_vague_zero_beside_a_chance_is_open_at_type_one_error_zero() -> None:
    vague = Interval(F(0), F(1, 2000))
    channel = channel_of_rows([[vague, Interval(F(999, 1000), F(1))], [F(1, 3), F(2, 3)]])
    ends = tradeoff(channel).at(F(0))
    assert F(ends.lower) <= F(2, 3) and ends.upper == 1


def test_an_error_that_is_no_probability_is_refused() -> None:
    found = tradeoff(channel_of_rows([[F(1)], [F(1)]]))
    for alpha in (F(-1, 10), F(11, 10)):
        with pytest.raises(InputError, match="between 0 and 1"):
            found.at(alpha)


def test_a_larger_channel_in_doubles_agrees_with_its_fractions() -> None:
    setting = Setting.of(Domain.from_cells("3"), ReplaceOne(), 5)
    channel = channel_of(
        build("multinomial-dirichlet", {"alpha": "1"}), setting, exact=True
    ).channel
    truth = tradeoff(channel)
    assert truth.lower == curve_above(truth)
    assert len(truth.lower) > 6
    found = tradeoff(floated(channel, 30, [1, 0, -1, 1, -1]))
    for alpha in np.linspace(0, 1, 41).tolist():
        ends, value = found.at(F(alpha)), height(truth.lower, F(alpha))
        assert ends.lower <= value <= ends.upper
        assert is_narrow(ends, F(1, 10**13))
