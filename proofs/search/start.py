"""Where to begin a search for an ε: the saddle-point estimate of a profile, in doubles.

Nothing here is certified; a bad start costs time and no truth.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq

from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)

STEP = 1e-4
"""Relative step of the differences that stand for derivatives."""

MOST_ORDER = 1e6
"""The largest order that is looked at."""


def log_moment(loss: Loss, order: float) -> float:
    """ln E_P[e^(order·L)] in doubles, on the side of the larger tail; order > 0."""
    match loss:
        case GaussianLoss(mu_squared):
            return float(mu_squared) * (order + order * order) / 2
        case DiscreteGaussianLoss(variance, shift):
            return float(Fraction(shift * shift) / variance) * (order + order * order) / 2
        case LaplaceLoss(epsilon):
            e = float(epsilon)
            top = order * e + math.log((1 + order) / (1 + 2 * order))
            return float(np.logaddexp(top, -(1 + order) * e + math.log(order / (1 + 2 * order))))
        case ResponseLoss(epsilon):
            e = float(epsilon)
            both = np.logaddexp((1 + order) * e, -order * e)
            return float(both - np.logaddexp(e, 0.0))
        case DiscreteLaplaceLoss(rate, shift):
            losses = float(rate) * np.arange(-shift, shift + 1, 2)
            weights = -float(rate) * np.abs(np.arange(shift + 1) - shift).astype(float)
            ends = np.log(1 / (1 - math.exp(-float(rate))))
            weights[[0, -1]] += ends
            return float(np.logaddexp.reduce(weights + order * losses)) - float(
                np.logaddexp.reduce(weights)
            )
        case SampledGaussianLoss(fraction, mu_squared):
            mu = math.sqrt(mu_squared)
            x = np.linspace(-12, 12 + (1 + order) * mu, 4001)
            ratio = np.logaddexp(
                math.log1p(-float(fraction)), math.log(fraction) + mu * x - mu * mu / 2
            )
            terms = -x * x / 2 + (1 + order) * ratio
            return float(np.logaddexp.reduce(terms) + math.log((x[1] - x[0]) / math.sqrt(math.tau)))


def estimated_epsilon(losses: Losses, delta: Fraction) -> Fraction:
    """An ε near the smallest at a δ > 0; 0 where the losses tell nothing."""
    failure = sum(-count * math.log1p(-float(getattr(x, "delta", 0))) for count, x in losses)
    left = max(float(delta) - failure, 1e-300)

    def total(order: float) -> float:
        return sum(count * log_moment(loss, order) for count, loss in losses)

    def point(log_order: float) -> tuple[float, float]:
        """The ε whose saddle lies at an order, and the logarithm of its δ."""
        order = math.exp(log_order)
        step = order * STEP
        low, mid, high = total(order - step), total(order), total(order + step)
        slope, bend = (high - low) / (2 * step), max((high - 2 * mid + low) / step**2, 1e-300)
        epsilon = slope - 1 / order - 1 / (order + 1)
        curve = bend + 1 / order**2 + 1 / (order + 1) ** 2
        exponent = mid - order * epsilon - math.log(order * (order + 1))
        return epsilon, exponent - math.log(math.tau * curve) / 2

    goal = math.log(left)
    ends = math.log(1e-3), math.log(MOST_ORDER)
    with np.errstate(all="ignore"):
        try:
            saddle = brentq(lambda at: point(at)[1] - goal, *ends, xtol=1e-10)
        except (ValueError, OverflowError):
            return Fraction(0)
        return Fraction(max(point(saddle)[0], 0.0))
