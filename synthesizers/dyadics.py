"""Dyadic numbers m·2^e as pairs of integers (m, e), and their outward rounding.

A product of these costs a fraction of one of fractions, which are reduced each time. One number
has many pairs; what is rounded is the same for all of them.
"""

from __future__ import annotations

import math
from fractions import Fraction

Dyadic = tuple[int, int]
"""The number m·2^e as (m, e)."""


def as_dyadic(value: Fraction) -> Dyadic | None:
    """The number as m·2^e; None where its denominator is no power of two."""
    places = value.denominator.bit_length() - 1
    return (value.numerator, -places) if value.denominator == 1 << places else None


def as_fraction(value: Dyadic) -> Fraction:
    """The number, reduced."""
    mantissa, exponent = value
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def negate(value: Dyadic) -> Dyadic:
    """Minus the number."""
    return -value[0], value[1]


def add(left: Dyadic, right: Dyadic) -> Dyadic:
    """The exact sum."""
    (m, e), (n, f) = left, right
    return ((m << e - f) + n, f) if e > f else (m + (n << f - e), e)


def multiply(left: Dyadic, right: Dyadic) -> Dyadic:
    """The exact product."""
    return left[0] * right[0], left[1] + right[1]


def cut_down(value: Dyadic, bits: int) -> Dyadic:
    """At most the number, and next to it: what `synthesizers.intervals.round_down` gives.

    Guarantee
    ---------
    Backed by ``tests/synthesizers/test_intervals.py``, as is all of this module.
    """
    mantissa, exponent = value
    excess = mantissa.bit_length() - bits - 1
    return (mantissa >> excess, exponent + excess) if excess > 0 else value


def cut_up(value: Dyadic, bits: int) -> Dyadic:
    """At least the number, and next to it: what `synthesizers.intervals.round_up` gives."""
    return negate(cut_down(negate(value), bits))


def divide_down(value: Dyadic, divisor: Dyadic, bits: int) -> Dyadic:
    """At most the quotient by a positive number, and next to it: `round_down` of the fraction."""
    (m, e), (n, f) = value, divisor
    # The fraction is reduced before its bits are counted.
    common = math.gcd(m, n)
    shift = bits - (m // common).bit_length() + (n // common).bit_length()
    return (m << shift) // n if shift >= 0 else m // (n << -shift), e - f - shift


def divide_up(value: Dyadic, divisor: Dyadic, bits: int) -> Dyadic:
    """At least the quotient by a positive number, and next to it."""
    return negate(divide_down(negate(value), divisor, bits))
