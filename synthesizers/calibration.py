"""Noise for a wanted guarantee. Untrusted: a theorem or an exact channel decides.

Each function is the inverse of the matching ``cost``; where a result would not
be rational it is rounded towards more noise.
"""

from __future__ import annotations

from fractions import Fraction

from synthesizers.queries import Sensitivity


def laplace_scale(epsilon: Fraction, sensitivity: Sensitivity) -> Fraction:
    """Scale L1/ε of discrete or rounded Laplace noise."""
    return Fraction(sensitivity.l1) / epsilon


def gaussian_variance(rho: Fraction, sensitivity: Sensitivity) -> Fraction:
    """Variance L2²/(2ρ) of discrete Gaussian noise for ρ-zCDP."""
    return Fraction(sensitivity.l2_squared) / (2 * rho)


def exponential_rate(epsilon: Fraction, sensitivity: Sensitivity) -> Fraction:
    """Rate ε/(2·L∞) of an exponential mechanism, or ε/L∞ for monotone scores."""
    return epsilon * Fraction(1, (1 if sensitivity.monotone else 2) * sensitivity.linf)
