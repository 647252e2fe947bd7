"""The best single order of a Rényi guarantee at a δ."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath

from proofs.judgments import Dominated, Private
from proofs.kernel import Theorem, prove
from proofs.losses import SIDES, Losses, SampledGaussianLoss
from proofs.profiles.moments import log_moment as certified_moment
from proofs.search.decimals import rounded_up
from proofs.search.start import log_moment
from synthesizers.intervals import to_mpf

GOLDEN = (math.sqrt(5) - 1) / 2
STEPS = 60
LARGEST = 1e6
"""The largest order that is looked at (a choice of this project)."""


def converted(divergence: Fraction, order: Fraction, delta: Fraction) -> mpmath.mpf:
    """The ε of a divergence at an order (Canonne, Kamath & Steinke 2020, Proposition 12)."""
    a, d = to_mpf(order), to_mpf(divergence)
    gain = mpmath.log(1 / to_mpf(delta)) + a * mpmath.log1p(-1 / a) - mpmath.log(a - 1)
    return d + gain / (a - 1)


def best_order(divergence: Callable[[float], float], delta: Fraction, whole: bool) -> Fraction:
    """An order α > 1 near the best; a whole one where asked. ``divergence``: ε(α) in doubles."""
    wanted = -_log(delta)

    def value(place: float) -> float:
        order = 1 + math.exp(place)
        gain = wanted + order * math.log1p(-1 / order) - math.log(order - 1)
        return divergence(order) + gain / (order - 1)

    low, high = math.log(1e-3), math.log(LARGEST)
    for _ in range(STEPS):
        first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, second) if value(first) < value(second) else (first, high)
    order = 1 + math.exp((low + high) / 2)
    if not whole:
        return Fraction(order).limit_denominator(10**6)
    near = {max(2, math.floor(order)), max(2, math.ceil(order))}
    return Fraction(min(near, key=lambda at: value(math.log(at - 1))))


def renyi_theorem(pairs: Theorem, delta: Fraction) -> tuple[Theorem, Fraction, Fraction]:
    """The Rényi guarantee of dominating pairs at the best order: theorem, order, divergence."""
    judgment = pairs.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, Dominated)
    losses = judgment.guarantee.losses
    sampled = any(isinstance(loss, SampledGaussianLoss) for _, loss in losses)
    order = best_order(lambda at: _divergence(losses, at), delta, whole=sampled)
    divergence = renyi_value(losses, order)
    given = {"orders": [order], "epsilons": [divergence]}
    return prove("pair-to-renyi", [pairs], given), order, divergence


def renyi_value(losses: Losses, order: Fraction) -> Fraction:
    """A rational close above the Rényi divergence of a product of pairs at an order."""
    totals = [
        sum(
            (count * certified_moment(loss, order - 1, side).upper for count, loss in losses),
            Fraction(0),
        )
        for side in SIDES
    ]
    return rounded_up(max(totals) / (order - 1))


def _divergence(losses: Losses, order: float) -> float:
    return sum(count * log_moment(loss, order - 1) for count, loss in losses) / (order - 1)


def _log(value: Fraction) -> float:
    return float(mpmath.log(to_mpf(value)))
