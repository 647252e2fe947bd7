"""Intervals with rational ends, rounded outwards, and certified exp and log.

Transcendental functions come from mpmath at a working precision far above the
one asked for; the result is widened by the precision asked for, so a last-digit
error of the library cannot leave the interval. Where FLINT's arithmetic is asked for
(`synthesizers.reals`), it proves that the value lies inside: the ends stay what they are.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from synthesizers import floats
from synthesizers.dyadics import (
    Dyadic,
    add,
    as_dyadic,
    as_fraction,
    cut_down,
    cut_up,
    divide_down,
    divide_up,
    multiply,
    negate,
)
from synthesizers.errors import InputError, TooLargeError
from synthesizers.reals import numbers

WORKING_BITS = 192
"""Significant bits kept in the ends of an interval after each operation."""

MAX_POWER = 1 << 20
"""The largest |r| for which e^r is computed: its ends are fractions of 1.44·|r| bits."""

GUARD_BITS = 40
"""Bits computed beyond those asked for before a result of mpmath is widened."""


def round_down(value: Fraction, bits: int) -> Fraction:
    """A number of ``bits`` or ``bits`` + 1 significant bits, at most ``value`` and next to it."""
    if value == 0:
        return value
    shift = bits - (value.numerator.bit_length() - value.denominator.bit_length())
    if shift >= 0:
        return Fraction((value.numerator << shift) // value.denominator, 1 << shift)
    return Fraction((value.numerator // (value.denominator << -shift)) << -shift)


def round_up(value: Fraction, bits: int) -> Fraction:
    """A number of ``bits`` or ``bits`` + 1 significant bits, at least ``value`` and next to it."""
    return -round_down(-value, bits)


class Interval:
    """All real numbers from ``lower`` to ``upper``, both rational.

    Ends of the form m·2^e, which all results have, are kept as the two integers: a product costs a
    fraction of that of fractions. Raises InputError where ``lower`` exceeds ``upper``.

    Guarantee
    ---------
    Sums, differences, products and quotients of intervals hold every sum,
    difference, product and quotient of their members: the exact ends are
    rounded outwards to ``WORKING_BITS`` significant bits. Backed by the
    containment properties in ``tests/synthesizers/test_intervals.py``, which also compares the
    integers with fractions.
    """

    __slots__ = ("_dyadic", "_ends")
    __match_args__ = ("lower", "upper")

    def __init__(self, lower: Fraction, upper: Fraction) -> None:
        if lower > upper:
            raise InputError("an interval needs lower <= upper")
        low, high = as_dyadic(lower), as_dyadic(upper)
        self._ends: tuple[Fraction, Fraction] | None = (lower, upper)
        self._dyadic = None if low is None or high is None else (low, high)

    @classmethod
    def of_dyadic(cls, low: Dyadic, high: Dyadic) -> Interval:
        """The interval between two numbers m·2^e, of which the second is not below the first."""
        made = object.__new__(cls)
        made._ends, made._dyadic = None, (low, high)
        return made

    @classmethod
    def around(cls, lower: Fraction, upper: Fraction) -> Interval:
        """The interval of the two ends, rounded outwards to the working precision."""
        return cls(round_down(lower, WORKING_BITS), round_up(upper, WORKING_BITS))

    @property
    def _fractions(self) -> tuple[Fraction, Fraction]:
        if self._ends is None:
            assert self._dyadic is not None
            low, high = self._dyadic
            self._ends = (as_fraction(low), as_fraction(high))
        return self._ends

    @property
    def lower(self) -> Fraction:
        """The lower end."""
        return self._fractions[0]

    @property
    def upper(self) -> Fraction:
        """The upper end."""
        return self._fractions[1]

    @property
    def is_zero(self) -> bool:
        """Whether the interval is the single number 0."""
        return self.lower == 0 == self.upper

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and self._fractions == other._fractions

    def __hash__(self) -> int:
        return hash(self._fractions)

    def __repr__(self) -> str:
        return f"Interval(lower={self.lower!r}, upper={self.upper!r})"

    def __reduce__(self) -> tuple[type[Interval], tuple[Fraction, Fraction]]:
        return Interval, self._fractions

    def __add__(self, other: object) -> Interval:
        right = as_interval(other)
        if right is None:
            return NotImplemented
        if self._dyadic is not None and right._dyadic is not None:
            (low, high), (other_low, other_high) = self._dyadic, right._dyadic
            return Interval.of_dyadic(
                cut_down(add(low, other_low), WORKING_BITS),
                cut_up(add(high, other_high), WORKING_BITS),
            )
        return Interval.around(self.lower + right.lower, self.upper + right.upper)

    __radd__ = __add__

    def __neg__(self) -> Interval:
        if self._dyadic is not None:
            return Interval.of_dyadic(negate(self._dyadic[1]), negate(self._dyadic[0]))
        return Interval(-self.upper, -self.lower)

    def __sub__(self, other: object) -> Interval:
        right = as_interval(other)
        return NotImplemented if right is None else self + (-right)

    def __rsub__(self, other: object) -> Interval:
        left = as_interval(other)
        return NotImplemented if left is None else left + (-self)

    def __mul__(self, other: object) -> Interval:
        right = as_interval(other)
        if right is None:
            return NotImplemented
        if self._dyadic is not None and right._dyadic is not None:
            (low, high), (least, most) = self._dyadic, right._dyadic
            if least[0] >= 0:
                return Interval.of_dyadic(
                    cut_down(multiply(low, least if low[0] >= 0 else most), WORKING_BITS),
                    cut_up(multiply(high, most if high[0] >= 0 else least), WORKING_BITS),
                )
            if low[0] >= 0:
                return right * self
        products = [a * b for a in self._fractions for b in right._fractions]
        return Interval.around(min(products), max(products))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Interval:
        right = as_interval(other)
        if right is None:
            return NotImplemented
        if right._dyadic is not None and self._dyadic is not None:
            (low, high), (least, most) = self._dyadic, right._dyadic
            if least[0] > 0:
                return Interval.of_dyadic(
                    divide_down(low, most if low[0] >= 0 else least, WORKING_BITS),
                    divide_up(high, least if high[0] >= 0 else most, WORKING_BITS),
                )
        if right.lower <= 0 <= right.upper:
            raise ZeroDivisionError("the divisor's interval holds 0")
        return self * Interval(1 / right.upper, 1 / right.lower)

    def __rtruediv__(self, other: object) -> Interval:
        left = as_interval(other)
        return NotImplemented if left is None else left / self


def as_interval(value: object) -> Interval | None:
    """The interval of one rational or of an interval; None for anything else."""
    if isinstance(value, Interval):
        return value
    if isinstance(value, int):
        return Interval.of_dyadic((int(value), 0), (int(value), 0))
    return Interval(value, value) if isinstance(value, Fraction) else None


from_mpf, to_mpf = floats.from_mpf, floats.rational


def enclose(function: Callable[[Any], Any], precision: int, bits: int) -> Interval:
    """The interval of relative half-width 2^-``bits`` around what mpmath makes of a function.

    ``function``: of a module of numbers, as `synthesizers.floats` is one. ``precision``: the bits
    that it works with. Raises RuntimeError where FLINT, if it is asked for, does not confirm it.

    Guarantee
    ---------
    The true value lies inside, if mpmath's is right but for 2^-``bits`` of it; with FLINT's
    arithmetic, without that condition. Backed by ``tests/synthesizers/test_intervals.py`` and
    ``tests/synthesizers/test_balls.py``.
    """
    with floats.workprec(precision):
        sign, mantissa, exponent, _ = function(floats)._mpf_
    size = int(mantissa)
    middle, exponent = (-size if sign else size) << bits, int(exponent) - bits
    low, high = (middle - size, exponent), (middle + size, exponent)
    if numbers is not floats:
        with numbers.workprec(precision):
            numbers.confirm(function(numbers), low, high)
    return Interval.of_dyadic(low, high)


@lru_cache(maxsize=65536)
def exp_interval(power: Fraction, bits: int = WORKING_BITS) -> Interval:
    """An interval of relative half-width 2^-``bits`` that holds e^``power``.

    Raises TooLargeError where |``power``| exceeds `MAX_POWER`.
    """
    if abs(power) > MAX_POWER:
        raise TooLargeError(
            f"a chance or loss has an exponent beyond ±{MAX_POWER}; "
            "use a smaller epsilon, a larger scale or fewer records"
        )
    if power == 0:
        return Interval(Fraction(1), Fraction(1))
    # The argument is rounded before exp sees it, so its magnitude costs that many bits.
    size = max(0, abs(power.numerator).bit_length() - power.denominator.bit_length() + 1)
    return enclose(lambda at: at.exp(at.rational(power)), bits + GUARD_BITS + size, bits)


@lru_cache(maxsize=65536)
def log_interval(value: Fraction, bits: int = WORKING_BITS) -> Interval:
    """An interval of relative half-width 2^-``bits`` that holds ln ``value`` (> 0).

    Near 1 the logarithm is as small as the distance from 1, so the precision
    grows by the bits that the subtraction cancels.
    """
    if value <= 0:
        raise InputError("ln needs a positive number")
    if value == 1:
        return Interval(Fraction(0), Fraction(0))
    distance = abs(value - 1)
    cancelled = max(0, distance.denominator.bit_length() - distance.numerator.bit_length() + 1)
    return enclose(lambda at: at.log(at.rational(value)), bits + GUARD_BITS + cancelled, bits)


@lru_cache(maxsize=65536)
def log2_interval(value: Fraction, bits: int = WORKING_BITS) -> Interval:
    """An interval that holds log2 ``value`` (> 0); the number itself for a power of two.

    Its relative half-width is 2^(2 - ``bits``) at most.
    """
    power = value.numerator.bit_length() - value.denominator.bit_length()
    if value == Fraction(2) ** power:
        return Interval(Fraction(power), Fraction(power))
    top, two = log_interval(value, bits), log_interval(Fraction(2), bits)
    ends = [end / factor for end in (top.lower, top.upper) for factor in (two.lower, two.upper)]
    return Interval(min(ends), max(ends))


def log_of(interval: Interval, bits: int = WORKING_BITS) -> Interval:
    """An interval that holds ln of every member of a positive interval."""
    lower = log_interval(interval.lower, bits).lower
    return Interval(lower, log_interval(interval.upper, bits).upper)


def float_below(value: Fraction) -> float:
    """The largest double that is at most ``value``; minus infinity below the range of doubles."""
    try:
        nearest = float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -math.inf
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def float_above(value: Fraction) -> float:
    """The smallest double that is at least ``value``; infinity above the range of doubles."""
    # 0.0 minus, because a minus sign alone would turn 0 into -0.0.
    return 0.0 - float_below(-value)
