"""Sums behind the log-moments against high precision, over boxes and blurred doubles."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.measures.losses import Corner, Losses, ways
from audit.channels.measures.moments import (
    STEEP,
    Sums,
    bound_spread,
    divergence_sums,
    divergences,
    log_moment,
    slope_sums,
    tilt_losses,
)
from tests.synthesizers.brute_force import DIGITS, fraction

BETAS = (0.0, 1e-9, 1e-3, 0.5, 1.0, 7.0, 99.0, 5000.0, 1e6)

# Chances of all sizes, tiny ones among them; nothing here needs them to sum to 1.
chances = st.one_of(
    st.floats(1e-3, 1),
    st.builds(lambda power: 10.0**power, st.integers(-300, 0)),
    st.sampled_from([0.5, 0.5 + 2.0**-50, 0.0]),
)
rows = st.lists(
    st.tuples(chances, chances).filter(lambda pair: pair[1] > 0), min_size=1, max_size=5
)


def true_sums(
    pairs: Sequence[tuple[mpmath.mpf, mpmath.mpf]], beta: float
) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Σt and Σs by their definitions."""
    t, s, b = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(beta)
    for p, q in pairs:
        if p == 0:
            t, s = t + q, s + q
            continue
        loss = mpmath.log(p / q)
        t += (p * mpmath.expm1(b * loss) / b if b else p * loss) - (p - q)
        s += p * mpmath.exp(b * loss) * loss - (p - q)
    return t, s


def holds(low: float, high: float, truth: mpmath.mpf, shift: float) -> bool:
    """Whether scaled ends hold a number, up to the rounding of a few additions."""
    scaled = truth * mpmath.exp(-mpmath.mpf(shift))
    slack = 32 * UNIT_ROUNDOFF
    return bool(low * (1 - slack) <= scaled <= high * (1 + slack))


def check(losses: Losses, beta: float, pairs: Sequence[tuple[mpmath.mpf, mpmath.mpf]]) -> None:
    betas = np.array([beta])
    tilt = tilt_losses(losses, betas)
    sums, slopes = divergence_sums(losses, tilt), slope_sums(losses, tilt)
    shift = float(tilt.shift[0])
    with mpmath.workdps(DIGITS):
        t, s = true_sums(pairs, beta)
        assert holds(sums.low[0], sums.high[0], t, shift)
        assert holds(slopes.low[0], slopes.high[0], s, shift)


@given(rows, st.sampled_from(BETAS))
@settings(max_examples=150)
def test_sums_of_doubles(pairs: list[tuple[float, float]], beta: float) -> None:
    check_doubles(pairs, beta)


def check_doubles(pairs: Sequence[tuple[float, float]], beta: float) -> None:
    """By one double a chance, and by two corners that are the same."""
    p, q = (np.array([side]) for side in zip(*pairs, strict=True))
    corner = Corner.of(p, q)
    exact = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in pairs]
    check(next(ways(corner, corner, 0.0)), beta, exact)
    check(next(ways(corner, Corner.of(p, q), 0.0)), beta, exact)


@pytest.mark.parametrize("beta", [0.7, 3.0])
def test_differences_below_the_normal_doubles(beta: float) -> None:
    p, step = 2.0**-1020, 2.0**-20
    pairs = [(p, p * (1 + n * step)) for n in (1, 3, 7, 11)]
    check_doubles(pairs, beta)


def test_a_steep_output_of_no_account_leaves_the_others_their_rounding() -> None:
    # βℓ is 610 on the last output, and P·e^(βℓ) is e^-80; Σt is next to nothing.
    equal = [(0.3, 0.3), (0.1, 0.1), (0.6, 0.6)]
    check_doubles([*equal, (1e-300, 1e-301)], 265.0)


@given(rows, st.sampled_from(BETAS), st.lists(st.booleans(), min_size=10, max_size=10))
@settings(max_examples=100)
def test_sums_of_blurred_doubles(
    pairs: list[tuple[float, float]], beta: float, signs: list[bool]
) -> None:
    blur = 0.9e-6 / (1 + beta)
    p, q = (np.array([side]) for side in zip(*pairs, strict=True))
    corner = Corner.of(p, q)
    moves = [1 + (1 if sign else -1) * Fraction(blur) for sign in signs]
    with mpmath.workdps(DIGITS):
        moved = [
            (fraction(Fraction(a) * moves[2 * n]), fraction(Fraction(b) * moves[2 * n + 1]))
            for n, (a, b) in enumerate(pairs)
        ]
    check(next(ways(corner, corner, blur)), beta, moved)


