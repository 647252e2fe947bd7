"""Numbers of simple compositions by mpmath's own functions, to 40 digits: no code of ours."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

Number = Fraction | str | int


def mpf(value: Number) -> mpmath.mpf:
    """The number in the working precision."""
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def gaussian_delta(mu_squared: Number, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ(ε) of a Gaussian of μ² (Balle & Wang 2018, Theorem 8)."""
    mu = mpmath.sqrt(mpf(mu_squared))
    second = mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - second


def responses_delta(count: int, own: Number, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ(ε) of randomised responses, summed over how many of them tell the truth."""
    e = mpf(own)
    truth = 1 / (1 + mpmath.exp(-e))
    total = mpmath.mpf(0)
    for lies in range(count + 1):
        loss = (count - 2 * lies) * e
        if loss > epsilon:
            chance = mpmath.binomial(count, lies) * truth ** (count - lies) * (1 - truth) ** lies
            total += chance * (1 - mpmath.exp(epsilon - loss))
    return total


def discrete_gaussian_delta(variance: Number, shift: int, epsilon: Number) -> mpmath.mpf:
    """δ(ε) of a discrete Gaussian moved by an integer, summed over all outcomes that matter."""
    v = mpf(variance)
    reach = 60 + int(40 * mpmath.sqrt(v))
    weights = {z: mpmath.exp(-(mpmath.mpf(z) ** 2) / (2 * v)) for z in range(-reach, reach + 1)}
    whole = mpmath.fsum(weights.values())
    e = mpmath.exp(mpf(epsilon))
    gains = (w - e * weights.get(z + shift, mpmath.mpf(0)) for z, w in weights.items())
    return mpmath.fsum(gain for gain in gains if gain > 0) / whole


def epsilon_at(delta: Callable[[mpmath.mpf], mpmath.mpf], wanted: Number) -> mpmath.mpf:
    """Where a falling δ(·) passes the wanted one, by halving, to 30 digits."""
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    while delta(high) > mpf(wanted):
        high *= 2
    for _ in range(110):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > mpf(wanted) else (low, middle)
    return high


def zcdp_epsilon(rho: Number, delta: Number) -> mpmath.mpf:
    """The best single order of ρ-zCDP, by a fine grid of orders and halving around the best."""
    r, log = mpf(rho), mpmath.log(1 / mpf(delta))

    def value(place: mpmath.mpf) -> mpmath.mpf:
        a = 1 + mpmath.exp(place)
        return a * r + (log + a * mpmath.log1p(-1 / a) - mpmath.log(a - 1)) / (a - 1)

    best = min((mpmath.mpf(n) / 20 for n in range(-200, 400)), key=value)
    low, high = best - mpmath.mpf("0.05"), best + mpmath.mpf("0.05")
    for _ in range(150):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if value(first) < value(second) else (first, high)
    return value(low)
