"""What a finite loss adds to a profile, tilted, with the Gaussian losses averaged exactly.

A product's profile is δ(ε) = E[w(X - ε)], X the sum of the losses on a lattice and w(d) that of
all Gaussian losses at -d: with no Gaussian loss (1 - e^-d)₊, and with N(μ²/2, μ²) their sum

    w(d) = Q(a) - e^-d·Q(a + μ),   a = -d/μ - μ/2,   Q(x) = ∫ over (x, ∞) of the normal density

(Balle & Wang 2018, Theorem 8). Given here are e^(-cd)·w(d), an order c > 0 and d = start + j·step,
with the count of their errors: they are at most e^(μ²c(c+1)/2), for so is every expectation
of e^(-cd)·(1 - e^(-(d+L)))₊ <= e^(cL).

For Q, erfc(y) = (y/π)·e^(-y²)·∫ e^(-t²)/(t²+y²) dt over the real line. The midpoint rule of step H
at t = (n + 1/2)·H, all n, gives this but for the residues at ±iy, 2/(1 + e^(2πy/H)), which are
added where the line is moved past them, to Im t = ±s with s > y, and for the integral along it:

    |error| <= e^(s² - 2πs/H)/(1 - e^(-2πs/H)) · y·(y + √(y²+2)) / |s² - y²|, relative to erfc(y),

as erfc(y) >= 2·e^(-y²)/(√π·(y + √(y²+2))). With H = 2/5 this is below 1e-20 for s = 5π/2 where
y <= 5, and for s = 4.5 where y >= 5; the terms from the 18th on are below 1e-22 of the first
(Hunter & Regan 1972 for the formula).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from proofs.errors import ProofError
from proofs.profiles.grid import ROUNDING, TINY, Reals

WIDTH = 0.4
"""H, in the notation of the module's docstring."""

NODES = [(n + 0.5) * WIDTH for n in range(18)]

NEAR = 5.0
"""The y up to which the residue is added."""

FAR = 60.0
"""The x from which Q(x) < 2^-2500 counts as 0, and Q(-x) as 1."""

MAX_POWER = 600.0
"""The largest power of e beside a Q that is left out."""


def payoff(
    start: Fraction, step: Fraction, size: int, order: Fraction, mu_squared: Fraction
) -> tuple[Reals, Reals]:
    """e^(-cd)·w(d) at the d = ``start`` + j·``step``, j < ``size``, and bounds of their errors.

    Raises ProofError where the Gaussian losses are too small for doubles.

    Guarantee
    ---------
    Each value is right but for its bound, if numpy's exp errs by at most 16 ulp. Backed by
    ``tests/proofs/profiles/test_lattice.py::test_the_payoff_lies_within_its_error``.
    """
    # Those before the first are <= 0, by exact arithmetic.
    first = min(max(math.floor(-start / step) + 1, 0), size)
    distance = float(start) + float(step) * np.arange(size, dtype=np.float64)
    shift = ROUNDING * 4 * (abs(float(start)) + float(step) * size)
    c = float(order)
    if mu_squared:
        return _gaussian(distance, shift, c, mu_squared)
    distance = np.maximum(distance[first:], 0.0)
    one, other = np.exp(-c * distance), np.exp(-(c + 1) * distance)
    value, error = np.zeros(size), np.zeros(size)
    value[first:] = one - other
    spread = (c + 1) * shift + ROUNDING * (40 + 4 * (c + 1) * distance)
    error[first:] = 2 * spread * (one + other) + TINY
    return value, error


def _gaussian(
    distance: Reals, shift: float, order: float, mu_squared: Fraction
) -> tuple[Reals, Reals]:
    mu = math.sqrt(float(mu_squared))
    near = -distance / mu - mu / 2
    moved = shift / mu + 8 * ROUNDING * mu
    first, one = _tail(near, -order * distance, moved, order * shift)
    second, other = _tail(near + mu, -(order + 1) * distance, moved, (order + 1) * shift)
    return first - second, one + other


def _tail(x: Reals, power: Reals, x_shift: float, power_shift: float) -> tuple[Reals, Reals]:
    """e^power·Q(x), and a bound of its error.

    The x err by at most ``x_shift`` + 6·ROUNDING·|x|, the powers by ``power_shift`` and 4·ROUNDING
    of them. As Q'/Q lies between -(|x| + 1) and 0, an error z of x is one of e^((|x| + z + 1)·z)
    at most in Q.
    """
    kept = np.clip(x, -FAR, FAR)
    half = kept * kept / 2
    y = np.sqrt(half)
    series = sum(math.exp(-t * t) / (t * t + half) for t in NODES)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        far = np.exp(power - half) * (WIDTH / math.pi * y * series)
        pole = np.exp(power) / (1 + np.exp(2 * math.pi / WIDTH * np.minimum(y, NEAR)))
        upper = far + np.where(y < NEAR, pole, 0.0)
        value = np.where(x < FAR, np.where(x < 0, np.exp(power) - upper, upper), 0.0)
        size = np.where(x < 0, np.exp(power), value)
        count = 100 + 8 * (np.abs(power) + half) + 60 * np.minimum(np.abs(kept), 8)
        moved = x_shift + 6 * ROUNDING * np.abs(kept)
        spread = (np.abs(kept) + 2) * moved + power_shift + ROUNDING * count
    if np.any(spread > 0.01) or np.any(power[x >= FAR] > MAX_POWER):
        raise ProofError("the lattice method can't resolve so small a Gaussian loss, or order")
    return value, 2 * spread * size + TINY