@given(
    st.lists(
        st.tuples(st.floats(1e-6, 1), st.floats(1e-6, 1), st.floats(0, 1), st.floats(0, 1)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(BETAS),
    st.floats(0, 1),
)
@settings(max_examples=100)
def test_sums_over_boxes(
    boxes: list[tuple[float, float, float, float]], beta: float, width: float
) -> None:
    # The true chances lie anywhere in the boxes, at their corners among others.
    ends = [(a, a * (1 + width), b, b * (1 + width)) for a, b, _, _ in boxes]
    p_low, p_high, q_low, q_high = (np.array([side]) for side in zip(*ends, strict=True))
    losses = next(ways(Corner.of(p_low, q_high), Corner.of(p_high, q_low), 0.0))
    with mpmath.workdps(DIGITS):
        inside = [
            (
                fraction(Fraction(a) + (Fraction(b) - Fraction(a)) * Fraction(x)),
                fraction(Fraction(c) + (Fraction(d) - Fraction(c)) * Fraction(y)),
            )
            for (a, b, c, d), (_, _, x, y) in zip(ends, boxes, strict=True)
        ]
    check(losses, beta, inside)


@given(rows, st.sampled_from(BETAS))
def test_the_spread_is_a_ceiling(pairs: list[tuple[float, float]], beta: float) -> None:
    p, q = (np.array([side]) for side in zip(*pairs, strict=True))
    corner = Corner.of(p, q)
    losses = next(ways(corner, corner, 0.0))
    tilt = tilt_losses(losses, np.array([beta]))
    with mpmath.workdps(DIGITS):
        exact = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in pairs if a > 0]
        weights = [a * mpmath.exp(beta * mpmath.log(a / b)) for a, b in exact]
        if not weights:
            return
        total = mpmath.fsum(weights)
        scaled = float(total * mpmath.exp(-tilt.shift[0])) * (1 - 1e-12)
        for centre in (-3.0, 0.0, 2.5):
            found = bound_spread(losses, tilt, np.array([centre]), np.array([scaled]))[0]
            away = [(mpmath.log(a / b) - centre) ** 4 for a, b in exact]
            fourth = mpmath.fsum(w * d for w, d in zip(weights, away, strict=True))
            truth = (fourth / total) ** (mpmath.mpf(1) / 4)
            assert found >= truth
            # Rows that sum to 1 have a total of at least 1.
            if total > 0.1 and truth > 0.1:
                assert found <= truth * 1.02


def test_small_losses_keep_their_digits() -> None:
    # Losses near 2^-30: the sum itself is near 2^-61, and still known to three digits.
    step = 2.0**-30
    p, q = np.array([[0.5 + step, 0.5 - step]]), np.array([[0.5, 0.5]])
    corner = Corner.of(p, q)
    losses = next(ways(corner, corner, 0.0))
    for beta in (1e-9, 1.0, 50.0):
        sums = divergence_sums(losses, tilt_losses(losses, np.array([beta])))
        assert sums.high[0] - sums.low[0] <= 2e-4 * sums.high[0]
        # Σt is (1 + β)·2·step² to first order.
        assert sums.high[0] == pytest.approx((1 + beta) * 2 * step**2, rel=1e-3)


def test_log_moments_and_divergences_of_sums() -> None:
    beta, shift = np.array([2.0, 2.0, 2.0]), np.array([0.0, 0.0, 900.0])
    sums = Sums(np.array([0.0, 3.0, 1.0]), np.array([1e-12, 3.0, 1.0]))
    found = log_moment(sums, beta, shift, 10)
    with mpmath.workdps(40):
        truth = [
            (mpmath.mpf(0), mpmath.log1p(mpmath.mpf(2e-12))),
            (mpmath.log(7), mpmath.log(7)),
            (900 + mpmath.log(2), 900 + mpmath.log(2)),
        ]
        for place, (low, high) in enumerate(truth):
            assert found.low[place] <= low
            assert high <= found.high[place] <= high * (1 + mpmath.mpf("1e-13"))
            assert found.low[place] >= low * (1 - mpmath.mpf("1e-13"))
            halved = divergences(sums, beta, shift, 10)
            assert halved.low[place] <= low / 2
            assert halved.high[place] >= high / 2
    none = np.zeros(3)
    flat = divergences(sums, none, none, 10)
    assert (flat.low <= sums.low).all()
    assert (flat.high >= sums.high).all()


@pytest.mark.parametrize("shift", [0.0, 0.25, 30.0, 800.0])
def test_the_rounding_of_logarithms_is_counted(shift: float) -> None:
    values = np.exp(np.random.default_rng(8).uniform(20, 300, 200))
    one = np.ones(200)
    found = log_moment(Sums(values, values), one, one * shift, 0)
    with mpmath.workdps(60):
        for place, value in enumerate(values.tolist()):
            truth = mpmath.log(1 + mpmath.mpf(value) * mpmath.exp(mpmath.mpf(shift)))
            assert found.low[place] <= truth <= found.high[place]


def test_nothing_is_known_of_an_endless_sum_or_one_that_is_lost() -> None:
    one = np.array([1.0])
    endless = log_moment(Sums(np.array([2.0]), np.array([np.inf])), one, np.zeros(1), 3)
    assert np.isfinite(endless.low).all()
    assert np.isinf(endless.high).all()
    lost = log_moment(Sums(np.array([-1.0]), np.array([0.0])), one, np.array([800.0]), 3)
    assert lost.low.tolist() == [0.0]
    assert np.isinf(lost.high).all()


def test_steep_and_plain_sums_agree_where_they_meet() -> None:
    p, q = np.array([[0.9, 0.1]]), np.array([[0.9 * np.exp(-3.0), 1 - 0.9 * np.exp(-3.0)]])
    corner = Corner.of(p, q)
    losses = next(ways(corner, corner, 0.0))
    edge = STEEP / float(losses.top[0])
    found = []
    for beta in (edge * (1 - 1e-9), edge * (1 + 1e-9)):
        tilt = tilt_losses(losses, np.array([beta]))
        ends = log_moment(divergence_sums(losses, tilt), np.array([beta]), tilt.shift, 2)
        assert ends.high[0] - ends.low[0] < 1e-9
        found.append(ends)
        assert (tilt.shift[0] > 0) == (beta > edge)
    assert abs(found[0].low[0] - found[1].low[0]) < 1e-5
