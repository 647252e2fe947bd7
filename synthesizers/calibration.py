"""Noise for a wanted guarantee. Untrusted: a theorem or an exact channel decides.

Each function is the inverse of the matching ``cost``; where a result would not
be rational it is rounded towards more noise.
"""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.optimize import brentq, minimize_scalar

from synthesizers.errors import InputError
from synthesizers.queries import Sensitivity


def laplace_scale(epsilon: Fraction, sensitivity: Sensitivity) -> Fraction:
    """Scale L1/ε of discrete or rounded Laplace noise."""
    return Fraction(sensitivity.l1) / epsilon


def gaussian_variance(rho: Fraction, sensitivity: Sensitivity) -> Fraction:
    """Variance L2²/(2ρ) of discrete Gaussian noise for ρ-zCDP."""
    return Fraction(sensitivity.l2_squared) / (2 * rho)


def exponential_rate(epsilon: Fraction, sensitivity: Sensitivity) -> Fraction:
    """Rate ε/(2·L∞) of an exponential mechanism, or ε/L∞ for monotone scores."""
    return epsilon * Fraction(1, (1 if sensitivity.monotone else 2) * sensitivity.linf)


_KEPT_DIGITS = 9
"""Digits of a ρ: what is cut off leaves room for the rounding of whoever proves it."""


def zcdp_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ, to nine digits, for which ρ-zCDP implies (ε, δ)-DP at its best order.

    Source: Canonne, Kamath & Steinke 2020, Corollary 13: δ is the least over α > 1 of
    exp((α - 1)(αρ - ε))·(1 - 1/α)^α/(α - 1). Raises InputError unless ε > 0 and 0 < δ < 1.
    """
    if not (epsilon > 0 and 0 < delta < 1):
        raise InputError("Gaussian noise needs epsilon > 0 and 0 < delta < 1")
    wanted, limit = math.log(delta), float(epsilon)

    def excess(log_rho: float) -> float:
        rho = math.exp(log_rho)

        def log_delta(log_order: float) -> float:
            order = 1 + math.exp(log_order)
            growth = (order - 1) * (order * rho - limit)
            return growth + order * math.log1p(-1 / order) - math.log(order - 1)

        # The best order of the simple conversion is near; the curve is convex around it.
        near = math.log(max((limit + rho) / (2 * rho) - 1, 1e-6))
        return float(minimize_scalar(log_delta, bounds=(near - 5, near + 5)).fun) - wanted

    # ε²/(4(ln(1/δ) + ε)) always suffices (Bun & Steinke 2016), and ρ >= ε + ln(1/δ) never does.
    low = limit * limit / (4 * (limit - wanted)) * 1e-3
    root = brentq(excess, math.log(low), math.log(limit - wanted + 1), xtol=1e-14)
    digits = _KEPT_DIGITS - 1 - math.floor(root / math.log(10))
    scale = Fraction(10) ** digits
    return math.floor(Fraction(math.exp(root)) * (1 - Fraction(1, 10**8)) * scale) / scale
