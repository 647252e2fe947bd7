"""Moments of losses: ln E_P[e^(cL)] at an order c > 0, enclosed; D_{1+c}(P‖Q) is it divided by c.

Source of the closed forms: Mironov 2017 (Gaussian, Laplace and randomised response, its
Propositions 5 to 7); Mironov, Talwar & Zhang 2019 (sampled Gaussian, integer orders). That of the
discrete Laplace law is the sum of three geometric series.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt

from proofs.errors import ProofError
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
)
from proofs.profiles.allocated_moments import allocated_moment
from proofs.profiles.fixed_size_moments import fixed_size_moment
from proofs.profiles.responses import exp_of
from synthesizers.exact import ExpRational, log_enclosure
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of

MAX_ORDER = 1 << 12
"""The largest order of a sampled Gaussian loss: it costs a term each."""

WIDE = 16
"""The variance from which a discrete Gaussian's sums are taken to differ by e^-300 at most."""


def log_moment(loss: Loss, order: Fraction, side: Side) -> Interval:
    """ln E_P[e^(``order``·L)] of one loss; ``order`` > 0.

    Raises ProofError for an order that is not positive, or too large for a sampled Gaussian, and
    for a loss that is infinite with a chance above 0.

    Guarantee
    ---------
    The logarithm lies inside. Backed by numerical integration and brute-force sums in
    ``tests/proofs/profiles/test_loss_moments.py``.
    """
    if order <= 0:
        raise ProofError("a moment needs an order above 0")
    match loss:
        case GaussianLoss(mu_squared):
            value = order * (1 + order) * mu_squared / 2
            return Interval(value, value)
        case LaplaceLoss(epsilon):
            rare = _exp(-(1 + 2 * order) * epsilon) * order
            return _log_of_shift(order * epsilon, (1 + order + rare) / (1 + 2 * order))
        case ResponseLoss(epsilon, delta) if delta == 0:
            rare = _exp(-(1 + 2 * order) * epsilon)
            return _log_of_shift(order * epsilon, (1 + rare) / (1 + _exp(-epsilon)))
        case DiscreteLaplaceLoss(rate, shift):
            return _discrete_laplace(rate, shift, order)
        case DiscreteGaussianLoss(variance, shift):
            return _discrete_gaussian(variance, shift, order)
        case SampledGaussianLoss():
            removed = _sampled_moment(loss, order)
            # What is added has no larger moments than what is removed: see `_sampled_moment`.
            return removed if side == "remove" else Interval(Fraction(0), removed.upper)
        case AllocationLoss():
            return allocated_moment(loss, order, side)
        case FixedSizeLoss():
            return fixed_size_moment(loss, order)
        case _:
            raise ProofError("a response that may have an infinite loss has no moments")


_exp = ExpRational.exp


def _log_of_shift(value: Fraction, factor: ExpRational) -> Interval:
    """ln of e^``value`` times a factor."""
    log = log_enclosure(factor)
    return Interval(value + log.lower, value + log.upper)


def _discrete_laplace(rate: Fraction, shift: int, order: Fraction) -> Interval:
    """With r = e^-rate, w = r^(1+2c): E = e^(c·rate·s)·(1 + w^s + (1-r)·(w - w^s)/(1-w))/(1+r).

    The three summands come from z >= s, z <= 0 and 0 < z < s.
    """
    if shift == 0:
        return Interval(Fraction(0), Fraction(0))
    step = (1 + 2 * order) * rate
    first, last, ratio = _exp(-step), _exp(-step * shift), _exp(-rate)
    inside = (1 - ratio) * (first - last) / (1 - first)
    return _log_of_shift(order * rate * shift, (1 + last + inside) / (1 + ratio))


