"""Ratios of exponential sums: exact numbers whose equality can be decided.

The laws here give chances such as the geometric's (1 - e^-ε)/(1 + e^-ε): sums
of rational multiples of e^r with rational r, divided by each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.errors import TooLargeError
from synthesizers.intervals import WORKING_BITS, Interval, exp_interval

MAX_BITS = 1 << 13
"""The precision at which a comparison of unequal numbers is given up as undecided."""

_ZERO = Fraction(0)
_ONE = Fraction(1)
Terms = dict[Fraction, Fraction]


def add_terms(left: Terms, right: Terms, factor: int = 1) -> Terms:
    """The sum of one exponential sum and ``factor`` times another."""
    total = dict(left)
    for power, coefficient in right.items():
        moved = coefficient if factor == 1 else factor * coefficient
        total[power] = total[power] + moved if power in total else moved
    return {power: coefficient for power, coefficient in total.items() if coefficient}


def multiply_terms(left: Terms, right: Terms) -> Terms:
    """The product of two exponential sums."""
    if len(left) == 1 and left.get(_ZERO) == 1:
        return right
    if len(right) == 1 and right.get(_ZERO) == 1:
        return left
    product: Terms = {}
    for power, coefficient in left.items():
        for other_power, other in right.items():
            place, part = power + other_power, coefficient * other
            product[place] = product[place] + part if place in product else part
    return {power: coefficient for power, coefficient in product.items() if coefficient}


def _evaluate(terms: Terms, bits: int) -> tuple[int, int, int]:
    """The lower and the upper end of a sum, as integers over one positive denominator.

    The ends of e^r are integers over powers of two: what remains are sums of integers.
    """
    parts = [exp_interval(power, bits) for power in terms]
    common = math.lcm(*(coefficient.denominator for coefficient in terms.values()))
    scale = max(max(part.lower.denominator, part.upper.denominator) for part in parts)
    lower = upper = 0
    for part, coefficient in zip(parts, terms.values(), strict=True):
        factor = coefficient.numerator * (common // coefficient.denominator)
        least, most = (
            end.numerator * (scale // end.denominator) * factor for end in (part.lower, part.upper)
        )
        if factor < 0:
            least, most = most, least
        lower, upper = lower + least, upper + most
    return lower, upper, common * scale


def sign(terms: Terms) -> int | None:
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
        lower, upper, _ = _evaluate(shifted, bits)
        if lower > 0:
            return 1
        if upper < 0:
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
        right = lift(other)
        if right is None:
            return NotImplemented
        if self.denominator == right.denominator:
            return ExpRational(add_terms(self.numerator, right.numerator), self.denominator)
        return ExpRational(
            add_terms(
                multiply_terms(self.numerator, right.denominator),
                multiply_terms(right.numerator, self.denominator),
            ),
            multiply_terms(self.denominator, right.denominator),
        )

    __radd__ = __add__

    def __neg__(self) -> ExpRational:
        return ExpRational({p: -c for p, c in self.numerator.items()}, self.denominator)

    def __sub__(self, other: object) -> ExpRational:
        right = lift(other)
        return NotImplemented if right is None else self + (-right)

    def __rsub__(self, other: object) -> ExpRational:
        left = lift(other)
        return NotImplemented if left is None else left + (-self)

    def __mul__(self, other: object) -> ExpRational:
        right = lift(other)
        if right is None:
            return NotImplemented
        return ExpRational(
            multiply_terms(self.numerator, right.numerator),
            multiply_terms(self.denominator, right.denominator),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> ExpRational:
        right = lift(other)
        if right is None:
            return NotImplemented
        side = sign(right.numerator)
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
        return ExpRational(
            multiply_terms(self.numerator, top), multiply_terms(self.denominator, bottom)
        )

    def __rtruediv__(self, other: object) -> ExpRational:
        left = lift(other)
        return NotImplemented if left is None else left / self

    def __eq__(self, other: object) -> bool:
        right = lift(other)
        if right is None:
            return NotImplemented
        return multiply_terms(self.numerator, right.denominator) == multiply_terms(
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
        lower, upper, denominator = _evaluate(shifted, precision)
        if lower > 0 or upper < 0:
            magnitude = min(abs(lower), abs(upper))
            if (upper - lower) << bits <= magnitude:
                value = Interval(Fraction(lower, denominator), Fraction(upper, denominator))
                return value * exp_interval(top, bits + 8)
        precision *= 2
    raise TooLargeError(
        "two probabilities agree to more digits than the stated precision; "
        "use smaller parameters or fewer records"
    )


def lift(value: object) -> ExpRational | None:
    """The number as a ratio of exponential sums; None for what is neither rational nor one."""
    if isinstance(value, ExpRational):
        return value
    if isinstance(value, int | Fraction):
        return ExpRational.of(value)
    return None
