"""Inequalities between the measures of a channel: each is computed apart from the others."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.channels.channel import Channel
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.gdp import gdp
from audit.channels.measures.profile import profile
from audit.channels.measures.renyi import renyi
from audit.channels.measures.tradeoff import tradeoff
from audit.channels.measures.zcdp import zcdp
from audit.statements.decimals import Enclosure
from synthesizers.exact import Exact
from tests.audit.channels.slow_measures import (
    DIGITS,
    Shape,
    channel_of_rows,
    fractions,
    ordered_pairs,
    power,
    rational_channels,
)
from tests.audit.channels.slow_tradeoff import gaussian_delta
from tests.synthesizers.brute_force import fraction, rational_near

F = Fraction
EPSILONS = (F(0), F(1, 3), F(1), F(5, 2))
ALPHAS = (F(0), F(1, 20), F(1, 3), F(1, 2), F(4, 5), F(1))
HAIR = F(1, 10**20)
ORDERS = (F(1), F(3, 2), F(2), F(5), F(100))


def shape_of(channel: Channel) -> Shape:
    return channel.neighbours, tuple(map(tuple, channel.databases.tolist()))


@st.composite
def stochastic_rows(draw: st.DrawFn, rows: int) -> list[list[Fraction]]:
    """A random matrix of fractions whose rows sum to 1."""
    width = draw(st.integers(1, 3))
    weights = st.lists(st.integers(0, 4), min_size=width, max_size=width).filter(any)
    lines = [draw(weights) for _ in range(rows)]
    return [[F(weight, sum(line)) for weight in line] for line in lines]


@st.composite
def processed_channels(draw: st.DrawFn) -> tuple[Channel, Channel]:
    """A channel, and what randomised post-processing of its outputs makes of it."""
    channel = draw(rational_channels())
    table = fractions(channel)
    step = draw(stochastic_rows(len(channel.outputs)))
    rows: list[list[Exact]] = [
        [
            sum((p * row[out] for p, row in zip(line, step, strict=True)), F(0))
            for out in range(len(step[0]))
        ]
        for line in table
    ]
    return channel, channel_of_rows(rows, shape_of(channel))


@st.composite
def mixed_channels(draw: st.DrawFn) -> tuple[Channel, Channel, Channel, Fraction]:
    """Two channels on the same databases and outputs, their mixture, and the first one's weight."""
    first = draw(rational_channels())
    width = len(first.outputs)
    line = st.lists(st.integers(0, 4), min_size=width, max_size=width).filter(any)
    rows = [
        [F(weight, sum(weights)) for weight in weights]
        for weights in (draw(line) for _ in first.databases)
    ]
    share = draw(st.sampled_from([F(1, 10), F(1, 2), F(2, 3)]))
    mixture: list[list[Exact]] = [
        [share * p + (1 - share) * q for p, q in zip(left, right, strict=True)]
        for left, right in zip(fractions(first), rows, strict=True)
    ]
    shape = shape_of(first)
    return first, channel_of_rows(rows, shape), channel_of_rows(mixture, shape), share


# -- trade-off function and privacy profile ---------------------------------------------------


@given(rational_channels(), st.sampled_from(EPSILONS))
@settings(max_examples=60)
def test_a_point_of_the_profile_is_a_line_below_the_tradeoff(
    channel: Channel, loss: Fraction
) -> None:
    # f(α) >= 1 - δ(ε) - e^ε·α (Dong, Roth & Su 2022, equation 5).
    curve = tradeoff(channel)
    with mpmath.workdps(DIGITS):
        factor = rational_near(power(loss))
    height = 1 - F(delta(channel, loss).enclosure.upper)
    touches = []
    for alpha in (*ALPHAS, *(alpha for alpha, _ in curve.lower)):
        above = F(curve.at(alpha).lower) - (height - factor * alpha)
        assert above >= -HAIR
        touches.append(above < HAIR)
    # δ is the least for which the line is below: it touches the curve in some breakpoint.
    assert any(touches)


@given(rational_channels())
@settings(max_examples=60)
def test_an_edge_of_the_tradeoff_is_a_point_of_the_profile(channel: Channel) -> None:
    table = fractions(channel)
    for (a0, b0), (a1, b1) in pairwise(tradeoff(channel).lower):
        steepness = (b0 - b1) / (a1 - a0)
        # 1 - δ is where the edge's line meets α = 0, δ the largest Σ (Q - t·P)₊.
        largest = F(0)
        for a, b in ordered_pairs(channel):
            terms = [max(q - steepness * p, F(0)) for p, q in zip(table[a], table[b], strict=True)]
            largest = max(largest, sum(terms, F(0)))
        assert b0 + steepness * a0 == 1 - largest


