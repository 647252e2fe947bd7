"""Moments of a Gaussian in one step of t drawn evenly, on both sides.

With G = S/t the mean of t independent w = e^(μx - μ²/2), x of law N(0, 1), the moment of an order
c is E[G^(1+c)] on ``remove`` and E[G^-c] on ``add``. On remove, at integers n = 1 + c,

    E[S^n] = n!·[z^n] (Σ_k e^(μ²k(k-1)/2)·z^k/k!)^t,

as E[w^k] = e^(μ²k(k-1)/2): all terms are positive. On add S^-c = (1/Γ(c))·∫ e^(cv)·e^(-Se^v) dv, so

    E[S^-c] = (1/Γ(c))·∫ e^(cv)·λ(e^v)^t dv,    λ(y) = E[e^(-yw)],

and both integrals are taken by the trapezoid rule, which errs by at most 2N/(e^(2πa/η) - 1) for a
step η and an integrand that is analytic in a strip of half-width a, with ∫|·| <= N along its
lines (Trefethen & Weideman 2014, Theorem 5.1):

- λ, in x: |e^(-yw)| <= 1 up to heights a with μa <= π/2, so N = e^(a²/2);
- the outer one: |λ(ye^(iθ))| <= λ(y·cos θ), so N is cos(θ)^-c times the integral itself.

The nodes are v = iη + μ²/2 and x = jη/μ, whose y·w = e^((i+j)η) is a function of i + j. Beyond the
last node, e^(-yS) <= (k/(e·y·S))^k and S >= t·Π w^(1/t) give y^c·λ^t <=
y^(c-k)·(k/(e·t))^k·e^(kμ²/2 + k²μ²/(2t)), here at k = 2c + 2; before the first, λ <= 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from proofs.errors import ProofError
from proofs.losses import AllocationLoss, Side
from proofs.profiles.sampled_moments import PI
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of, round_up

MAX_ORDER = 256
"""The largest order: on remove it costs its square, times ln t."""

MAX_NODES = 1 << 13
"""The most nodes of the outer integral; where more were needed, S >= t·Π w^(1/t) alone is used."""

LEFT_OUT = 60
"""About -ln of what is left out beyond the nodes, relative to the whole."""

HALF_PI, TWO_PI = PI.lower / 2, 2 * PI.lower


def allocated_moment(loss: AllocationLoss, order: Fraction, side: Side) -> Interval:
    """ln E_P[e^(``order``·L)], convex in the order: at integers exact on remove, above on add.

    Raises ProofError for an order above `MAX_ORDER`.

    Guarantee
    ---------
    The logarithm lies inside. Backed by enumeration, integrals computed by mpmath and
    Monte Carlo in ``tests/proofs/profiles/test_allocated_moments.py``.
    """
    if order > MAX_ORDER:
        raise ProofError(f"the moments of an allocation need an order of at most {MAX_ORDER}")
    whole = math.floor(order)
    part = order - whole
    at = _remove_moment if side == "remove" else _add_moment
    below = at(loss, whole)
    if part == 0:
        return below
    upper = (1 - part) * below.upper + part * at(loss, whole + 1).upper
    return Interval(Fraction(0), upper)


@lru_cache(maxsize=64)
def _remove_moment(loss: AllocationLoss, order: int) -> Interval:
    """ln of E[S^n]/t^n for n = 1 + ``order``."""
    size = order + 1
    base = []
    factor = Interval(Fraction(1), Fraction(1))
    for k in range(size + 1):
        base.append(factor * exp_interval(loss.mu_squared * k * (k - 1) / 2))
        factor = factor / (k + 1)
    found, steps = [Interval(Fraction(1), Fraction(1))], loss.steps
    while steps:
        if steps % 2:
            found = _multiply(found, base, size)
        steps //= 2
        base = _multiply(base, base, size) if steps else base
    moment = log_of(found[size] * math.factorial(size)) - log_interval(loss.steps) * size
    # By Jensen's inequality it is at least 0.
    return Interval(max(moment.lower, Fraction(0)), max(moment.upper, Fraction(0)))


def _multiply(one: list[Interval], other: list[Interval], size: int) -> list[Interval]:
    """The product of two power series, up to z^``size``."""
    none = Interval(Fraction(0), Fraction(0))
    found = []
    for power in range(size + 1):
        low = max(0, power + 1 - len(other))
        terms = (one[i] * other[power - i] for i in range(low, min(power + 1, len(one))))
        found.append(sum(terms, none))
    return found


@lru_cache(maxsize=64)
def _add_moment(loss: AllocationLoss, order: int) -> Interval:
    """ln E[(t/S)^c] from above, c = ``order``; it is at least 0, and 0 at order 0."""
    if order == 0:
        return Interval(Fraction(0), Fraction(0))
    steps, squared, c, k = loss.steps, loss.mu_squared, order, 2 * order + 2
    power, plain = (n * squared / 2 + n * n * squared / (2 * steps) for n in (k, c))
    if not Fraction(1, 10**6) <= squared <= 100:
        return Interval(Fraction(0), plain)
    inner, step, first, last = _nodes(loss, c, k, power)
    if last - first > MAX_NODES:
        return Interval(Fraction(0), plain)
    transform = inner.laplace(step, first, last)
    start, end = (squared / 2 + i * step for i in (first, last))
    beyond = log_interval(Fraction(k, steps)) * k - k + power - (k - c) * end
    total = exp_interval(c * start).upper / (exp_interval(c * step).lower - 1)
    total += exp_interval(beyond.upper).upper / (exp_interval((k - c) * step).lower - 1)
    growth, weight = exp_interval(c * step).upper, exp_interval(c * start).upper
    for value in transform:
        total = round_up(total + weight * _power(value, steps), 192)
        weight = round_up(weight * growth, 192)
    theta = min(Fraction(7, 5), Fraction(round(6.28 / (step * c) * 64), 64))
    cosine = 1 - theta**2 / 2 + theta**4 / 24 - theta**6 / 720
    error = 2 / (exp_interval(TWO_PI * theta / step).lower - 1)
    error *= exp_interval((-log_interval(cosine) * c).upper).upper
    assert error < 1, "the step is too large"
    size = log_interval(total * step / (1 - error) / math.factorial(c - 1))
    upper = min((size + log_interval(steps) * c).upper, plain)
    return Interval(Fraction(0), max(upper, Fraction(0)))


def _nodes(
    loss: AllocationLoss, c: int, k: int, power: Fraction
) -> tuple[_Inner, Fraction, int, int]:
    """What is computed of λ, the step η, and the first and last i: choices that widen at worst."""
    mu, shift = math.sqrt(loss.mu_squared), math.log(loss.steps) + float(loss.mu_squared) / 2
    most = (k * math.log(k / math.e) - c * math.log(c / math.e) + float(power) + LEFT_OUT) / (k - c)
    # λ^t counts where y^c is large, so λ is needed to e^-finest.
    finest = LEFT_OUT + max(0.0, c * (most - shift)) / loss.steps
    widest = min(0.7 / math.sqrt(c), 4.9 / finest, 4.4 * mu / math.sqrt(finest))
    step = Fraction(1, 1 << math.ceil(-math.log2(widest)))
    first = math.floor((math.log(c) - 1 - LEFT_OUT / c - shift) / step)
    last = math.ceil((most - shift) / step)
    reach = math.ceil(math.sqrt(2 * finest) * mu / step) + 1
    return _Inner(loss.mu_squared, reach, math.ceil(1.5 * finest) + 64), step, first, last


@dataclass(frozen=True, slots=True)
class _Inner:
    """λ by 2·``reach`` + 1 nodes, in units of 2^-``bits``."""

    squared: Fraction
    reach: int
    bits: int

    def laplace(self, step: Fraction, first: int, last: int) -> list[Fraction]:
        """At least λ(e^(i·step + μ²/2)) for i = ``first`` … ``last``."""
        unit, (low, high) = 1 << self.bits, _root(self.squared)
        decay = [self._decay(m * step) for m in range(first - self.reach, last + self.reach + 1)]
        scale = step / (low * _root(TWO_PI)[0])
        falls = [
            exp_interval(-((j * step) ** 2) / (2 * self.squared)).upper
            for j in range(self.reach + 1)
        ]
        half = [math.ceil(scale * fall * unit) for fall in falls]
        density = [*half[:0:-1], *half]
        height = min(HALF_PI / high, TWO_PI * low / step)
        strip = exp_interval(TWO_PI * height * low / step).lower - 1
        assert strip > 0, "the step is too large"
        # Beyond the last nodes, as λ <= 1: the two tails of the normal law are at most e^(-x²/2).
        error = 2 * exp_interval(height**2 / 2).upper / strip + falls[-1]
        more = math.ceil(error * unit) + 1
        found = []
        for start in range(last - first + 1):
            total = sum(map(int.__mul__, density, decay[start : start + len(density)]))
            found.append(min(Fraction((total >> self.bits) + more, unit), Fraction(1)))
        return found

    def _decay(self, power: Fraction) -> int:
        """e^(-e^``power``) in units, rounded up; from 2^12 on the exponent counts as 2^12."""
        exponent = exp_interval(min(power, Fraction(25, 3))).lower
        return math.ceil(exp_interval(-exponent, self.bits + 16).upper * (1 << self.bits))


def _root(value: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above the square root."""
    low = math.isqrt(math.floor(value * 2**400))
    return Fraction(low, 1 << 200), Fraction(low + 1, 1 << 200)


def _power(value: Fraction, count: int) -> Fraction:
    """At least value^count, 0 <= value <= 1."""
    found = Fraction(1)
    for bit in bin(count)[2:]:
        found = round_up(found * found * (value if bit == "1" else 1), 192)
    return found
