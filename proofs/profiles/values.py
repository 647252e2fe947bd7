"""The profile of losses with few values, beside at most one Gaussian on a sample.

Let the discrete losses sum to v with chance p_v. Given v, what is left has to exceed ε - v:

    δ(ε) = Σ p_v·δ₁(ε - v),

δ₁ the profile of the sampled Gaussian, or max(0, 1 - e^r) without one, at any real r. The sampled
loss grows with g(x) = 1 - q + q·e^(μx - μ²/2) on remove and falls with it on add, where it is above
r as long as g is above e^r, or below e^-r. With γ that power and x where g(x) = γ, by the
definition of δ as P - e^r·Q of all losses above r,

    on remove   δ₁(r) = q·Φ(μ-x) - (γ-1+q)·Φ(-x),          1 - e^r where γ <= 1 - q,
    on add      δ₁(r) = ((γ-1+q)·Φ(x) - q·Φ(x-μ))/γ,      0 where γ <= 1 - q.

That is for a Poisson sample. The loss of a sample of a fixed size is ln g where that is above 0,
and -ln g with the chance that N(0, 1) has there: above an r >= 0 it is as on remove, and below an
r < 0 it is as on add, so that δ₁ is that of remove and of add, as δ₁(r) = 1 - e^r·(1 - δ₁'(-r)),
δ₁' that of P and Q exchanged.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt

from proofs.errors import ProofError, require
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
)
from proofs.profiles.method import Hint
from proofs.profiles.responses import bits_of, infinite_mass
from synthesizers.intervals import WORKING_BITS, Interval, exp_interval, log_interval
from synthesizers.normal import normal_cdf

MAX_VALUES = 1 << 10
"""The most values of the sum of the discrete losses."""

MAX_COUNT = 1 << 64
"""The most losses of one kind."""

MAX_PAIRS = 1 << 15
"""The most pairs of values that are added up in one step."""

MAX_SAMPLED_VALUES = 1 << 8
"""The most values beside a Gaussian on a sample."""

Sampled = SampledGaussianLoss | FixedSizeLoss
"""The losses of a Gaussian on a sample."""

LEAST_POWER = Fraction(-4096)
"""ln of the smallest chance that is told from 0: smaller ones would have very long ends."""

MOST_EPSILON = Fraction(4096)
"""The |ε| up to which the sampled Gaussian's profile is evaluated: beyond it is bounded by that."""

FAR = Fraction(256)
"""The distance from which Φ is bounded, not evaluated."""

