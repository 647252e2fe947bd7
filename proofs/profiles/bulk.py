"""The samples whose sum of losses is settled, taken out of a contour's integrand.

Far to the left a sampled Gaussian's loss is next to constant, and the part of M(z) that comes from
there falls slowly along a line. But where all of n samples lie there their sum is on a known side
of ε. Let R(z) be the integral of `proofs.profiles.sampled_moments` with the weight Φ(λ(x - b)),
and A = M - R, of weight w(x) = Φ(λ(b - x)). Mⁿ - Aⁿ is the transform of a positive measure that is
no larger than that of Mⁿ: all bounds hold of it. And it falls fast, for its summands hold R.

What Aⁿ contributes is known but for what Chernoff's bound leaves. Let the other losses be v with
chance p_v, and a_k = ∫ φ·g^k·w dx. On remove L = Σ ln g >= n·ln(1-q), and the contribution is

    p_v·(a_1ⁿ - e^(ε-v)·a_0ⁿ)               where v + n·ln(1-q) >= ε, else
    p_v·e^(-(k-1)(ε-v))·a_kⁿ at most,       as max(0, 1 - e^-u) <= e^((k-1)u) for k > 1.

On add L = -Σ ln g <= -n·ln(1-q), and it is

    nothing                                 where v - n·ln(1-q) <= ε, else
    p_v·(a_0ⁿ - e^(ε-v)·a_1ⁿ)               and at most p_v·e^(k(ε-v))·a_kⁿ more,

as max(0, e^-u - 1) <= e^-ku. Laplace losses are at most ε₀ each: what is nothing, or next to
nothing, when all of them are that large is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt
from typing import Any

from proofs.errors import ProofError
from proofs.losses import LaplaceLoss, Losses, SampledGaussianLoss, Side
from proofs.profiles.responses import exp_of
from proofs.profiles.transforms import MAX_SIZE, Points, Transform, exp_above
from proofs.profiles.values import enclose_normal, exp_below, law_of, root_of
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of
from synthesizers.reals import numbers

MAX_BULK_POWER = 1 << 11
"""The largest k, which is also the number of summands of a_k."""

LAW_BITS = 256
"""Bits of the laws of the other losses."""

MAX_EXPONENT = 1 << 20
"""The largest μ²k²."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """Which samples are taken out, and the grid of R: x = i·step, first <= i <= last.

    ``cut``: b of w; ``slope``: its λ > 0; ``power``: the power k > 1 of g in Chernoff's bound.
    ``height``: of the line for R; ``tail_height`` <= 2·height: of the bound beyond the last node.
    """

    cut: Fraction
    slope: Fraction
    power: int
    step: Fraction
    first: int
    last: int
    height: Fraction
    tail_height: Fraction

    def __post_init__(self) -> None:
        numbers = (self.slope, self.step, self.height, self.tail_height)
        if min(numbers) <= 0 or max(*numbers, abs(self.cut)) > MAX_SIZE:
            raise ProofError("a bulk needs a positive slope, step and heights")
        if self.tail_height > 2 * self.height or not 1 < self.power <= MAX_BULK_POWER:
            raise ProofError("a bulk needs tail height <= 2·height, and 1 < power <= 2^11")
        if self.last < max(self.first, 0) or max(-self.first, self.last) * self.step > MAX_SIZE:
            raise ProofError("a bulk needs 0 <= last, first <= last, and to reach to 2^20 at most")
        if self.first * self.step > self.cut:
            raise ProofError("a bulk's grid needs to begin below its cut")

    def lift(self, height: Fraction) -> Fraction:
        """|φ·Φ(λ(x - b))| grows by e to this at most: |Φ(u + iv)| <= ∫_{s<u} |φ(s + iv)| ds."""
        return (1 + self.slope**2) * height**2 / 2

    def ramp(self, index: int, height: Fraction, reach: int) -> Any:
        """Φ(λ(x - b)) at a height, or 1 where λ(x - b) is beyond a reach."""
        place = self.slope * (index * self.step - self.cut)
        if place > reach:
            return numbers.mpf(1)
        u = numbers.mpc(numbers.rational(place), numbers.rational(self.slope * height))
        return numbers.normal(u)

    def reach(self, bits: int) -> int:
        """A U with |Φ(-u + iv)| < 2^-bits for u > U, at the grid's height and below twice it."""
        return isqrt(ceil(2 * (bits + 4 * self.lift(self.height)))) + 1


