"""Points of the log-moment's curve, and its ceilings between two of them, in high precision."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.log_moments as curves
from audit.channels.measures.log_moments import (
    Points,
    Rows,
    ceilings,
    fourth_cumulants,
    join,
    points,
)
from tests.audit.channels import slow_divergences as slow
from tests.synthesizers.brute_force import fraction

DIGITS = 60
BETAS = (0.0, 1e-6, 0.1, 1.0, 4.5, 60.0, 3000.0)

Row = list[Fraction]


@st.composite
def row_pairs(draw: st.DrawFn) -> tuple[Row, Row]:
    """Two rows of fractions that sum to 1; the first may have zeros that the second has not."""
    width = draw(st.integers(1, 5))
    weight = st.one_of(st.integers(0, 5), st.integers(1, 10**6))
    left = draw(st.lists(weight, min_size=width, max_size=width).filter(any))
    right = [
        value or draw(st.integers(0, 1))
        for value in draw(st.lists(st.integers(0, 1000), min_size=width, max_size=width))
    ]
    right = [max(b, 1) if a else b for a, b in zip(left, right, strict=True)]
    return [Fraction(a, sum(left)) for a in left], [Fraction(b, sum(right)) for b in right]


def rows_of(left: Row, right: Row, width: float = 0.0) -> Rows:
    centre = np.array([[float(p) for p in left], [float(q) for q in right]])
    slack = 2.0**-52 + width
    return Rows(centre * (1 - slack), centre * (1 + slack))


def at(rows: Rows, *betas: float) -> Points:
    none = np.zeros(1, np.int64)
    return join([points(rows, none, none + 1, np.array([beta])) for beta in betas])


def curve(left: Row, right: Row, alpha: mpmath.mpf) -> mpmath.mpf:
    """ln Σ P^α·Q^(1-α), at the precision in force."""
    return mpmath.log(
        slow.power_sum([fraction(p) for p in left], [fraction(q) for q in right], alpha)
    )


def slope(left: Row, right: Row, alpha: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The mean of the loss under the weights, and the fourth root of its fourth central moment."""
    pairs = [(fraction(p), fraction(q)) for p, q in zip(left, right, strict=True) if p]
    losses = [mpmath.log(p / q) for p, q in pairs]
    weights = [p * mpmath.exp((alpha - 1) * x) for (p, _), x in zip(pairs, losses, strict=True)]
    total = mpmath.fsum(weights)
    mean = mpmath.fsum(w * x for w, x in zip(weights, losses, strict=True)) / total
    fourth = mpmath.fsum(w * (x - mean) ** 4 for w, x in zip(weights, losses, strict=True)) / total
    return mean, fourth ** (mpmath.mpf(1) / 4)


@given(row_pairs(), st.sampled_from([0.0, 1e-12, 1e-3, 0.2]))
@settings(max_examples=60)
def test_points_enclose_value_slope_and_spread(pair: tuple[Row, Row], width: float) -> None:
    found = at(rows_of(*pair, width), *BETAS)
    low, high = found.ratios()
    with mpmath.workdps(DIGITS):
        for place, beta in enumerate(BETAS):
            alpha = 1 + mpmath.mpf(beta)
            value, (mean, root) = curve(*pair, alpha), slope(*pair, alpha)
            tiny = mpmath.mpf(10) ** -50
            assert found.low[place] - tiny <= value <= found.high[place] + tiny
            assert found.slope_low[place] - tiny <= mean <= found.slope_high[place] + tiny
            # The centre lies between the ends of the slope.
            near = max(mean - found.slope_low[place], found.slope_high[place] - mean)
            assert found.spread[place] + near >= root
            ratio = value / (alpha * (alpha - 1)) if beta else mean
            assert low[place] - tiny <= ratio <= high[place] + tiny
    if width <= 1e-12:
        assert (high - low <= 1e-7 * np.maximum(high, 1e-3)).all()