ZERO, ONE = Interval(Fraction(0), Fraction(0)), Interval(Fraction(1), Fraction(1))
Law = dict[Fraction, Interval]
"""The chance of each value of a loss."""


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of discrete losses with few values, and of one Gaussian on a sample at most.

    ``hint``: ``bits``; of each discrete Gaussian a chance of at most 3·2^-bits is left out of the
    lower end. Raises ProofError for other losses, or too many values.

    Guarantee
    ---------
    δ lies inside. Backed by integrals computed by mpmath, by the sum over all outcomes and by other
    methods in ``tests/proofs/profiles/test_values_profile.py``.
    """
    bits = bits_of("values", hint)
    discrete = tuple(entry for entry in losses if not isinstance(entry[1], Sampled))
    sampled = [entry for entry in losses if isinstance(entry[1], Sampled)]
    if sum(count for count, _ in sampled) > 1:
        raise ProofError("the method values knows at most one Gaussian on a sample")
    law, left_out = law_of(discrete, bits)
    if sampled and len(law) > MAX_SAMPLED_VALUES:
        raise ProofError("the method values needs fewer values beside a Gaussian on a sample")
    found = ZERO
    for value, chance in law.items():
        part = _excess(epsilon - value)
        for _, loss in sampled:
            part = _delta_of_one(loss, side, epsilon - value)
        found += chance * part
    mass = infinite_mass(losses)
    found = mass + (1 - mass) * (found + Interval(Fraction(0), left_out))
    return Interval(max(found.lower, Fraction(0)), min(found.upper, Fraction(1)))


def _excess(power: Fraction) -> Interval:
    """1 - e^power, or 0 where that is negative."""
    return ZERO if power >= 0 else 1 - exp_below(power)


def exp_below(power: Fraction) -> Interval:
    """e^power of a power that is not too large; a tiny one is known from above alone."""
    if power < LEAST_POWER:
        return Interval(Fraction(0), exp_interval(LEAST_POWER).upper)
    return exp_interval(power)


def _delta_of_one(loss: Loss, side: Side, epsilon: Fraction) -> Interval:
    """Encloses δ of one Gaussian on a sample at any real ε, on a side."""
    if isinstance(loss, FixedSizeLoss):
        side = "remove" if epsilon >= 0 else "add"
        loss = SampledGaussianLoss(loss.fraction, loss.mu_squared)
    assert isinstance(loss, SampledGaussianLoss)
    return sampled_delta(loss, side, epsilon)


def sampled_delta(loss: SampledGaussianLoss, side: Side, epsilon: Fraction) -> Interval:
    """Encloses δ of one sampled Gaussian at any real ε, on a side.

    Guarantee
    ---------
    Backed by the integral of the densities in ``tests/proofs/profiles/test_values_profile.py``.
    """
    if abs(epsilon) > MOST_EPSILON:
        edge = sampled_delta(loss, side, MOST_EPSILON if epsilon > 0 else -MOST_EPSILON)
        return Interval(Fraction(0), edge.upper) if epsilon > 0 else Interval(edge.lower, ONE.upper)
    rate, mu = loss.fraction, root_of(loss.mu_squared)
    level = exp_interval(epsilon if side == "remove" else -epsilon)
    above = level - (1 - rate)
    if above.upper <= 0:
        return 1 - exp_interval(epsilon) if side == "remove" else ZERO
    place = _place(above.upper / rate, mu)
    # Where it can't be told whether γ is above 1 - q, x may be anywhere to the left.
    least = _place(above.lower / rate, mu).lower if above.lower > 0 else -FAR
    place = Interval(min(least, place.upper), place.upper)
    if side == "remove":
        found = rate * enclose_normal(mu - place) - above * enclose_normal(-place)
    else:
        found = (above * enclose_normal(place) - rate * enclose_normal(place - mu)) / level
    upper = min(max(found.upper, Fraction(0)), Fraction(1))
    return Interval(min(max(found.lower, Fraction(0)), upper), upper)


def root_of(value: Fraction) -> Interval:
    """The square root of a positive number."""
    root = isqrt(value.numerator * value.denominator << 2 * WORKING_BITS)
    unit = Fraction(1, value.denominator << WORKING_BITS)
    return Interval(root * unit, (root + 1) * unit)


def _place(ratio: Fraction, mu: Interval) -> Interval:
    """The x where e^(μx - μ²/2) is so large."""
    return log_interval(ratio) / mu + mu / 2


def enclose_normal(place: Interval) -> Interval:
    """Φ of every member of an interval; beyond `FAR`, bounds that hold anywhere there."""
    lower, upper = Fraction(0), Fraction(1)
    if place.lower > -FAR:
        lower = normal_cdf(min(place.lower, FAR), WORKING_BITS).lower
    if place.upper < FAR:
        upper = normal_cdf(max(place.upper, -FAR), WORKING_BITS).upper
    return Interval(lower, upper)


@lru_cache(maxsize=16)
def law_of(losses: Losses, bits: int) -> tuple[Law, Fraction]:
    """The law of the sum of discrete losses, given that it is finite, and the chance left out."""
    total, left_out = {Fraction(0): ONE}, Fraction(0)
    for count, loss in losses:
        if count == 0:
            continue
        total = _add(total, _times(_chances(loss, bits), count))
        if isinstance(loss, DiscreteGaussianLoss):
            left_out += count * Fraction(3, 1 << bits)
    return total, left_out


def _times(law: Law, count: int) -> Law:
    """The law of the sum of ``count`` >= 1 such losses."""
    require(count <= MAX_COUNT, "the method values needs fewer losses")
    if count == 1:
        return law
    half = _times(law, count // 2)
    both = _add(half, half)
    return _add(both, law) if count % 2 else both


def _add(left: Law, right: Law) -> Law:
    """The law of the sum of two."""
    if len(left) * len(right) > MAX_PAIRS:
        raise ProofError("the method values needs fewer values")
    found: Law = {}
    for value, chance in left.items():
        for other, its_chance in right.items():
            found[value + other] = found.get(value + other, ZERO) + chance * its_chance
    if len(found) > MAX_VALUES:
        raise ProofError("the method values needs fewer values")
    return found


def _chances(loss: Loss, bits: int) -> Law:
    """The law of one loss, given that it is finite."""
    match loss:
        case ResponseLoss(epsilon):
            return _two_values(epsilon)
        case DiscreteLaplaceLoss(rate, shift) if shift <= 1:
            return _two_values(rate * shift)
        case DiscreteLaplaceLoss(rate, shift) if shift < MAX_VALUES:
            # ±rate·shift at both ends, rate·(2z - shift) for the z strictly between 0 and shift.
            found = _two_values(rate)
            ends = found[rate], found[-rate]
            inside = ends[0] - ends[1]
            inside = Interval(max(inside.lower, Fraction(0)), inside.upper)
            law = {rate * shift: ends[0], -rate * shift: ends[0] * exp_below(-rate * shift)}
            for z in range(1, shift):
                law[rate * (2 * z - shift)] = inside * exp_below(-rate * (shift - z))
            return law
        case DiscreteGaussianLoss(variance, shift) if shift:
            return _gaussian_values(variance, shift, bits)
        case DiscreteGaussianLoss():
            return {Fraction(0): ONE}
        case _:
            raise ProofError(f"the method values knows no such loss of the kind {loss.name}")


def _two_values(epsilon: Fraction) -> Law:
    """±ε with chances 1/(1 + e^∓ε)."""
    if epsilon == 0:
        return {Fraction(0): ONE}
    less = exp_below(-epsilon)
    return {epsilon: 1 / (1 + less), -epsilon: less / (1 + less)}


def _gaussian_values(variance: Fraction, shift: int, bits: int) -> Law:
    """The losses shift·(2z - shift)/(2v) for the z within a radius R >= √(2v·bits) of ``shift``.

    With v the variance and Θ the sum of all e^(-z²/(2v)), both sides leave out at most 3·2^-bits
    of Θ: Σ_{n>=1} e^(-(R+n)²/(2v)) <= e^(-R²/(2v))·√(πv/2), while Θ >= √(2πv).
    """
    squared = ceil(2 * variance * bits)
    if squared > MAX_VALUES**2:
        raise ProofError("the method values needs a smaller variance")
    radius = isqrt(squared) + 1
    weights = [exp_below(-Fraction(z * z) / (2 * variance)) for z in range(radius + 1)]
    inner = weights[0] + 2 * sum(weights[1:], ZERO)
    theta = Interval(inner.lower, inner.upper * (1 + Fraction(3, 1 << bits)))
    return {
        shift * (shift + 2 * z) / (2 * variance): weights[abs(z)] / theta
        for z in range(-radius, radius + 1)
    }
