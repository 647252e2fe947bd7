"""What a claim says in the language of (ε, δ): its profile, rounded up.

A claim of μ, ρ or ε(α) implies a pair (ε, δ) for each ε. It is tested by these, and never the other
way: what was found of (ε, δ) is no bound of μ.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

Array = NDArray[np.float64]

SLACK = 1e-9
"""Relative margin of δ for the rounding of doubles (some thousand times what the formulas lose)."""

LEAST = 1e-300
"""The smallest δ that is told apart from 0, and stands for all below it that are not."""

LARGEST = Fraction(10**6)
"""The largest Rényi order that is converted (those beyond gain less than 1e-5 of ε)."""

ORDERS = 1 + np.exp2(np.arange(-24, 49) / 4)
"""Rényi orders at which ρ is converted, each of which is sound."""


def bound_deltas(guarantee: Guarantee, value: float, epsilons: Array) -> Array:
    """For each ε a δ, such that the mechanism is (ε, δ)-DP; ``value``: of the claim's parameter.

    Guarantee
    ---------
    A mechanism that satisfies the guarantee with this value of its parameter is (ε, δ)-DP with
    each pair. (ε, δ): its own δ from its ε on, and 1 below. GDP: Dong, Roth & Su (2022), Corollary
    1. RDP: Canonne, Kamath & Steinke (2020), Proposition 12; ρ: the same at the best of `ORDERS`.
    Backed by ``tests/audit/auditors/one_run/test_profiles.py``.
    """
    match guarantee:
        case ApproxDP(delta=delta):
            own = math.nextafter(float(delta), 1.0) if delta else 0.0
            return np.asarray(np.where(epsilons >= value, own, 1.0))
        case GaussianDP():
            return _gaussian(value, epsilons)
        case ZCDP():
            divergences = value * (1 + SLACK) * ORDERS
            return np.asarray(_conversion(divergences, ORDERS, epsilons[:, None]).min(axis=-1))
        case RenyiDP(alpha=alpha):
            # What holds of an order holds of those below it; near 1 nothing follows.
            order = math.nextafter(float(min(alpha, LARGEST)), 1.0)
            if order <= 1:
                return np.ones_like(epsilons)
            return _conversion(np.array(value), np.array(order), epsilons)


def _gaussian(mu: float, epsilons: Array) -> Array:
    if mu == 0:
        return np.zeros_like(epsilons)
    near, far = mu / 2 - epsilons / mu, -mu / 2 - epsilons / mu
    # Φ(near) - e^ε Φ(far) by its ratio, in which little cancels.
    share = -np.expm1(np.minimum(epsilons + log_ndtr(far) - log_ndtr(near), 0.0))
    return np.clip(ndtr(near) * (share * (1 + SLACK) + SLACK / 1000), LEAST, 1.0)


def _conversion(divergences: Array, orders: Array, epsilons: Array) -> Array:
    """The δ of a Rényi divergence: e^((α-1)(D-ε)) (1-1/α)^(α-1) / α."""
    exponents = (orders - 1) * (divergences - epsilons + np.log1p(-1 / orders)) - np.log(orders)
    # A large order makes a small error of the difference large.
    exponents += 1e-15 * orders * (np.abs(divergences) + np.abs(epsilons) + 1)
    return np.asarray(np.clip(np.exp(np.minimum(exponents, 0.0)) * (1 + SLACK), LEAST, 1.0))


def find_width(guarantee: Guarantee, value: float) -> float:
    """How far the privacy loss spreads, of a Gaussian that uses the claim up; 0 of (ε, δ)."""
    match guarantee:
        case ApproxDP():
            return 0.0
        case GaussianDP():
            return value
        case ZCDP():
            return math.sqrt(2 * value)
        case RenyiDP(alpha=alpha):
            return math.sqrt(2 * value / float(alpha))
