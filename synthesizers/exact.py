"""Exact numbers and certified comparisons.

Probabilities of the laws here are rationals, ratios of exponential sums (such
as the geometric's (1 - e^-ε)/(1 + e^-ε)), or, where no closed form exists,
intervals. Comparisons of the first two kinds are decided exactly, equality
included; a float never takes part.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import cast

from synthesizers.errors import InputError, TooLargeError
from synthesizers.exponential import ExpRational as ExpRational
from synthesizers.exponential import add_terms, lift, multiply_terms, sign
from synthesizers.intervals import (
    WORKING_BITS,
    Interval,
    exp_interval,
    log_of,
)

TABLE_ERROR = 2
"""Relative error of ``mantissa_and_exponent``, in units of 2^-53."""

MAX_DIGITS = 4000
"""The most digits of either part of a number that is read (below the
4300 that Python writes)."""

Exact = Fraction | ExpRational | Interval
"""A probability or a bound: known exactly, or inside a certified interval."""


def is_zero(value: Exact) -> bool:
    """Whether the number is exactly 0."""
    return value == 0 if isinstance(value, Fraction) else value.is_zero


def enclose(value: Exact, bits: int = WORKING_BITS) -> Interval:
    """The interval of a number (a single point for a rational)."""
    if isinstance(value, ExpRational):
        rational = value.rational
        if rational is None:
            return value.enclosure(bits)
        value = rational
    return value if isinstance(value, Interval) else Interval(value, value)


def add(left: Exact, right: Exact) -> Exact:
    """The sum of two exact numbers (an interval if either is one)."""
    if isinstance(left, Interval) or isinstance(right, Interval):
        return enclose(left) + enclose(right)
    return cast(Exact, left + right)


def subtract(left: Exact, right: Exact) -> Exact:
    """The difference of two exact numbers (an interval if either is one)."""
    if isinstance(left, Interval) or isinstance(right, Interval):
        return enclose(left) - enclose(right)
    return cast(Exact, left - right)


def multiply(left: Exact, right: Exact) -> Exact:
    """The product of two exact numbers (an interval if either is one)."""
    if isinstance(left, Interval) or isinstance(right, Interval):
        return enclose(left) * enclose(right)
    return cast(Exact, left * right)


def divide(left: Exact, right: Exact) -> Exact:
    """The quotient of two exact numbers (an interval if either is one)."""
    if isinstance(left, Interval) or isinstance(right, Interval):
        return enclose(left) / enclose(right)
    return cast(Exact, left / right)


def compare(left: Exact, right: Exact) -> int | None:
    """-1, 0 or 1 as left is below, equal to or above right; None if undecided.

    Guarantee
    ---------
    An answer that is not None is true. None is possible only for intervals
    that overlap, or where two unequal numbers agree to ``MAX_BITS`` bits.
    """
    if isinstance(left, Interval) or isinstance(right, Interval):
        a, b = enclose(left), enclose(right)
        if a.upper < b.lower:
            return -1
        if a.lower > b.upper:
            return 1
        return 0 if a == b and a.lower == a.upper else None
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return (left > right) - (left < right)
    first, second = cast(ExpRational, lift(left)), cast(ExpRational, lift(right))
    top, other = first.numerator, second.numerator
    # Chances of one law share their denominator, which is positive.
    if first.denominator != second.denominator:
        top = multiply_terms(top, second.denominator)
        other = multiply_terms(other, first.denominator)
    return sign(add_terms(top, other, -1))


def times_exp(value: Exact, power: Fraction) -> Exact:
    """The number e^``power`` times ``value``."""
    if power == 0 or is_zero(value):
        return value
    if isinstance(value, Interval):
        return value * exp_interval(power)
    return cast(ExpRational, lift(value)) * ExpRational.exp(power)


def log_enclosure(value: Exact) -> Interval:
    """An interval that holds ln of a positive number; a point where ln is rational by form."""
    if isinstance(value, ExpRational):
        power = value.log_rational
        if power is not None:
            return Interval(power, power)
    return log_of(enclose(value))


def mantissa_and_exponent(value: Exact) -> tuple[float, int]:
    """A double m in [1/2, 1] and a whole number e with m·2^e near a positive number.

    Raises TooLargeError for an interval that is too wide.

    Guarantee
    ---------
    |m·2^e - value| <= ``TABLE_ERROR`` · 2^-53 · value, whatever the size of the value. Backed by
    ``tests/synthesizers/test_exact.py``.
    """
    number = _middle(value)
    top, bottom = number.numerator, number.denominator
    # A quotient of 64 bits or one more: it is cut below its last bit, and then rounded.
    shift = 64 - (top.bit_length() - bottom.bit_length())
    quotient = (top << shift) // bottom if shift >= 0 else top // (bottom << -shift)
    mantissa, exponent = math.frexp(quotient)
    return mantissa, exponent - shift


def _middle(value: Exact) -> Fraction:
    """A rational within relative 2^-56 of the number; TooLargeError for one known too vaguely."""
    if isinstance(value, Fraction):
        return value
    interval = enclose(value, 96)
    if (interval.upper - interval.lower) * 2**56 > abs(interval.lower):
        raise TooLargeError("a probability is not known closely enough to be held as a double")
    return (interval.lower + interval.upper) / 2


def parse_rational(text: object, name: str) -> Fraction:
    """A rational from an int, a Fraction, or text: integer, decimal or fraction.

    Floats are refused because 0.1 as a float is not 1/10. Raises InputError
    naming ``name``, as for numbers of more than `MAX_DIGITS` digits.
    """
    if isinstance(text, bool) or not isinstance(text, int | Fraction | str | Decimal):
        raise InputError(
            f"{name} must be an integer, a fraction or a decimal in quotes, "
            f"found {type(text).__name__}"
        )
    try:
        if isinstance(text, str) and len(text) > MAX_DIGITS:
            raise ValueError
        if isinstance(text, Decimal) or (isinstance(text, str) and "/" not in text):
            number = Decimal(text.strip()) if isinstance(text, str) else text
            if not number.is_finite() or abs(number.adjusted()) > 1000:
                raise ValueError
            text = number
        value = Fraction(text)
        if max(abs(value.numerator), value.denominator) >= _TOO_LARGE:
            raise ValueError
        return value
    except (ValueError, ZeroDivisionError, InvalidOperation, OverflowError):
        found = repr(str(text)[:40]) if isinstance(text, str | Decimal) else "a longer one"
        raise InputError(
            f"{name} must be a finite number such as 2, 0.5 or 1/3, of at most {MAX_DIGITS} "
            f"digits, found {found}"
        ) from None


_TOO_LARGE = 10**MAX_DIGITS
"""The least whole number of too many digits."""
