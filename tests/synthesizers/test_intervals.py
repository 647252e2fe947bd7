"""Containment: whatever is computed on intervals holds what is computed on their members."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.errors import InputError, TooLargeError
from synthesizers.intervals import (
    WORKING_BITS,
    Interval,
    as_interval,
    exp_interval,
    float_above,
    float_below,
    log2_interval,
    log_interval,
    log_of,
    round_down,
    round_up,
    to_mpf,
)
from tests.synthesizers.brute_force import rational_near

fractions = st.fractions(max_denominator=10**40) | st.builds(
    lambda a, b: Fraction(a, b), st.integers(-(10**90), 10**90), st.integers(1, 10**90)
)
dyadics = st.builds(
    lambda m, e: m * Fraction(2) ** e,
    st.integers(-(2**300), 2**300) | st.integers(-9, 9),
    st.integers(-400, 400),
)
places = st.fractions(0, 1, max_denominator=7)


@st.composite
def intervals_with_members(draw: st.DrawFn) -> tuple[Interval, Fraction]:
    ends = draw(st.sampled_from([fractions, dyadics]))
    a, b = sorted((draw(ends), draw(ends)))
    return Interval(a, b), a + (b - a) * draw(places)


def inside(value: Fraction, interval: Interval) -> bool:
    return interval.lower <= value <= interval.upper


@given(intervals_with_members(), intervals_with_members())
def test_arithmetic_holds_the_members(
    left: tuple[Interval, Fraction], right: tuple[Interval, Fraction]
) -> None:
    (a, x), (b, y) = left, right
    assert inside(x + y, a + b)
    assert inside(x - y, a - b)
    assert inside(x * y, a * b)
    assert inside(-x, -a)
    if not inside(Fraction(0), b):
        assert inside(x / y, a / b)


@given(intervals_with_members(), fractions)
def test_mixed_arithmetic_holds_the_members(left: tuple[Interval, Fraction], y: Fraction) -> None:
    a, x = left
    assert inside(x + y, y + a) and inside(x - y, a - y) and inside(y - x, y - a)
    assert inside(x * y, y * a)
    if y:
        assert inside(x / y, a / y)
    if not inside(Fraction(0), a):
        assert inside(y / x, y / a)


@given(dyadics, dyadics, dyadics, dyadics)
def test_integers_give_what_fractions_give(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    left, right = Interval(*sorted((a, b))), Interval(*sorted((c, d)))
    products = [x * y for x in (a, b) for y in (c, d)]
    assert left + right == Interval.around(left.lower + right.lower, left.upper + right.upper)
    assert left * right == Interval.around(min(products), max(products))
    assert -left == Interval(-left.upper, -left.lower)
    if min(c, d) > 0 or max(c, d) < 0:
        quotients = [x / y for x in (a, b) for y in (c, d)]
        assert left / right == Interval.around(min(quotients), max(quotients))


@given(dyadics, dyadics)
def test_equal_intervals_are_one_whatever_they_are_made_of(a: Fraction, b: Fraction) -> None:
    made = Interval(*sorted((a, b)))
    mirrored = -made
    again = -mirrored
    assert again == made and hash(again) == hash(made) and repr(again) == repr(made)
    assert pickle.loads(pickle.dumps(again)) == made
    assert again.is_zero == (a == b == 0)


def test_division_by_an_interval_around_zero_is_refused() -> None:
    for lower, upper in ((-1, 1), (0, 1), (-1, 0), (0, 0)):
        with pytest.raises(ZeroDivisionError):
            Interval(Fraction(1), Fraction(1)) / Interval(Fraction(lower), Fraction(upper))


@given(fractions, st.integers(2, 300))
def test_rounding_goes_outwards_and_stays_close(value: Fraction, bits: int) -> None:
    low, high = round_down(value, bits), round_up(value, bits)
    assert low <= value <= high
    assert (high - low) * 2 ** (bits - 2) <= abs(value)
    for end in (low, high):
        odd = abs(end.numerator)
        assert end == 0 or (odd // (odd & -odd)).bit_length() <= bits + 1


def test_products_are_widened_by_the_working_precision_only() -> None:
    third = Interval(Fraction(1, 3), Fraction(1, 3))
    product = third * third
    assert product.lower < Fraction(1, 9) < product.upper
    assert (product.upper - product.lower) * 2 ** (WORKING_BITS - 2) < 1


@given(
    st.fractions(-300, 300, max_denominator=10**30),
    st.sampled_from([20, 64, 96, 192, 500]),
)
def test_exp_holds_the_truth(power: Fraction, bits: int) -> None:
    found = exp_interval(power, bits)
    with mpmath.workprec(3 * bits + 200):
        truth = rational_near(mpmath.exp(mpmath.mpf(power.numerator) / power.denominator))
    # The reference carries more than twice the bits, so only a narrow miss could be its own.
    slack = truth / 2 ** (2 * bits + 100)
    assert found.lower <= truth + slack and truth - slack <= found.upper
    assert (found.upper - found.lower) * 2**bits <= 3 * truth


@pytest.mark.parametrize("power", [10**5, -(10**5), 3 * 10**5 + 1])
def test_exp_of_large_powers_keeps_its_relative_precision(power: int) -> None:
    found = exp_interval(Fraction(power, 3), 96)
    with mpmath.workprec(400):
        truth = mpmath.exp(mpmath.mpf(power) / 3)
        low = mpmath.mpf(found.lower.numerator) / found.lower.denominator
        high = mpmath.mpf(found.upper.numerator) / found.upper.denominator
        assert low < truth < high
        assert (high - low) / truth < mpmath.mpf(2) ** -94


@given(
    st.fractions(Fraction(1, 10**30), 10**30, max_denominator=10**30)
    | st.builds(lambda e: 1 + Fraction(1, e), st.integers(1, 10**60))
    | st.builds(lambda e: 1 - Fraction(1, e), st.integers(2, 10**60)),
    st.sampled_from([20, 64, 96, 192, 500]),
)
def test_log_holds_the_truth_also_next_to_one(value: Fraction, bits: int) -> None:
    if value <= 0:
        return
    found = log_interval(value, bits)
    with mpmath.workprec(3 * bits + 600):
        truth = rational_near(mpmath.log(mpmath.mpf(value.numerator) / value.denominator))
    slack = abs(truth) / 2 ** (2 * bits + 100)
    assert found.lower <= truth + slack and truth - slack <= found.upper
    assert (found.upper - found.lower) * 2**bits <= 3 * abs(truth)


def test_exp_of_absurd_powers_is_refused_at_once() -> None:
    for power in (10**9, -(10**9), 10**30):
        with pytest.raises(TooLargeError, match="exponent"):
            exp_interval(Fraction(power))


def test_log_and_exp_at_their_rational_points() -> None:
    assert exp_interval(Fraction(0)) == Interval(Fraction(1), Fraction(1))
    assert log_interval(Fraction(1)) == Interval(Fraction(0), Fraction(0))
    for value in (Fraction(0), Fraction(-1)):
        with pytest.raises(InputError, match="positive"):
            log_interval(value)


@given(st.fractions(Fraction(1, 1000), 1000, max_denominator=1000), st.integers(8, 300))
def test_binary_logs_hold_the_truth_and_are_exact_at_powers_of_two(
    value: Fraction, bits: int
) -> None:
    found = log2_interval(value, bits)
    with mpmath.workprec(3 * bits + 600):
        truth = rational_near(mpmath.log(mpmath.mpf(value.numerator) / value.denominator, 2))
    slack = abs(truth) / 2 ** (2 * bits + 100)
    assert found.lower <= truth + slack and truth - slack <= found.upper
    assert (found.upper - found.lower) * 2**bits <= 8 * abs(truth)
    exact = Fraction(2) ** (bits - 150)
    assert log2_interval(exact, 8) == Interval(Fraction(bits - 150), Fraction(bits - 150))


@given(st.fractions(Fraction(1, 1000), 1000, max_denominator=1000), places)
def test_log_of_an_interval_holds_the_logs_of_its_members(low: Fraction, part: Fraction) -> None:
    whole = log_of(Interval(low, low + 1))
    member = log_interval(low + part)
    assert whole.lower <= member.upper and member.lower <= whole.upper
    if 0 < part < 1:
        assert whole.lower < member.lower and member.upper < whole.upper


@given(
    st.fractions()
    | st.floats(allow_nan=False, allow_infinity=False).map(Fraction)
    | st.builds(lambda a, b: Fraction(a, b), st.integers(-9, 9), st.integers(10**300, 10**330))
)
def test_doubles_below_and_above_are_the_nearest(value: Fraction) -> None:
    low, high = float_below(value), float_above(value)
    assert Fraction(low) <= value <= Fraction(high)
    if Fraction(low) == value:
        assert low == high
    else:
        assert math.nextafter(low, math.inf) == high


def test_doubles_at_the_ends_of_their_range() -> None:
    huge = Fraction(10) ** 400
    largest = float.fromhex("0x1.fffffffffffffp+1023")
    assert (float_below(huge), float_above(huge)) == (largest, math.inf)
    assert (float_below(-huge), float_above(-huge)) == (-math.inf, -largest)
    assert float_above(1 / huge) == 5e-324 and float_below(1 / huge) == 0.0
    assert math.copysign(1, float_above(Fraction(0))) == 1


def test_only_rationals_become_intervals() -> None:
    assert as_interval(2) == Interval(Fraction(2), Fraction(2))
    assert as_interval(0.5) is None and as_interval("1") is None
    with pytest.raises(TypeError):
        Interval(Fraction(0), Fraction(1)) + 0.5
    with pytest.raises(InputError, match="lower <= upper"):
        Interval(Fraction(1), Fraction(0))
    assert Interval(Fraction(0), Fraction(0)).is_zero
    assert not Interval(Fraction(0), Fraction(1)).is_zero


@given(fractions | dyadics, st.sampled_from([53, 300]))
def test_a_rational_is_rounded_as_a_quotient_is(value: Fraction, precision: int) -> None:
    with mpmath.workprec(precision):
        assert to_mpf(value) == mpmath.mpf(value.numerator) / value.denominator