@given(
    row_pairs(),
    st.sampled_from([(a, b) for a in BETAS for b in BETAS if a < b]),
    st.sampled_from([0.0, 1e-3]),
)
@settings(max_examples=100)
def test_no_quotient_between_two_points_exceeds_the_ceiling(
    pair: tuple[Row, Row], betas: tuple[float, float], width: float
) -> None:
    found = at(rows_of(*pair, width), *betas)
    ceiling = float(ceilings(found.take(np.array([0])), found.take(np.array([1])))[0])
    with mpmath.workdps(DIGITS):
        first, last = map(mpmath.mpf, betas)
        for step in range(1, 10):
            beta = first + (last - first) * step / 10
            quotient = curve(*pair, 1 + beta) / (beta * (1 + beta))
            assert quotient <= ceiling + mpmath.mpf(10) ** -50


@pytest.mark.parametrize("rare", [6, 12, 25])
@pytest.mark.parametrize("betas", [(0.5, 1.5), (2.0, 8.0), (4.0, 6.0), (0.0, 60.0)])
def test_the_fourth_cumulant_has_a_ceiling(rare: int, betas: tuple[float, float]) -> None:
    # A rare output takes over somewhere: in between the loss has two values far apart, at the ends
    # all but one.
    share = Fraction(1, 2**rare)
    pair = [8 * share, 1 - 8 * share], [share, 1 - share]
    found = at(rows_of(*pair), *betas)
    left, right = found.take(np.array([0])), found.take(np.array([1]))
    ceiling = float(fourth_cumulants(left, right, right.beta - left.beta)[0])
    with mpmath.workdps(DIGITS):
        first, last = map(mpmath.mpf, betas)
        for step in range(41):
            _, root = slope(*pair, 1 + first + (last - first) * step / 40)
            assert root**4 <= ceiling


def test_a_flat_quotient_needs_few_points() -> None:
    # Normal chances: D_α/α is constant, 1/8, and the ceiling exceeds it by a multiple of the fourth
    # power of the width; a chord by one of the second.
    weights = [mpmath.exp(-mpmath.mpf(x * x) / 8) for x in range(-40, 41)]
    left = [Fraction(float(w)) for w in weights[1:]]
    right = [Fraction(float(w)) for w in weights[:-1]]
    left, right = [v / sum(left) for v in left], [v / sum(right) for v in right]
    rows, excess = rows_of(left, right), []
    for width in (0.1, 0.05):
        found = at(rows, 1.0, 1.0 + width)
        ceiling = ceilings(found.take(np.array([0])), found.take(np.array([1])))[0]
        excess.append(float(ceiling) - 0.125)
    # The fourth central moment of the loss, of variance 1/4, is 3/16; the cubic's error is at most
    # a 384th of it times width⁴, a 144th as a coefficient; α·(α - 1) is near 2.025·1.025.
    by_hand = 3 / 16 * 0.05**4 / 144 / (2.025 * 1.025)
    assert by_hand <= excess[1] <= 1.5 * by_hand
    assert 14 <= excess[0] / excess[1] <= 20


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    table = rng.dirichlet(np.ones(7), 6)
    rows = Rows(table * (1 - 1e-15), table * (1 + 1e-15))
    sources, targets = np.array([0, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 5])
    betas = np.array([0.5, 1.0, 2.0, 800.0, 3.0])
    whole = points(rows, sources, targets, betas)
    monkeypatch.setattr(curves, "CHUNK", 1)
    parts = points(rows, sources, targets, betas)
    for name in ("beta", "low", "high", "slope_low", "slope_high", "spread"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12)


def test_a_loss_without_bound_has_no_upper_ends() -> None:
    rows = Rows(np.array([[0.5, 0.5], [0.9, 0.0]]), np.array([[0.5, 0.5], [1.0, 0.1]]))
    found = at(rows, 0.0, 2.0)
    assert np.isinf(found.high[1])
    assert np.isinf(found.slope_high).all()
    assert np.isfinite(found.low).all()
    # Whatever the second chance is, up to 0.1: D is least at 0.1, where it is above ln(5)/2.
    assert found.low[1] > 0
    assert np.isinf(ceilings(found.take(np.array([0])), found.take(np.array([1])))).all()
