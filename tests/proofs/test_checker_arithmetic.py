"""The checker's own exp, log, roots, π and Φ: each encloses the true value, tightly."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import checker
from proofs.checker import Interval, Rejected, Unaffordable

POINTS = 250
"""Random points for each function at each precision."""


def exact(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def encloses(found: Interval, value: mpmath.mpf, bits: int) -> bool:
    """Whether the value lies inside, and the relative width is about 2^-bits."""
    low, high = exact(found.low), exact(found.high)
    return low <= value <= high and high - low <= abs(value) * mpmath.ldexp(1, 4 - bits)


def scattered(seed: int, limit: int) -> list[Fraction]:
    """Fractions of many sizes and denominators, up to a limit."""
    source = random.Random(seed)
    found = []
    for _ in range(POINTS):
        bottom = source.randrange(1, 10 ** source.randrange(1, 25))
        top = source.randrange(1, 10 ** source.randrange(1, 25))
        value = Fraction(top, bottom)
        found.append(value if value <= limit else value / (value.numerator // value.denominator))
    return found


FUNCTIONS: dict[str, tuple[Callable[..., Interval], Callable[[mpmath.mpf], mpmath.mpf]]] = {
    "exp": (checker.exp, mpmath.exp),
    "exp of negatives": (lambda x, bits: checker.exp(-x, bits), lambda x: mpmath.exp(-x)),
    "log": (checker.log, mpmath.log),
    "log near 1": (
        lambda x, bits: checker.log(1 + 1 / (x + 1) ** 3, bits),
        lambda x: mpmath.log(1 + 1 / (x + 1) ** 3),
    ),
    "log below 1": (lambda x, bits: checker.log(1 / (x + 1), bits), lambda x: -mpmath.log(x + 1)),
    "sqrt": (checker.sqrt, mpmath.sqrt),
    "lower tail": (
        lambda x, bits: checker.normal(-x, bits),
        lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2,
    ),
    "upper half": (checker.normal, lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("bits", [64, 128])
def test_functions_enclose_what_mpmath_finds(name: str, bits: int) -> None:
    ours, theirs = FUNCTIONS[name]
    limit = 40 if name in ("lower tail", "upper half") else 500
    with mpmath.workprec(2000):
        for x in scattered(len(name), limit):
            assert encloses(ours(x, bits), theirs(exact(x)), bits), (name, x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_highest_precision_is_reached(name: str) -> None:
    ours, theirs = FUNCTIONS[name]
    bits = checker.PRECISIONS[-1]
    with mpmath.workprec(5000):
        for x in (Fraction(1, 3), Fraction(29, 4), Fraction(33, 4), Fraction(26), Fraction(31)):
            assert encloses(ours(x, bits), theirs(exact(x)), bits), (name, x)


def test_series_round_to_their_side_at_few_digits() -> None:
    # With so few places the last unit of every step counts.
    for places in range(3, 14):
        for top in range(1, 120):
            x = Fraction(top, 240)
            with mpmath.workprec(200):
                e = mpmath.exp(exact(x))
                low, high = (checker._exp(x, 0, places, up) for up in (False, True))
                assert exact(low) <= e <= exact(high), (places, x)
                low, high = (checker._exp(8 * x, 3, places, up) for up in (False, True))
                assert exact(low) <= e**8 <= exact(high), (places, x)
                z = Fraction(2, 3) * x
                found = checker._artanh(z, places)
                assert exact(found.low) <= mpmath.atanh(exact(z)) <= exact(found.high)
                t = 16 * x
                mills = mpmath.erf(exact(t) / mpmath.sqrt(2)) / 2 / mpmath.npdf(exact(t))
                low, high = (checker._odd_series(t, places, up) for up in (False, True))
                assert exact(low) <= mills <= exact(high), (places, t)


def test_the_end_of_a_fraction_without_end_is_enclosed() -> None:
    # At 8 bits the continued fraction is cut off early.
    with mpmath.workprec(300):
        for top in range(81, 400, 7):
            t = Fraction(top, 10)
            found = checker.normal(-t, 8)
            value = mpmath.erfc(exact(t) / mpmath.sqrt(2)) / 2
            assert exact(found.low) <= value <= exact(found.high)


def test_pi_is_enclosed() -> None:
    with mpmath.workprec(4000):
        for bits in (10, 64, 300, 1600):
            assert encloses(checker.pi(bits), +mpmath.pi, bits)


def test_special_points_are_exact() -> None:
    assert checker.exp(0, 64) == checker.interval(1)
    assert checker.log(1, 64) == checker.interval(0)
    assert checker.sqrt(Fraction(9, 4), 64) == checker.interval(Fraction(3, 2))
    assert checker.sqrt(0, 64) == checker.interval(0)
    assert checker.normal(0, 64) == checker.interval(Fraction(1, 2))


def test_far_out_ends_hold_and_costs_are_bounded() -> None:
    far = checker.exp(-(10**9), 64)
    assert far.low == 0 < far.high < Fraction(1, 10**10_000)
    tail = checker.normal(-(10**6), 64)
    assert tail.low >= 0 and 0 < tail.high < Fraction(1, 10**10_000)
    with pytest.raises(Unaffordable):
        checker.exp(10**9, 64)
    with pytest.raises(Rejected):
        checker.log(0, 64)
    with pytest.raises(Unaffordable):
        checker.Meter(10).spend(11)


RATIONALS = st.fractions(min_value=-50, max_value=50, max_denominator=10**6)


@given(RATIONALS, RATIONALS)
@settings(max_examples=60, deadline=None)
def test_functions_of_intervals_enclose_both_ends(first: Fraction, second: Fraction) -> None:
    ends = Interval(min(first, second), max(first, second))
    for function in (checker.exp, checker.normal):
        found = function(ends, 64)
        assert found.low <= function(ends.low, 64).low
        assert found.high >= function(ends.high, 64).high


@given(RATIONALS, RATIONALS, RATIONALS, RATIONALS)
@settings(max_examples=80, deadline=None)
def test_interval_operations_enclose(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    left, right = Interval(min(a, b), max(a, b)), Interval(min(c, d), max(c, d))
    for x in (left.low, left.high, (left.low + left.high) / 2):
        for y in (right.low, right.high, (2 * right.low + right.high) / 3):
            pairs = [(left + right, x + y), (left - right, x - y), (left * right, x * y)]
            if not right.low <= 0 <= right.high:
                pairs.append((left / right, x / y))
            for found, value in pairs:
                assert found.low <= value <= found.high
                cut = found.round_to(20)
                assert cut.low <= found.low and found.high <= cut.high


def test_rounding_moves_ends_outwards_by_little() -> None:
    for value in scattered(5, 10**9):
        for sign in (1, -1):
            found = checker.interval(sign * value).round_to(30)
            assert found.low <= sign * value <= found.high
            assert found.high - found.low <= value / 2**28
            assert found.low.numerator.bit_length() <= 32 or found.low.denominator == 1


def test_division_by_what_may_be_zero_is_left_open() -> None:
    with pytest.raises(Unaffordable):
        checker.interval(1) / Interval(Fraction(-1), Fraction(1))


def test_powers_enclose() -> None:
    for base in (Fraction(0), Fraction(1), Fraction(1, 3), 1 - Fraction(1, 10**9)):
        for count in (0, 1, 7, 1000, 10**5):
            found = checker.power(base, count, 128)
            with mpmath.workprec(4000):
                value = mpmath.power(exact(base), count)
                slack = value * mpmath.mpf(2) ** -3900
                assert exact(found.low) - slack <= value <= exact(found.high) + slack
    assert checker.power(1 - Fraction(1, 10**30), 10**9, 128).high < 1


def test_gaussian_deltas_are_those_of_the_references() -> None:
    table = [
        ("1", "0", "0.38292492254802621"),
        ("1", "1", "0.12693673750664395"),
        ("1", "5", "5.7937216919194941e-7"),
        ("2", "1/2", "0.052440323287669662"),
        ("1/2", "4", "0.084953318671071063"),
    ]
    for sigma, epsilon, delta in table:
        found = checker.interval(
            checker.gaussian_delta(1 / Fraction(sigma) ** 2, Fraction(epsilon), 128)
        )
        assert abs(found.high / Fraction(delta) - 1) < Fraction(1, 10**15)
        assert 0 <= found.high - found.low < Fraction(1, 10**30)


def outcomes(count: int, epsilon: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Chances and losses of ``count`` responses, by all their outcomes."""
    with mpmath.workprec(600):
        e = mpmath.exp(exact(epsilon))
        chances = [
            math.comb(count, i) * e ** (count - i) / (1 + e) ** count for i in range(count + 1)
        ]
    return [
        (Fraction(*map(int, mpmath.libmp.to_rational(chance._mpf_))), (count - 2 * i) * epsilon)
        for i, chance in enumerate(chances)
    ]


