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
from proofs.parameters import read_fields
from proofs.profiles.method import Hint
from synthesizers.intervals import WORKING_BITS, Interval, exp_interval
from synthesizers.normal import MAX_DISTANCE, normal_cdf

PRECISIONS = (WORKING_BITS, 768, 3072)
"""Bits that are tried one after the other: of a tiny μ² all but a few are lost."""

CLOSE = 64
"""The relative width, as a power of two, that is close enough."""


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of Gaussian losses; both sides are alike, and there is no hint.

    Guarantee
    ---------
    δ lies inside. Backed by reference values and by the integral of the densities in
    ``tests/proofs/profiles/test_gaussian_profile.py``.
    """
    read_fields({}, hint, "the method gaussian")
    squared = Fraction(0)
    for count, loss in losses:
        if not isinstance(loss, GaussianLoss):
            raise ProofError(f"the method gaussian knows no loss of the kind {loss.name}")
        squared += count * loss.mu_squared
    if squared == 0:
        return Interval(Fraction(0), Fraction(0))
    found = Interval(Fraction(0), Fraction(1))
    for bits in PRECISIONS:
        found = gaussian_delta(squared, epsilon, bits)
        if (found.upper - found.lower) * 2**CLOSE <= found.upper:
            break
    return found


def gaussian_delta(mu_squared: Fraction, epsilon: Fraction, bits: int) -> Interval:
    """Encloses the least δ of the Gaussian of μ² > 0 at ε >= 0; it grows in μ and falls in ε.

    Guarantee
    ---------
    Backed by ``tests/proofs/rules/test_noise_rules.py::test_the_gaussian_curve_is_enclosed``.
    """
    top, bottom = mu_squared.numerator * mu_squared.denominator, mu_squared.denominator << bits
    root = isqrt(top << 2 * bits)
    below = _delta(Fraction(root, bottom), epsilon, bits)
    above = _delta(Fraction(root + 1, bottom), epsilon, bits)
    return Interval(below.lower, above.upper)


def _delta(mu: Fraction, epsilon: Fraction, bits: int) -> Interval:
    """The same for a rational μ; where Φ is asked too far out, by the value at a smaller ε."""
    reach = mu * (MAX_DISTANCE - mu / 2)
    if reach <= 0:
        return Interval(Fraction(0), Fraction(1))
    if epsilon > reach:
        return Interval(Fraction(0), _delta(mu, reach, bits).upper)
    left, right = (normal_cdf(side * mu / 2 - epsilon / mu, bits) for side in (1, -1))
    power = exp_interval(epsilon, bits)
    # The ends are exact products: rounding them to working precision would undo the bits.
    least = left.lower - power.upper * right.upper
    return Interval(max(least, Fraction(0)), left.upper - power.lower * right.lower)
