"""Exact numbers and certified comparisons.

Probabilities of the laws here are rationals, ratios of exponential sums (such
as the geometric's (1 - e^-ε)/(1 + e^-ε)), or, where no closed form exists,
intervals. Comparisons of the first two kinds are decided exactly, equality
included; a float never takes part.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import cast

from synthesizers.errors import InputError, TooLargeError
from synthesizers.intervals import (
    WORKING_BITS,
    Interval,
    exp_interval,
    float_above,
    float_below,
    log_of,
)

MAX_BITS = 1 << 13
"""The precision at which a comparison of unequal numbers is given up as undecided."""

TABLE_ERROR = 2
"""Relative error of ``nearest_float``, in units of 2^-53."""

_ZERO = Fraction(0)
_ONE = Fraction(1)
Terms = dict[Fraction, Fraction]


def _add(left: Terms, right: Terms, factor: int = 1) -> Terms:
    total = dict(left)
    for power, coefficient in right.items():
        value = total.get(power, _ZERO) + factor * coefficient
        if value:
            total[power] = value
        else:
            total.pop(power, None)
    return total


def _multiply(left: Terms, right: Terms) -> Terms:
    if len(left) == 1 and left.get(_ZERO) == 1:
        return right
    if len(right) == 1 and right.get(_ZERO) == 1:
        return left
    product: Terms = {}
    for power, coefficient in left.items():
        for other_power, other in right.items():
            exponent = power + other_power
            value = product.get(exponent, _ZERO) + coefficient * other
            if value:
                product[exponent] = value
            else:
                product.pop(exponent, None)
    return product


def _evaluate(terms: Terms, bits: int) -> Interval:
    parts = [exp_interval(power, bits) for power in terms]
    total = Interval(_ZERO, _ZERO)
    for part, coefficient in zip(parts, terms.values(), strict=True):
        ends = (part.lower * coefficient, part.upper * coefficient)
        total = Interval(total.lower + min(ends), total.upper + max(ends))
    return total


def _sign(terms: Terms) -> int | None:
    """The sign of Σ c·e^r over distinct rationals r, or None at ``MAX_BITS``."""
    if not terms:
        return 0
    if all(value > 0 for value in terms.values()):
        return 1
    if all(value < 0 for value in terms.values()):
        return -1
    top = max(terms)
    shifted = {power - top: value for power, value in terms.items()}
    bits = MAX_BITS >> 6
    while bits <= MAX_BITS:
        value = _evaluate(shifted, bits)
        if value.lower > 0:
            return 1
        if value.upper < 0:
            return -1
        bits *= 2
    return None


@dataclass(frozen=True, slots=True, eq=False)
class ExpRational:
    """A ratio of two exponential sums Σ c·e^r with rational c and r.

    ``numerator`` and ``denominator`` map each exponent r to its coefficient c;
    no coefficient is zero, and the denominator is positive as a real number.

    Guarantee
    ---------
    Field operations are exact. A numerator is zero as a number only if it has
    no terms: for distinct rational exponents the numbers e^r are linearly
    independent over the rationals (Lindemann–Weierstrass). Backed by
    ``tests/synthesizers/test_exact.py``.
    """

    numerator: Terms
    denominator: Terms

    @classmethod
    def exp(cls, power: Fraction | int) -> ExpRational:
        """The number e^``power``."""
        return cls({Fraction(power): _ONE}, {_ZERO: _ONE})

    @classmethod
    def of(cls, value: Fraction | int) -> ExpRational:
        """The rational ``value``."""
        return cls({_ZERO: Fraction(value)} if value else {}, {_ZERO: _ONE})

    @property
    def is_zero(self) -> bool:
        """Whether the number is 0."""
        return not self.numerator

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction where it is one by its form; None otherwise."""
        if self.is_zero:
            return _ZERO
        power = next(iter(self.numerator))
        if power not in self.denominator:
            return None
        ratio = self.numerator[power] / self.denominator[power]
        scaled = {key: ratio * value for key, value in self.denominator.items()}
        return ratio if scaled == self.numerator else None

    @property
    def log_rational(self) -> Fraction | None:
        """ln of the number where the number is e^r by its form; None otherwise."""
        if self.is_zero:
            return None
        shift = max(self.numerator) - max(self.denominator)
        moved = {power + shift: value for power, value in self.denominator.items()}
        return shift if moved == self.numerator else None

    def __add__(self, other: object) -> ExpRational:
        right = _lift(other)
        if right is None:
            return NotImplemented
        if self.denominator == right.denominator:
            return ExpRational(_add(self.numerator, right.numerator), self.denominator)
        return ExpRational(
            _add(
                _multiply(self.numerator, right.denominator),
                _multiply(right.numerator, self.denominator),
            ),
            _multiply(self.denominator, right.denominator),
        )

    __radd__ = __add__

    def __neg__(self) -> ExpRational:
        return ExpRational({p: -c for p, c in self.numerator.items()}, self.denominator)

    def __sub__(self, other: object) -> ExpRational:
        right = _lift(other)
        return NotImplemented if right is None else self + (-right)

    def __rsub__(self, other: object) -> ExpRational:
        left = _lift(other)
        return NotImplemented if left is None else left + (-self)

    def __mul__(self, other: object) -> ExpRational:
        right = _lift(other)
        if right is None:
            return NotImplemented
        return ExpRational(
            _multiply(self.numerator, right.numerator),
            _multiply(self.denominator, right.denominator),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> ExpRational:
        right = _lift(other)
        if right is None:
            return NotImplemented
        side = _sign(right.numerator)
        if side == 0:
            raise ZeroDivisionError("division by an exponential sum that is 0")
        if side is None:
            raise TooLargeError(
                "the sign of a divisor could not be decided at the stated precision"
            )
        top, bottom = right.denominator, right.numerator
        if side < 0:
            top = {p: -c for p, c in top.items()}
            bottom = {p: -c for p, c in bottom.items()}
        return ExpRational(_multiply(self.numerator, top), _multiply(self.denominator, bottom))

    def __rtruediv__(self, other: object) -> ExpRational:
        left = _lift(other)
        return NotImplemented if left is None else left / self

    def __eq__(self, other: object) -> bool:
        right = _lift(other)
        if right is None:
            return NotImplemented
        return _multiply(self.numerator, right.denominator) == _multiply(
            right.numerator, self.denominator
        )

    def __hash__(self) -> int:
        # Equal numbers may have different forms, and cross-multiplying equal forms equates the
        # products of their outermost terms: what is hashed is the same for all forms of a number.
        rational = self.rational
        if rational is not None:
            return hash(rational)
        ends = ((pick(self.numerator), pick(self.denominator)) for pick in (max, min))
        return hash(
            tuple((top - low, self.numerator[top] / self.denominator[low]) for top, low in ends)
        )

    def enclosure(self, bits: int = WORKING_BITS) -> Interval:
        """An interval around the number, of relative width below 2^(3 - ``bits``).

        ``bits`` is at most `WORKING_BITS`, to which the ends are rounded.
        """
        if self.is_zero:
            return Interval(_ZERO, _ZERO)
        return _tight(self.numerator, bits + 4) / _tight(self.denominator, bits + 4)


def _tight(terms: Terms, bits: int) -> Interval:
    """An enclosure of relative width 2^-bits of a sum that is not zero."""
    top = max(terms)
    shifted = {power - top: value for power, value in terms.items()}
    precision = bits + 8
    while precision <= MAX_BITS:
        value = _evaluate(shifted, precision)
        if value.lower > 0 or value.upper < 0:
            magnitude = min(abs(value.lower), abs(value.upper))
            if (value.upper - value.lower) * 2**bits <= magnitude:
                return value * exp_interval(top, bits + 8)
        precision *= 2
    raise TooLargeError(
        "two probabilities agree to more digits than the stated precision; "
        "use smaller parameters or fewer records"
    )


def _lift(value: object) -> ExpRational | None:
    if isinstance(value, ExpRational):
        return value
    if isinstance(value, int | Fraction):
        return ExpRational.of(value)
    return None


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
    a_, b_ = cast(ExpRational, _lift(left)), cast(ExpRational, _lift(right))
    return _sign(
        _add(
            _multiply(a_.numerator, b_.denominator),
            _multiply(b_.numerator, a_.denominator),
            -1,
        )
    )


def times_exp(value: Exact, power: Fraction) -> Exact:
    """The number e^``power`` times ``value``."""
    if power == 0 or is_zero(value):
        return value
    if isinstance(value, Interval):
        return value * exp_interval(power)
    return cast(ExpRational, _lift(value)) * ExpRational.exp(power)


def log_enclosure(value: Exact) -> Interval:
    """An interval that holds ln of a positive number; a point where ln is rational by form."""
    if isinstance(value, ExpRational):
        power = value.log_rational
        if power is not None:
            return Interval(power, power)
    return log_of(enclose(value))


def nearest_float(value: Exact) -> float:
    """A double within relative error 2^-52 of a positive number, or 0.0 for zero.

    Guarantee
    ---------
    |result - value| <= 2 · 2^-53 · value. A number below the smallest normal
    double raises TooLargeError: it never turns into a false zero. So does an
    interval too wide for the bound.
    """
    if is_zero(value):
        return 0.0
    interval = enclose(value, 96)
    if (interval.upper - interval.lower) * 2**56 > abs(interval.lower):
        raise TooLargeError("a probability is not known closely enough to be held as a double")
    try:
        result = float((interval.lower + interval.upper) / 2)
    except OverflowError:
        result = math.inf
    if abs(result) < sys.float_info.min or math.isinf(result):
        raise TooLargeError(
            "a probability lies outside the range of normal doubles; "
            "analyse fewer records, a smaller epsilon, or use --exact"
        )
    return result


def outward_floats(interval: Interval) -> tuple[float, float]:
    """The closest doubles below and above an interval."""
    return float_below(interval.lower), float_above(interval.upper)


def parse_rational(text: object, name: str) -> Fraction:
    """A rational from an int, a Fraction, or text: integer, decimal or fraction.

    Floats are refused because 0.1 as a float is not 1/10. Raises InputError
    naming ``name``.
    """
    if isinstance(text, bool) or not isinstance(text, int | Fraction | str | Decimal):
        raise InputError(
            f"{name} must be an integer, a fraction or a decimal in quotes, "
            f"found {type(text).__name__}"
        )
    try:
        if isinstance(text, Decimal) or (isinstance(text, str) and "/" not in text):
            number = Decimal(text.strip()) if isinstance(text, str) else text
            if not number.is_finite() or abs(number.adjusted()) > 1000:
                raise ValueError
            return Fraction(number)
        return Fraction(text)
    except (ValueError, ZeroDivisionError, InvalidOperation, OverflowError):
        raise InputError(
            f"{name} must be a finite number such as 2, 0.5 or 1/3, found {str(text)[:40]!r}"
        ) from None