def all_but(delta: checker.Number, kept: Interval) -> Interval:
    """δ where nothing is known but for the chance ``kept``."""
    return 1 - kept * (1 - checker.interval(delta))


@pytest.mark.parametrize("leak", [Fraction(0), Fraction(1, 10**6)])
def test_deltas_of_responses_are_the_sums_over_all_outcomes(leak: Fraction) -> None:
    for count in (1, 2, 9):
        own = Fraction(1, 3)
        for epsilon in (Fraction(0), own, Fraction(3, 2), count * own, count * own + 1):
            with mpmath.workprec(600):
                apart = mpmath.fsum(
                    exact(chance) * (1 - mpmath.exp(exact(epsilon - loss)))
                    for chance, loss in outcomes(count, own)
                    if loss > epsilon
                )
                wanted = 1 - (1 - exact(leak)) ** count * (1 - apart)
                kept = checker.power(1 - leak, count, 128)
                meter = checker.Meter(10**15)
                found = all_but(checker.response_delta(meter, count, own, epsilon, 128), kept)
                slack = mpmath.mpf(2) ** -110
                assert exact(found.low) - slack <= wanted <= exact(found.high) + slack
                assert exact(found.high - found.low) < mpmath.mpf(2) ** -100
                responses = [(count, own)]
                mixed = all_but(checker.rounded_delta(meter, responses, epsilon, 8, 128), kept)
                assert exact(mixed.high) >= wanted - slack
                assert exact(mixed.high) <= wanted + 0.02


def test_an_optimal_composition_is_that_of_the_references() -> None:
    one = Fraction(1, 10)
    at = Fraction("4.7745675881079862")
    found = checker.interval(checker.response_delta(checker.Meter(), 100, one, at, 128))
    assert abs(found.high * 10**6 - 1) < Fraction(1, 10**13)


def test_moments_of_sampled_gaussians_are_bounded_at_few_bits() -> None:
    one = {"fraction": Fraction(1, 7), "mu_squared": Fraction(1, 3)}
    q, squared = Fraction(1, 7), mpmath.mpf(1) / 3
    for order in (2, 3, 9, 20):
        true = mpmath.log(
            mpmath.fsum(
                math.comb(order, j)
                * exact(q) ** j
                * exact(1 - q) ** (order - j)
                * mpmath.exp(j * (j - 1) * squared / 2)
                for j in range(order + 1)
            )
        )
        for bits in (5, 8, 128):
            assert exact(checker._sampled_moment(one, order, bits)) >= true * (1 - mpmath.eps * 99)