def _discrete_gaussian(variance: Fraction, shift: int, order: Fraction) -> Interval:
    """E = e^(c(1+c)s²/(2v))·Θ((1+c)s)/Θ(0), where Θ(x) = Σ_z e^(-(z-x)²/(2v)), by the square.

    By Poisson's summation Θ(x) is √(2πv)·Σ_k e^(-2π²vk²)·cos(2πkx): so Θ(x) <= Θ(0), where Θ(x) is
    also for every integer x, and Θ(x)/Θ(0) >= 1 - 5·e^(-2π²v) for v >= 1.
    """
    top = order * (1 + order) * shift**2 / (2 * variance)
    centre = (1 + order) * shift
    off = centre - round(centre)
    if off == 0:
        return Interval(top, top)
    if variance >= WIDE:
        return Interval(top - exp_interval(Fraction(-300)).upper, top)
    ratio = log_of(_theta(variance, off)) - log_of(_theta(variance, Fraction(0)))
    found = ratio + (top - off * off / (2 * variance))
    return Interval(min(found.lower, top), min(found.upper, top))


def _theta(variance: Fraction, off: Fraction) -> Interval:
    """e^(f²/(2v))·Θ(f) for |f| <= 1/2: 1 and the sum of e^(-(i² ± 2if)/(2v)) over i >= 1.

    With R² >= 400v and v <= 16, what is beyond R is at most twice the geometric series that begins
    with e^(-R(R+1)/(2v)) <= e^-200 and has the ratio e^(-R/v) <= e^-5.
    """
    total = 1 + Interval(Fraction(0), 4 * exp_interval(Fraction(-200)).upper)
    for i in range(1, isqrt(floor(400 * variance)) + 2):
        for sign in (-1, 1):
            exponent = (i * i + sign * 2 * i * off) / (2 * variance)
            term = exp_interval(-min(exponent, Fraction(300)))
            total += term if exponent <= 300 else Interval(Fraction(0), term.upper)
    return total


def _sampled_moment(loss: SampledGaussianLoss, order: Fraction) -> Interval:
    """The moment on ``remove``: at integers the binomial sum, between them by convexity in c.

    On ``add`` no moment is larger. With g(w) = 1 + q(w - 1), w = e^ℓ for the Gaussian's own loss ℓ,
    α = 1 + c and φ(u) = u^α - u^(1-α), the difference of the two is E_Q[φ(g(w))]. Mirrored, Q is
    the P of the Gaussian pair and w is 1/w, so it is also E_Q[w·φ(g(1/w))]: it is at least 0 if
    φ(g(w)) + w·φ(g(1/w)) >= 0 for every w >= 1. Let u = g(w) and m = w·g(1/w), so that u + m =
    1 + w, both from 1 to w, and um >= w. As φ(u) = 2√u·sinh(β·ln u), β = α - 1/2, the claim is
    √u·sinh(β·ln u) >= √(wm)·sinh(β·ln(w/m)). At β = 1/2 both sides are (u - 1)/2, and as u >= w/m
    the quotient of the two hyperbolic sines does not fall when β grows. (The same is said by
    Mironov, Talwar & Zhang 2019.)
    """
    if order > MAX_ORDER:
        raise ProofError(f"the moments of a sampled Gaussian need an order of at most {MAX_ORDER}")
    whole = floor(order)
    part = order - whole
    below = _binomial(loss, whole)
    if part == 0:
        return below
    upper = (1 - part) * below.upper + part * _binomial(loss, whole + 1).upper
    if whole == 0:
        return Interval(Fraction(0), upper)
    lower = (1 + part) * below.lower - part * _binomial(loss, whole - 1).upper
    return Interval(min(max(lower, Fraction(0)), upper), upper)


def _binomial(loss: SampledGaussianLoss, order: int) -> Interval:
    """ln Σ_j C(α,j)·(1-q)^(α-j)·q^j·e^(j(j-1)μ²/2) for α = 1 + ``order``; 0 at order 0."""
    if order == 0:
        return Interval(Fraction(0), Fraction(0))
    odds = loss.fraction / (1 - loss.fraction)
    weight = exp_of(log_interval(1 - loss.fraction) * (order + 1))
    total = Interval(Fraction(0), Fraction(0))
    for j in range(order + 2):
        total += weight * exp_interval(j * (j - 1) * loss.mu_squared / 2)
        weight *= odds * (order + 1 - j) / (j + 1)
    return log_of(total)
