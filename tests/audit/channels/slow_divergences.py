"""Rényi divergences and their supremum over orders, pair by pair in high precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath

from audit.channels.channel import Channel
from tests.audit.channels.slow_measures import DIGITS, numbers, ordered_pairs

Row = Sequence[mpmath.mpf]

STEPS = [mpmath.mpf(2) ** n for n in range(-10, 21)]
"""α - 1 of the orders that a supremum is first looked for among, a factor of 2 apart."""

NUDGES = [mpmath.mpf(2) ** (mpmath.mpf(n) / 8) for n in range(-4, 5)]
"""Factors to the orders in between."""


def power_sum(left: Row, right: Row, order: mpmath.mpf) -> mpmath.mpf:
    """Σ P^α·Q^(1-α)."""
    with mpmath.workdps(DIGITS):
        if any(p > 0 and q == 0 for p, q in zip(left, right, strict=True)):
            return mpmath.inf
        pairs = [(p, q) for p, q in zip(left, right, strict=True) if p > 0]
        return mpmath.fsum(p * mpmath.exp((order - 1) * mpmath.log(p / q)) for p, q in pairs)


def kullback(left: Row, right: Row) -> mpmath.mpf:
    """Σ P·ln(P/Q)."""
    with mpmath.workdps(DIGITS):
        if any(p > 0 and q == 0 for p, q in zip(left, right, strict=True)):
            return mpmath.inf
        pairs = [(p, q) for p, q in zip(left, right, strict=True) if p > 0]
        return mpmath.fsum(p * mpmath.log(p / q) for p, q in pairs)


def divergence(left: Row, right: Row, order: Fraction) -> mpmath.mpf:
    """D_α(P‖Q)."""
    if order == 1:
        return kullback(left, right)
    with mpmath.workdps(DIGITS):
        alpha = mpmath.mpf(order.numerator) / order.denominator
        return mpmath.log(power_sum(left, right, alpha)) / (alpha - 1)


def slow_renyi(channel: Channel, order: Fraction) -> mpmath.mpf:
    """The largest D_α over all ordered pairs."""
    table = numbers(channel)
    found = [divergence(table[a], table[b], order) for a, b in ordered_pairs(channel)]
    return max(found, default=mpmath.mpf(0))


def slow_zcdp(channel: Channel) -> mpmath.mpf:
    """The supremum of D_α/α over all ordered pairs and orders above 1, right to about 10^-15."""
    table = numbers(channel)
    found = [slow_rho(table[a], table[b]) for a, b in ordered_pairs(channel)]
    return max(found, default=mpmath.mpf(0))


def slow_rho(left: Row, right: Row) -> mpmath.mpf:
    """The same of one pair.

    The best of a grid, finer where it is within 2% of its top, with golden sections around it.
    """
    limit = kullback(left, right)
    if mpmath.isinf(limit):
        return limit
    with mpmath.workdps(DIGITS):
        last_digits = mpmath.mpf(10) ** (5 - DIGITS)
        if all(abs(p - q) <= p * last_digits for p, q in zip(left, right, strict=True)):
            return mpmath.mpf(0)
        losses = [(p, mpmath.log(p / q)) for p, q in zip(left, right, strict=True) if p > 0]

        def quotient(step: mpmath.mpf) -> mpmath.mpf:
            total = mpmath.fsum(p * mpmath.exp(step * loss) for p, loss in losses)
            return mpmath.log(total) / (step * (1 + step))

        coarse = [(quotient(step), step) for step in STEPS]
        top = max(coarse)[0] * mpmath.mpf("0.98")
        fine = [step * nudge for value, step in coarse if value >= top for nudge in NUDGES]
        best = max(fine, key=quotient)
        return max(limit, quotient(best), _peak(quotient, best * NUDGES[3], best * NUDGES[5]))


def _peak(
    function: Callable[[mpmath.mpf], mpmath.mpf], lower: mpmath.mpf, upper: mpmath.mpf
) -> mpmath.mpf:
    share = (mpmath.sqrt(5) - 1) / 2
    for _ in range(36):
        width = share * (upper - lower)
        left, right = upper - width, lower + width
        lower, upper = (left, upper) if function(left) < function(right) else (lower, right)
    return function((lower + upper) / 2)
