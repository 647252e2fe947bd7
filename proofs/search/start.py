"""Where to begin a search for an ε: the saddle-point estimate of a profile, in doubles.

Nothing here is certified; a bad start costs time and no truth.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from proofs.losses import Losses, ResponseLoss
from proofs.search.float_moments import log_moment
from synthesizers.intervals import log_interval

STEP = 1e-4
"""Relative step of the differences that stand for derivatives."""

ENDS = math.log(1e-3), math.log(1e6)
"""Logarithms of the orders that are looked at."""


def estimate_epsilon(losses: Losses, delta: Fraction) -> Fraction:
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

    # Here, not above: as in `proofs.search.float_moments.minimize`.
    from scipy.optimize import brentq

    with np.errstate(all="ignore"):
        try:
            saddle = brentq(lambda at: point(at)[1] - goal, *ENDS, xtol=1e-10)
            return Fraction(max(point(saddle)[0], 0.0))
        except (ValueError, ArithmeticError):
            return Fraction(0)
