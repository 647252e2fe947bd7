"""The profile of Gaussian losses, which are one Gaussian loss together.

The sum of independent N(μᵢ²/2, μᵢ²) is N(μ²/2, μ²) with μ² = Σ μᵢ², and (Balle & Wang 2018,
Theorem 8)

    δ(ε) = Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ).

Of the first term's size a part of about μ²/ε is left where that is small: relative precision is
kept however small δ is.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from proofs.errors import ProofError
from proofs.losses import GaussianLoss, Losses, Side
from proofs.parameters import Parameters
from proofs.profiles.method import Hint
from synthesizers.intervals import WORKING_BITS, Interval, exp_interval
from synthesizers.normal import MAX_DISTANCE, normal_cdf


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of Gaussian losses; both sides are alike, and there is no hint.

    Guarantee
    ---------
    δ lies inside. Backed by reference values and by the integral of the densities in
    ``tests/proofs/profiles/test_gaussian_profile.py``.
    """
    Parameters("gaussian", hint).close()
    squared = Fraction(0)
    for count, loss in losses:
        if not isinstance(loss, GaussianLoss):
            raise ProofError(f"the method gaussian knows no loss of the kind {loss.name}")
        squared += count * loss.mu_squared
    if squared == 0:
        return Interval(Fraction(0), Fraction(0))
    mu = _root(squared)
    half, shift = mu / 2, epsilon / mu
    found = _cdf(half - shift) - exp_interval(epsilon) * _cdf(-half - shift)
    return Interval(max(found.lower, Fraction(0)), min(found.upper, Fraction(1)))


def _root(value: Fraction) -> Interval:
    """√value of a positive number, of relative width about 2^-`WORKING_BITS`."""
    bits = value.denominator.bit_length() - value.numerator.bit_length()
    shift = max(0, WORKING_BITS + bits // 2 + 1)
    whole = isqrt((value.numerator << 2 * shift) // value.denominator)
    return Interval(Fraction(whole, 1 << shift), Fraction(whole + 1, 1 << shift))


def _cdf(x: Interval) -> Interval:
    """Φ of every member; below -`MAX_DISTANCE` only that it is tiny."""
    if x.upper < -MAX_DISTANCE:
        return Interval(Fraction(0), normal_cdf(Fraction(-MAX_DISTANCE), WORKING_BITS).upper)
    lower, upper = (normal_cdf(end, WORKING_BITS) for end in (x.lower, x.upper))
    return Interval(lower.lower, upper.upper)
