"""Noise for a wanted guarantee. Untrusted: a theorem or an exact channel decides.

Each function is the inverse of the matching ``cost``; where a result would not
be rational it is rounded towards more noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from synthesizers.errors import InputError
from synthesizers.noise import require_positive
from synthesizers.queries import Sensitivity

EPSILONS = (Fraction(1, 10**4), Fraction(10**6))
"""The least and the largest epsilon that programs take: below, a private
number of records may be told as millions too many; beyond, nothing is hidden."""

LEAST_DELTA = Fraction(1, 10**100)
"""The least delta that programs take: far within what floats hold."""


def require_epsilon(epsilon: Fraction) -> None:
    """InputError unless an epsilon is positive and of a size that programs take."""
    least, most = EPSILONS
    if not least <= require_positive(epsilon, "epsilon") <= most:
        raise InputError(f"epsilon must be from {least} to {most}; choose one within")


def _require_sizes(epsilon: Fraction, delta: Fraction) -> None:
    require_epsilon(epsilon)
    if delta < LEAST_DELTA:
        raise InputError("delta must be at least 1e-100, or the noise pure: choose a larger one")


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


@lru_cache(maxsize=256)
def zcdp_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ, to nine digits, for which ρ-zCDP implies (ε, δ)-DP at its best order.

    Source: Canonne, Kamath & Steinke 2020, Corollary 13: δ is the least over α > 1 of
    exp((α - 1)(αρ - ε))·(1 - 1/α)^α/(α - 1). Raises InputError unless ε > 0 and 0 < δ < 1, of
    sizes that programs take.
    """
    # Here, as below: a process that runs a program without it would wait for it at its start.
    from scipy.optimize import brentq, minimize_scalar

    if not (epsilon > 0 and 0 < delta < 1):
        raise InputError("Gaussian noise needs epsilon > 0 and 0 < delta < 1")
    _require_sizes(epsilon, delta)
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


_DIGITS_OF_NOISE = 4
"""Digits after the point of a noise multiplier, rounded up: room enough for whoever proves it."""

LEAST_ROOM = 1.01
"""How far above the least provable epsilon a wanted one must be."""

_ORDERS = np.unique(np.geomspace(2, 1000, 120).astype(np.int64))
"""The whole orders at which moments are looked at."""


@lru_cache(maxsize=64)
def noise_multiplier(epsilon: Fraction, delta: Fraction, rate: Fraction, steps: int) -> Fraction:
    """The least σ/L2, rounded up, with which sampled Gaussian steps are (ε, δ)-DP by their moments.

    ``rate``: of the Poisson samples; ``steps``: how many. Source: Mironov, Talwar & Zhang 2019,
    section 3.3 (moments at whole orders); Canonne, Kamath & Steinke 2020, Proposition 12 (from an
    order to δ). Raises InputError unless ε > 0, 0 < δ < 1, 0 < rate < 1 and steps >= 1,
    and where no noise is enough: moments up to that order prove no smaller ε.
    """
    from scipy.optimize import brentq

    if not (epsilon > 0 and 0 < delta < 1 and 0 < rate < 1 and steps >= 1):
        raise InputError(
            "sampled Gaussian noise needs epsilon > 0, 0 < delta < 1, 0 < rate < 1 and steps >= 1"
        )
    _require_sizes(epsilon, delta)
    wanted, limit = math.log(delta), float(epsilon)
    least = min(_conversion(int(order), wanted) for order in _ORDERS)
    if limit <= LEAST_ROOM * least:
        raise InputError(
            f"at this delta, moments prove no epsilon below {LEAST_ROOM * least:.4f}, whatever the "
            "noise; choose a larger epsilon or delta"
        )

    def excess(log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        # Beyond, the terms of a moment have more digits than a proof writes.
        most = max(2.0, 150 * sigma)
        orders = _ORDERS[most >= _ORDERS]
        found = [
            _sampled_epsilon(int(order), float(rate), sigma, steps, wanted) for order in orders
        ]
        return min(found) - limit

    low, high = math.log(1 / 50), math.log(1 / 50)
    while excess(high) > 0:
        high += 1
    while excess(low) <= 0:
        low -= 1
    root = math.exp(brentq(excess, low, high, xtol=1e-12))
    scale = 10**_DIGITS_OF_NOISE
    return Fraction(math.ceil(root * (1 + 1e-9) * scale), scale)


def _sampled_epsilon(order: int, rate: float, sigma: float, steps: int, log_delta: float) -> float:
    """The ε at a δ that the moment of one whole order gives."""
    from scipy.special import gammaln, logsumexp

    k = np.arange(order + 1)
    ways = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    chances = (order - k) * math.log1p(-rate) + k * math.log(rate)
    moment = float(logsumexp(ways + chances + k * (k - 1) / (2 * sigma * sigma)))
    return steps * moment / (order - 1) + _conversion(order, log_delta)


def _conversion(order: int, log_delta: float) -> float:
    """What the ε at a δ is more than the Renyi divergence of an order."""
    gain = order * math.log1p(-1 / order) - math.log(order - 1) - log_delta
    return gain / (order - 1)
