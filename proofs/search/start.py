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
from synthesizers.intervals import log_interval

STEP = 1e-4
"""Relative step of the differences that stand for derivatives."""

ENDS = math.log(1e-3), math.log(1e6)
"""Logarithms of the orders that are looked at."""

POINTS = 4001
"""Points of an integral."""


def log_moment(loss: Loss, order: float) -> float:
    """ln E_P[e^(order·L)] in doubles, on the side of the larger tail; order > 0.

    Infinite losses are left out. Raises ArithmeticError or ValueError outside the doubles' range.
    """
    match loss:
        case GaussianLoss(mu_squared):
            return float(mu_squared) * (order + order * order) / 2
        case DiscreteGaussianLoss(variance, shift):
            return float(shift * shift / variance) * (order + order * order) / 2
        case LaplaceLoss(epsilon):
            e = float(epsilon)
            top = order * e + math.log((1 + order) / (1 + 2 * order))
            return float(np.logaddexp(top, -(1 + order) * e + math.log(order / (1 + 2 * order))))
        case ResponseLoss(epsilon):
            e = float(epsilon)
            both = np.logaddexp((1 + order) * e, -order * e)
            return float(both - np.logaddexp(e, 0.0))
        case DiscreteLaplaceLoss(rate, shift):
            return _discrete_laplace(float(rate), shift, order)
        case SampledGaussianLoss(fraction, mu_squared):
            return _sampled(float(fraction), math.sqrt(mu_squared), order)


def _discrete_laplace(rate: float, shift: int, order: float) -> float:
    """Three geometric series: of the integers up to 0, of those from ``shift`` on, and between."""
    if shift == 0:
        return 0.0
    step = (1 + 2 * order) * rate
    last = math.exp(-step * shift)
    between = math.expm1(-rate) / math.expm1(-step) * (math.exp(-step) - last)
    return order * rate * shift + math.log1p(last + between) - math.log1p(math.exp(-rate))


def _sampled(fraction: float, mu: float, order: float) -> float:
    x = np.linspace(-12, 12 + (1 + order) * mu, POINTS)
    ratio = np.logaddexp(math.log1p(-fraction), math.log(fraction) + mu * x - mu * mu / 2)
    terms = -x * x / 2 + (1 + order) * ratio
    return float(np.logaddexp.reduce(terms) + math.log((x[1] - x[0]) / math.sqrt(math.tau)))


def estimated_epsilon(losses: Losses, delta: Fraction) -> Fraction:
    """An ε near the smallest at a δ > 0; 0 where the losses tell nothing, or none is found."""
    failure = sum(
        (count * loss.delta for count, loss in losses if isinstance(loss, ResponseLoss)),
        Fraction(0),
    )
    goal = float(log_interval(delta - failure).upper) if delta > failure else -math.inf

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

    with np.errstate(all="ignore"):
        try:
            saddle = brentq(lambda at: point(at)[1] - goal, *ENDS, xtol=1e-10)
            return Fraction(max(point(saddle)[0], 0.0))
        except (ValueError, ArithmeticError):
            return Fraction(0)
