"""The best single order of a Rényi guarantee at a δ, or at an ε."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath

from proofs.entries import Entries, RenyiCurve
from proofs.losses import AllocationLoss, FixedSizeLoss, SampledGaussianLoss, sides
from proofs.profiles.entry_moments import divergence, total
from proofs.search.decimals import rounded_up
from proofs.search.float_moments import entry_moment
from synthesizers.intervals import round_down, to_mpf

GOLDEN = (math.sqrt(5) - 1) / 2
STEPS = 80
"""Steps of a search for an order: the interval shrinks by `GOLDEN` in each."""

ENDS = math.log(1e-9), math.log(1e9)
"""Logarithms of the orders less one that are looked at."""

MOST_SAMPLED = 1000
"""The largest order of sampled losses: the checker's own limit."""

MOST_POWER = 40_000
"""The most that μ² times a sampled loss's order squared is, and twice the bits of its rate times
the order: so long are the terms of its moments."""

MOST_ALLOCATED = 120
"""The largest order less one of an allocation: its moments cost the square of it."""

Secret = SampledGaussianLoss | AllocationLoss | FixedSizeLoss
"""The losses of secret samples."""

BITS = 20
"""Significant bits of an order less one."""


def convert(divergence: Fraction, order: Fraction, delta: Fraction) -> mpmath.mpf:
    """The ε of a divergence at an order (Canonne, Kamath & Steinke 2020, Proposition 12)."""
    a, d = to_mpf(order), to_mpf(divergence)
    gain = mpmath.log(1 / to_mpf(delta)) + a * mpmath.log1p(-1 / a) - mpmath.log(a - 1)
    return d + gain / (a - 1)


def convert_to_delta(divergence: Fraction, order: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """The δ of a divergence at an order, the inverse of `convert`."""
    a, d = to_mpf(order), to_mpf(divergence)
    power = (a - 1) * (d - to_mpf(epsilon)) + a * mpmath.log1p(-1 / a) - mpmath.log(a - 1)
    return mpmath.exp(power)


def least_order(value: Callable[[float], float]) -> Fraction:
    """An order α > 1 near the one at which a value is least, if it has one valley."""
    low, high = ENDS
    for _ in range(STEPS):
        first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        less = value(1 + math.exp(first)) < value(1 + math.exp(second))
        low, high = (low, second) if less else (first, high)
    return 1 + round_down(Fraction(math.exp((low + high) / 2)), BITS)


def best_order(divergence: Callable[[float], float], delta: Fraction) -> Fraction:
    """An order α > 1 near the best at a δ; ``divergence``: ε(α) in doubles."""
    wanted = -_log(delta)

    def value(order: float) -> float:
        gain = wanted + order * math.log1p(-1 / order) - math.log(order - 1)
        return divergence(order) + gain / (order - 1)

    return least_order(value)


def best_order_at(divergence: Callable[[float], float], epsilon: Fraction) -> Fraction:
    """An order α > 1 near the best at an ε; ``divergence``: ε(α) in doubles."""
    at = float(epsilon)

    def value(order: float) -> float:
        gain = order * math.log1p(-1 / order) - math.log(order - 1)
        return (order - 1) * (divergence(order) - at) + gain

    return least_order(value)


def best_moment(entries: Entries, delta: Fraction) -> tuple[Fraction, Fraction]:
    """The order at which the losses' Rényi divergences are worth most at a δ, and their sum."""
    orders = known_orders(entries, best_order(lambda at: float_divergence(entries, at), delta))
    found = [(renyi_value(entries, order), order) for order in orders]
    divergence, order = min(found, key=lambda point: convert(point[0], point[1], delta))
    return order, divergence


def known_orders(entries: Entries, order: Fraction) -> list[Fraction]:
    """The orders near one at which the divergences of some losses are known well."""
    orders = [order]
    sampled = [entry for _, entry in entries if isinstance(entry, Secret)]
    if sampled:
        # Between whole orders their moments are known by convexity alone.
        near = min(math.floor(order), *map(_most_order, sampled))
        orders = [Fraction(max(2, at)) for at in (near, near + 1)]
    curves = [entry for _, entry in entries if isinstance(entry, RenyiCurve)]
    if curves:
        # Between listed orders a curve has the value of the next one.
        shared = set.intersection(*({order for order, _ in curve.points} for curve in curves))
        orders = sorted(shared) or orders
    return orders


def _most_order(loss: Secret) -> int:
    """The largest order less one at which a sampled loss is asked about."""
    if isinstance(loss, AllocationLoss):
        return min(MOST_ALLOCATED, math.isqrt(math.floor(MOST_POWER / loss.mu_squared)))
    by_rate = MOST_POWER // (2 * loss.fraction.denominator.bit_length())
    by_noise = math.isqrt(math.floor(MOST_POWER / loss.mu_squared))
    return min(MOST_SAMPLED - 1, by_rate, by_noise)


def renyi_value(entries: Entries, order: Fraction) -> Fraction:
    """A rational close above the Rényi divergence of some losses at an order, leaks apart."""
    totals = [
        total((count, divergence(entry, order - 1, side)) for count, entry in entries).upper
        for side in sides(entries)
    ]
    return rounded_up(max(totals) / (order - 1))


def float_divergence(entries: Entries, order: float) -> float:
    """The Rényi divergence of some losses at an order, in doubles."""
    return sum(count * entry_moment(entry, order - 1) for count, entry in entries) / (order - 1)


def _log(value: Fraction) -> float:
    return float(mpmath.log(to_mpf(value)))