@given(rational_channels())
@settings(max_examples=40)
def test_the_profile_falls_and_is_convex_in_the_exponential(channel: Channel) -> None:
    points = profile(channel).points
    for (_, left), (_, right) in pairwise(points):
        assert right.lower <= left.upper
    for (e0, d0), (e1, d1), (e2, d2) in zip(points, points[1:], points[2:], strict=False):
        with mpmath.workdps(DIGITS):
            t0, t1, t2 = (power(e) for e in (e0, e1, e2))
            share = rational_near((t1 - t0) / (t2 - t0))
        chord = F(d0.upper) * (1 - share) + F(d2.upper) * share
        assert F(d1.lower) <= chord + HAIR


# -- μ and the others -------------------------------------------------------------------------


@given(rational_channels(), st.sampled_from(EPSILONS))
@settings(max_examples=60)
def test_mu_bounds_the_profile(channel: Channel, loss: Fraction) -> None:
    # μ-GDP is (ε, δ_μ(ε))-DP for every ε (Dong, Roth & Su 2022, Corollary 1).
    mu = gdp(channel).enclosure.upper
    if mu == math.inf:
        return
    found = delta(channel, loss).enclosure
    bound = gaussian_delta(F(mu), loss) if mu else mpmath.mpf(0)
    assert F(found.lower) <= rational_near(bound) + HAIR


@given(rational_channels())
@settings(max_examples=60)
def test_the_smallest_epsilon_bounds_mu(channel: Channel) -> None:
    # ε-DP: no easier to tell apart than randomised response, whose μ is 2Φ⁻¹(e^ε/(1 + e^ε)).
    pure, mu = epsilon(channel).enclosure.upper, gdp(channel).enclosure
    if isinstance(pure, float):
        assert mu.lower == math.inf
        return
    with mpmath.workdps(DIGITS):
        keep = 1 / (1 + mpmath.exp(-fraction(pure)))
        bound = 2 * mpmath.sqrt(2) * mpmath.erfinv(2 * keep - 1)
    assert F(mu.lower) <= rational_near(bound) + HAIR


@given(rational_channels())
@settings(max_examples=60)
def test_the_total_variation_bounds_mu_from_below(channel: Channel) -> None:
    # δ_μ(0) = 2Φ(μ/2) - 1 is no less than δ(0): μ >= 2Φ⁻¹((1 + δ(0))/2).
    mu, variation = gdp(channel).enclosure.upper, F(delta(channel, F(0)).enclosure.lower)
    if variation == 1:
        assert mu == math.inf
        return
    with mpmath.workdps(DIGITS):
        bound = 2 * mpmath.sqrt(2) * mpmath.erfinv(fraction(variation))
    assert mu == math.inf or F(mu) >= rational_near(bound) - HAIR


# -- post-processing and mixtures -------------------------------------------------------------


def at_most(left: Enclosure, right: Enclosure) -> bool:
    """Whether the ends leave it possible that the left value is no larger, but for a rounding."""
    return bool(left.lower <= right.upper or left.lower - right.upper < HAIR)


@given(processed_channels())
@settings(max_examples=60)
def test_post_processing_never_hurts(both: tuple[Channel, Channel]) -> None:
    before, after = both
    f, g = tradeoff(before), tradeoff(after)
    for alpha in (*ALPHAS, *(alpha for alpha, _ in g.lower)):
        assert g.at(alpha).upper >= f.at(alpha).lower
    assert at_most(gdp(after).enclosure, gdp(before).enclosure)
    for loss in EPSILONS:
        assert at_most(delta(after, loss).enclosure, delta(before, loss).enclosure)
    assert at_most(epsilon(after).enclosure, epsilon(before).enclosure)


@given(mixed_channels())
@settings(max_examples=60)
def test_a_mixture_is_no_worse_than_the_mean_or_the_worse_of_its_parts(
    parts: tuple[Channel, Channel, Channel, Fraction],
) -> None:
    left, right, mixture, share = parts
    for loss in EPSILONS:
        ends = [delta(part, loss).enclosure for part in (left, right, mixture)]
        mean = share * F(ends[0].upper) + (1 - share) * F(ends[1].upper)
        assert F(ends[2].lower) <= mean + HAIR
    worse = max(gdp(part).enclosure.upper for part in (left, right))
    mu = gdp(mixture).enclosure.lower
    assert mu <= worse or mu - worse < HAIR
    f, g, h = (tradeoff(part) for part in (left, right, mixture))
    for alpha, beta in h.lower:
        # A test's errors on the mixture are the means of its errors on the parts.
        assert beta >= min(
            share * f.at(a).lower + (1 - share) * g.at((alpha - share * a) / (1 - share)).lower
            for a in candidates(alpha, share, [x for x, _ in f.lower], [x for x, _ in g.lower])
        )


def candidates(
    alpha: Fraction, share: Fraction, first: list[Fraction], second: list[Fraction]
) -> list[Fraction]:
    """Where a piecewise-linear mean over the first part's α can be least."""
    places = [*first, *((alpha - (1 - share) * x) / share for x in second)]
    lowest, highest = max((alpha - (1 - share)) / share, F(0)), min(alpha / share, F(1))
    return [lowest, highest, *(x for x in places if lowest <= x <= highest)]


