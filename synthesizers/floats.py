"""mpmath's numbers, as enclosures use them; `synthesizers.balls` has the same functions.

Each result is right but for a few units of its last place: an assumption on mpmath. Who asks for
numbers asks for many more bits than are needed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from mpmath import (
    erfc,
    exp,
    expm1,
    fsum,
    im,
    ldexp,
    log,
    log1p,
    mpc,
    mpf,
    pi,
    re,
    sqrt,
    workprec,
)

__all__ = [
    "above",
    "erfc",
    "exp",
    "expm1",
    "from_mpf",
    "fsum",
    "im",
    "ldexp",
    "log",
    "log1p",
    "mpc",
    "mpf",
    "normal",
    "pi",
    "rational",
    "re",
    "sqrt",
    "units",
    "workprec",
]


def rational(value: Fraction) -> mpmath.mpf:
    """The rational, rounded to the working precision."""
    # mpmath takes its time to strip the many factors 2 of a number far from 1.
    top, bottom = _factors_of_two(value.numerator), _factors_of_two(value.denominator)
    odd = mpf(value.numerator >> top) / (value.denominator >> bottom)
    return ldexp(odd, top - bottom)


def _factors_of_two(value: int) -> int:
    return max((value & -value).bit_length() - 1, 0)


def from_mpf(value: mpmath.mpf) -> Fraction:
    """The rational that a finite number of mpmath is, exactly."""
    sign, mantissa, exponent, _ = value._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -magnitude if sign else magnitude


def above(value: mpmath.mpf) -> Fraction:
    """The number, as it was computed."""
    return from_mpf(value)


def units(value: mpmath.mpf, bits: int) -> int:
    """The number in units of 2^-``bits``: less than two off, if it was computed to one."""
    return int(ldexp(value, bits))


def normal(place: Any) -> Any:
    """Φ of a complex number, but for a few units of 1.

    Φ(u) - 1/2 = φ(0)·Σ u·(-u²/2)^n/(n!·(2n+1)).
    """
    half = mpf(1) / 2
    series = place * mpmath.hyp1f1(half, 3 * half, -place * place / 2)
    return half + series / sqrt(2 * pi)