def points_without_bulk(each: Transform, count: int) -> Points:
    """Mⁿ, or Mⁿ - Aⁿ where a bulk is taken out."""
    power = each.points.power(count)
    if each.rest is None:
        return power
    return power.minus(each.points.minus(each.rest.points).power(count))


def log_tail(each: Transform, count: int) -> Fraction:
    """At least ln of |Mⁿ|, or of |Mⁿ - Aⁿ|, beyond the last node over M(c)ⁿ.

    |Mⁿ - Aⁿ| <= n·|R|·m^(n-1) with m >= |M|, |A|, and |A| <= |M| + |R|.
    """
    if each.rest is None:
        return count * log_interval(each.tail).upper
    rest = max(each.rest.tail, Fraction(1, 1 << 256))
    most = min(each.tail + rest, Fraction(1))
    share = min(count * rest / most, Fraction(2))
    return count * log_interval(most).upper + log_interval(share).upper


def enclose_bulk(losses: Losses, side: Side, epsilon: Fraction, bulk: Bulk) -> Interval:
    """What the samples that are taken out contribute to δ(ε), given that no loss is infinite.

    Raises ProofError unless there is one kind of sampled Gaussian and few values of other losses.

    Guarantee
    ---------
    It lies inside. Backed by integrals computed by mpmath, and by the profile with and without a
    bulk, in ``tests/proofs/profiles/test_bulk.py``.
    """
    sampled = [entry for entry in losses if isinstance(entry[1], SampledGaussianLoss)]
    if len(sampled) != 1:
        raise ProofError("a bulk needs one kind of sampled Gaussian")
    ((count, loss),) = sampled
    assert isinstance(loss, SampledGaussianLoss)
    largest = laplace_sum(losses)
    others = tuple(e for e in losses if not isinstance(e[1], SampledGaussianLoss | LaplaceLoss))
    law, left_out = law_of(others, LAW_BITS)
    lowest = count * log_interval(1 - loss.fraction)
    logs = [log_of(_moment(loss, bulk, k)) * count for k in (0, 1, bulk.power)]
    masses = [exp_of(each) for each in logs[:2]]
    found = Interval(Fraction(0), left_out)
    for value, chance in law.items():
        gap = epsilon - value - largest
        if side == "remove" and gap > lowest.lower:
            part = Interval(Fraction(0), _small(logs[2].upper - (bulk.power - 1) * gap))
        elif largest and (side == "remove" or gap < -lowest.lower):
            raise ProofError("a bulk needs an epsilon above the Laplace losses")
        elif side == "remove":
            part = masses[1] - exp_below(gap) * masses[0]
        elif gap >= -lowest.lower:
            continue
        else:
            more = Interval(Fraction(0), _small(logs[2].upper + bulk.power * gap))
            part = masses[0] - exp_below(gap) * masses[1] + more
        found += chance * part
    return Interval(max(found.lower, Fraction(0)), max(found.upper, Fraction(0)))


def laplace_sum(losses: Losses) -> Fraction:
    """The largest sum of the Laplace losses."""
    sizes = [count * loss.epsilon for count, loss in losses if isinstance(loss, LaplaceLoss)]
    return sum(sizes, Fraction(0))


def _small(power: Fraction) -> Fraction:
    """At least the smaller of e^``power`` and 1."""
    return exp_above(power) if power < 0 else Fraction(1)


@lru_cache(maxsize=16)
def _moment(loss: SampledGaussianLoss, bulk: Bulk, power: int) -> Interval:
    """a_k = Σ C(k,j)·(1-q)^(k-j)·q^j·e^(μ²(j²-j)/2)·Φ(λ(b - jμ)/√(1+λ²))."""
    if loss.mu_squared * power**2 > MAX_EXPONENT:
        raise ProofError("a bulk needs a smaller power")
    mu, width = root_of(loss.mu_squared), root_of(1 + 1 / bulk.slope**2)
    found = Interval(Fraction(0), Fraction(0))
    chance = Interval(Fraction(1), Fraction(1)) * (1 - loss.fraction) ** power
    for j in range(power + 1):
        lift = exp_interval(loss.mu_squared * (j * j - j) / 2)
        found += chance * lift * enclose_normal((bulk.cut - j * mu) / width)
        chance = chance * (loss.fraction / (1 - loss.fraction) * Fraction(power - j, j + 1))
    if found.lower <= 0:
        raise ProofError("a bulk needs a larger cut")
    return found
