"""The normal law against its power series and its continued fraction, which know no erfc."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import synthesizers.normal as normal
from synthesizers.errors import InputError, TooLargeError
from synthesizers.intervals import Interval
from synthesizers.normal import MAX_DISTANCE, normal_cdf, normal_quantile
from tests.synthesizers.brute_force import rational_near

F = Fraction
DIGITS = 150


def density(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)


def slow_lower_tail(x: Fraction) -> Fraction:
    """Φ(x) to more than a hundred significant digits of the lower tail."""
    with mpmath.workdps(DIGITS):
        value = mpmath.mpf(x.numerator) / x.denominator
        if x < -12:
            # Laplace: Φ(-y) = φ(y)/(y + 1/(y + 2/(y + 3/...))); 2000 levels leave less than
            # 1e-150 of it from y = 12 on.
            y = rest = -value
            for level in range(2000, 0, -1):
                rest = y + level / rest
            return rational_near(density(y) / rest)
    with mpmath.workdps(2 * DIGITS):
        # Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …).
        value = mpmath.mpf(x.numerator) / x.denominator
        term = total = value
        odd = 1
        while abs(term) > mpmath.mpf(10) ** (-2 * DIGITS):
            odd += 2
            term *= value * value / odd
            total += term
        return rational_near(mpmath.mpf(1) / 2 + density(value) * total)


def test_the_two_slow_versions_agree_where_they_meet() -> None:
    series = slow_lower_tail(F(-12))
    fraction = slow_lower_tail(F(-12) - F(1, 10**200))
    assert abs(series - fraction) < series / 10**120


def holds(interval: Interval, truth: Fraction, digits: int = 100) -> bool:
    slack = abs(truth) / 10**digits
    return interval.lower <= truth + slack and truth - slack <= interval.upper


places = st.one_of(
    st.fractions(-40, 40, max_denominator=10**9),
    st.builds(lambda e, sign: sign * F(1, 10**e), st.integers(1, 60), st.sampled_from([-1, 1])),
)


@given(places, st.sampled_from([20, 53, 96, 200]))
@settings(max_examples=60)
def test_cdf_holds_the_truth(x: Fraction, bits: int) -> None:
    found, truth = normal_cdf(x, bits), slow_lower_tail(x)
    assert holds(found, truth)
    assert (found.upper - found.lower) * 2**bits <= 3 * truth
    assert found.lower >= 0 and found.upper <= 1


def test_cdf_at_its_known_points() -> None:
    assert normal_cdf(F(0), 96) == Interval(F(1, 2), F(1, 2))
    # Φ(1), to 20 digits, from tables of the error function.
    assert holds(normal_cdf(F(1), 96), F("0.84134474606854294859"), 19)
    both = normal_cdf(F(7, 3), 96), normal_cdf(F(-7, 3), 96)
    assert both[0].lower + both[1].lower <= 1 <= both[0].upper + both[1].upper


@pytest.mark.parametrize("x", [F(-MAX_DISTANCE), F(-300), F(-100) + F(1, 3)])
def test_cdf_keeps_its_relative_precision_far_out(x: Fraction) -> None:
    found = normal_cdf(x, 96)
    assert holds(found, slow_lower_tail(x))
    assert normal_cdf(-x, 96).upper == 1


def test_cdf_is_refused_where_its_ends_would_be_too_long() -> None:
    for x in (F(MAX_DISTANCE) + 1, F(-(10**9))):
        with pytest.raises(TooLargeError, match="deviations"):
            normal_cdf(x, 53)


probabilities = st.one_of(
    st.fractions(0, 1, max_denominator=10**12),
    st.builds(lambda e, m: F(m, 10**e), st.integers(2, 300), st.integers(1, 9)),
    st.builds(lambda e, m: 1 - F(m, 10**e), st.integers(2, 300), st.integers(1, 9)),
    st.builds(
        lambda e, sign: F(1, 2) + sign * F(1, 10**e), st.integers(1, 60), st.sampled_from([-1, 1])
    ),
).filter(lambda p: 0 < p < 1)


@given(probabilities, st.sampled_from([20, 53, 96, 160]))
@settings(max_examples=120)
def test_quantile_is_between_its_ends_and_they_are_close(p: Fraction, bits: int) -> None:
    found = normal_quantile(p, bits)
    assert normal_quantile(1 - p, bits) == -found
    if p > F(1, 2):
        p, found = 1 - p, -found
    below, above = slow_lower_tail(found.lower), slow_lower_tail(found.upper)
    assert below <= p * (1 + F(1, 10**100)) and p * (1 - F(1, 10**100)) <= above
    assert (found.upper - found.lower) * 2**bits <= 3 * abs(found.upper)


def test_quantile_at_its_known_points() -> None:
    assert normal_quantile(F(1, 2), 96) == Interval(F(0), F(0))
    # The 97.5 % point, to 20 digits, from tables of the normal law.
    assert holds(normal_quantile(F(975, 1000), 96), F("1.9599639845400542355"), 19)
    assert abs(float(normal_quantile(F(1, 10**300), 53).lower) + 37.0471) < 1e-4


@pytest.mark.parametrize("exponent", [302, 1000, 5000])
def test_quantile_of_probabilities_below_the_doubles(exponent: int) -> None:
    p = F(3, 10**exponent)
    found = normal_quantile(p, 64)
    assert slow_lower_tail(found.lower) <= p <= slow_lower_tail(found.upper)
    assert normal_quantile(1 - p, 64) == -found


@pytest.mark.parametrize("wrong", [F(1, 10**4), F(-1, 10**4), F(1, 10**25), F(-1, 10**25)])
def test_a_wrong_guess_costs_width_and_not_truth(
    monkeypatch: pytest.MonkeyPatch, wrong: Fraction
) -> None:
    guess = normal._guess
    monkeypatch.setattr(normal, "_guess", lambda p, *bits: guess(p, *bits) * (1 + wrong))
    for p in (F(1, 3), F(1, 10**9), F(1, 2) - F(1, 10**9)):
        found = normal_quantile.__wrapped__(p, 96)
        assert slow_lower_tail(found.lower) <= p <= slow_lower_tail(found.upper)
        assert found.upper - found.lower <= 8 * abs(wrong * found.lower)


def test_a_guess_of_zero_costs_width_and_not_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal, "_guess", lambda p, *bits: F(0))
    found = normal_quantile.__wrapped__(F(1, 3), 20)
    assert slow_lower_tail(found.lower) <= F(1, 3) <= slow_lower_tail(found.upper)
    assert found.upper - found.lower <= 4


def test_quantile_of_what_is_no_probability_is_refused() -> None:
    for p in (F(0), F(1), F(-1, 2), F(3, 2)):
        with pytest.raises(InputError, match="between 0 and 1"):
            normal_quantile(p, 53)
    with pytest.raises(TooLargeError, match="so small"):
        normal_quantile(F(1, 2**800_000), 53)
