"""Moments of a Gaussian on a sample of a fixed size, one record of which is replaced.

With r = 1 - q + q·w, w = e^(μx - μ²/2), and all integrals over x > μ/2 with the density of N(0, 1),
the moment of an order c is that of three parts: ∫ r^(1+c), where the loss is ln r; ∫ r^-c, where
it is -ln r; and 1 - ∫ r - ∫ 1, where it is 0. As ∫ w^j = e^(μ²j(j-1)/2)·Φ(jμ - μ/2), the first is a
binomial sum at an integer 1 + c. As r >= 1 there, Taylor's polynomial of an even degree in
y = q(w - 1) bounds r^-c = (1 + y)^-c from above.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from proofs.errors import ProofError
from proofs.losses import FixedSizeLoss
from synthesizers.intervals import Interval, exp_interval, log_of
from synthesizers.normal import normal_cdf

MAX_ORDER = 1 << 9
"""The largest order: it costs a term each."""

MAX_DEGREE = 12
"""The largest degree of a Taylor polynomial."""

BITS = 192


def fixed_size_moment(loss: FixedSizeLoss, order: Fraction) -> Interval:
    """ln E_P[e^(``order``·L)] from above; it is at least 0, and between integers it is convex.

    Raises ProofError for an order above `MAX_ORDER`.

    Guarantee
    ---------
    The logarithm lies inside. Backed by integrals computed by mpmath in
    ``tests/proofs/profiles/test_fixed_size_moments.py``.
    """
    if order > MAX_ORDER:
        raise ProofError(f"the moments of a fixed-size loss need an order of at most {MAX_ORDER}")
    whole = math.floor(order)
    part = order - whole
    upper = _at_integer(loss, whole)
    if part:
        upper = (1 - part) * upper + part * _at_integer(loss, whole + 1)
    return Interval(Fraction(0), upper)


@lru_cache(maxsize=64)
def _at_integer(loss: FixedSizeLoss, order: int) -> Fraction:
    """At least ln of the moment of an integer order."""
    if order == 0:
        return Fraction(0)
    q = loss.fraction
    powers = [_power(loss, j) for j in range(order + 2)]
    none = Interval(Fraction(0), Fraction(0))
    chances = [
        math.comb(order + 1, j) * (1 - q) ** (order + 1 - j) * q**j for j in range(order + 2)
    ]
    above = sum((c * power for c, power in zip(chances, powers, strict=True)), none)
    level = 1 - (powers[0] * (1 - q) + powers[1] * q) - powers[0]
    found = above + level + Interval(Fraction(0), _below(loss, order))
    return max(log_of(found).upper, Fraction(0))


def _below(loss: FixedSizeLoss, order: int) -> Fraction:
    """At least ∫ r^-c, by the best of some Taylor polynomials of even degrees."""
    powers = [_power(loss, j) for j in range(MAX_DEGREE + 1)]
    none = Interval(Fraction(0), Fraction(0))
    found, best = none, powers[0].upper
    for degree in range(MAX_DEGREE + 1):
        # The integral of (w - 1)^degree.
        signed = [
            power * ((-1) ** (degree - j) * math.comb(degree, j))
            for j, power in enumerate(powers[: degree + 1])
        ]
        factor = math.comb(order + degree - 1, degree) * (-loss.fraction) ** degree
        found += sum(signed, none) * factor
        best = best if degree % 2 else min(best, found.upper)
    return best


def _power(loss: FixedSizeLoss, j: int) -> Interval:
    """∫ w^j over x > μ/2."""
    scaled = math.isqrt(math.floor(loss.mu_squared * 2**400))
    # Only Φ is taken at an approximate place: it increases.
    ends = [Fraction(scaled + more, 1 << 200) * (2 * j - 1) / 2 for more in (0, 1)]
    low, high = (normal_cdf(end, BITS) for end in sorted(ends))
    return exp_interval(j * (j - 1) * loss.mu_squared / 2) * Interval(low.lower, high.upper)