# -- Rényi divergences and ρ ------------------------------------------------------------------


def divergences(channel: Channel) -> list[Enclosure]:
    """The largest divergences at `ORDERS`."""
    return [renyi(channel, order).enclosure for order in ORDERS]


def rho_of(channel: Channel) -> Enclosure:
    return zcdp(channel).extreme.enclosure


@given(rational_channels())
@settings(max_examples=60)
def test_divergences_grow_with_the_order_up_to_epsilon(channel: Channel) -> None:
    found = [*divergences(channel), epsilon(channel).enclosure]
    for left, right in pairwise(found):
        assert at_most(left, right)


@given(rational_channels())
@settings(max_examples=60)
def test_epsilon_bounds_rho_and_rho_the_divergences(channel: Channel) -> None:
    # ε-DP is ε²/2-zCDP (Bun & Steinke 2016, Proposition 1.4), and D_α <= ε; ρ is the least with
    # D_α <= ρ·α, so at order 1 no less than the divergence of Kullback and Leibler.
    pure, rho = epsilon(channel).enclosure.upper, rho_of(channel)
    if isinstance(pure, float):
        assert rho.lower == math.inf
        return
    assert F(rho.lower) <= min(pure, pure * pure / 2) + HAIR
    for order, ends in zip(ORDERS, divergences(channel), strict=True):
        assert F(ends.lower) <= F(rho.upper) * order + HAIR


@given(rational_channels())
@settings(max_examples=40)
def test_the_total_variation_bounds_divergence_and_rho_from_below(channel: Channel) -> None:
    # Pinsker: Σ P·ln(P/Q) >= 2·TV², and TV is δ(0).
    variation = F(delta(channel, F(0)).enclosure.lower)
    for ends in (renyi(channel, F(1)).enclosure, rho_of(channel)):
        assert ends.upper == math.inf or F(ends.upper) >= 2 * variation**2 - HAIR


@given(rational_channels(), st.sampled_from([F(1, 10), F(1), F(3)]))
@settings(max_examples=60)
def test_rho_bounds_the_profile(channel: Channel, excess: Fraction) -> None:
    # ρ-zCDP is (ε, e^(-(ε - ρ)²/(4ρ)))-DP for every ε >= ρ (Bun & Steinke 2016, Lemma 3.5).
    rho = rho_of(channel).upper
    if rho == math.inf or rho == 0:
        return
    loss = (F(rho) + excess).limit_denominator(10**6) + F(1, 10**6)
    with mpmath.workdps(DIGITS):
        gap = fraction(loss - F(rho))
        bound = rational_near(mpmath.exp(-(gap**2) / (4 * fraction(F(rho)))))
    assert F(delta(channel, loss).enclosure.lower) <= bound + HAIR


@given(rational_channels(), st.sampled_from(ORDERS[1:]), st.sampled_from(EPSILONS))
@settings(max_examples=60)
def test_a_divergence_bounds_the_profile(channel: Channel, order: Fraction, loss: Fraction) -> None:
    # D_α <= D gives δ(ε) <= e^(-(α - 1)·(ε - D)) (Mironov 2017, Proposition 3).
    largest = renyi(channel, order).enclosure.upper
    if largest == math.inf:
        return
    with mpmath.workdps(DIGITS):
        bound = mpmath.exp(fraction((order - 1) * (F(largest) - loss)))
        assert F(delta(channel, loss).enclosure.lower) <= rational_near(bound) + HAIR


@given(rational_channels())
@settings(max_examples=40)
def test_mu_bounds_rho(channel: Channel) -> None:
    # No harder to tell apart than N(0, 1) and N(μ, 1), of which D_α is α·μ²/2: post-processing.
    mu = gdp(channel).enclosure.upper
    if mu == math.inf:
        return
    assert F(rho_of(channel).lower) <= F(mu) ** 2 / 2 + HAIR


@given(processed_channels())
@settings(max_examples=60)
def test_post_processing_never_raises_a_divergence_or_rho(both: tuple[Channel, Channel]) -> None:
    before, after = both
    for left, right in zip(divergences(after), divergences(before), strict=True):
        assert at_most(left, right)
    assert at_most(rho_of(after), rho_of(before))


@given(mixed_channels())
@settings(max_examples=60)
def test_a_mixture_has_no_larger_divergence_than_the_worse_of_its_parts(
    parts: tuple[Channel, Channel, Channel, Fraction],
) -> None:
    # D_α is jointly quasi-convex (van Erven & Harremoës 2014, Theorem 13), so ρ is too.
    left, right, mixture, _ = parts
    worse = [
        max(a.upper, b.upper) for a, b in zip(divergences(left), divergences(right), strict=True)
    ]
    for ends, most in zip(divergences(mixture), worse, strict=True):
        assert ends.lower <= most or ends.lower - most < HAIR
    most = max(rho_of(left).upper, rho_of(right).upper)
    least = rho_of(mixture).lower
    assert least <= most or least - most < HAIR
