"""Decimal text of rationals with a stated rounding direction."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.exact import MAX_DIGITS, Exact, ExpRational, enclose, parse_rational
from synthesizers.intervals import Interval, float_above, float_below

Extended = Fraction | float
"""A rational, or ``math.inf``; no other float."""

MAX_EXPONENT = 25_000
"""The largest power of ten that is written or read (a million digits
would take minutes to write). What lies closer to zero is written as lying beside it."""

DIGITS = 17
"""Significant digits of printed ends: enough to tell any two doubles apart."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """An exact value is known to lie in [lower, upper]; both may be infinite."""

    lower: Extended
    upper: Extended

    def __post_init__(self) -> None:
        for end in (self.lower, self.upper):
            if isinstance(end, float) and end != math.inf:
                raise InputError("an enclosure's ends are rationals or infinity")
        if self.lower > self.upper:
            raise InputError("an enclosure needs lower <= upper")

    @classmethod
    def of(cls, interval: Interval) -> Enclosure:
        """The same ends."""
        return cls(interval.lower, interval.upper)

    @classmethod
    def infinite(cls) -> Enclosure:
        """The value is infinite."""
        return cls(math.inf, math.inf)

    def to_json(self) -> dict[str, str]:
        """Both ends as decimal strings, rounded outwards."""
        return {"lower": decimal_below(self.lower), "upper": decimal_above(self.upper)}

    @classmethod
    def from_json(cls, data: dict[str, str]) -> Enclosure:
        """The enclosure of its decimal strings."""
        return cls(parse_extended(data["lower"]), parse_extended(data["upper"]))

    def as_written(self) -> Enclosure:
        """The enclosure of its decimal strings, which may be a little wider."""
        return Enclosure.from_json(self.to_json())

    def floats(self) -> tuple[float, float]:
        """Both ends as doubles, rounded outwards."""
        lower = self.lower if isinstance(self.lower, float) else float_below(self.lower)
        upper = self.upper if isinstance(self.upper, float) else float_above(self.upper)
        return lower, upper

    def __str__(self) -> str:
        return f"[{decimal_below(self.lower, 10)}, {decimal_above(self.upper, 10)}]"


def parse_extended(text: str) -> Extended:
    """A rational or infinity from its text, of any size that `decimal_below` writes.

    Raises InputError.
    """
    if text == "inf":
        return math.inf
    if "/" in text:
        return parse_rational(text, "a number")
    try:
        if len(text) > MAX_DIGITS:
            raise ValueError
        number = Decimal(text)
        if not number.is_finite() or abs(number.adjusted()) > MAX_EXPONENT + DIGITS:
            raise ValueError
    except (InvalidOperation, ValueError, TypeError):
        raise InputError("expected a decimal number or 'inf'") from None
    return Fraction(number)


def decimal_below(value: Extended, digits: int = DIGITS) -> str:
    """The largest decimal of that many significant digits that is at most ``value``."""
    return _decimal(value, digits, ROUND_FLOOR)


def decimal_above(value: Extended, digits: int = DIGITS) -> str:
    """The smallest decimal of that many significant digits that is at least ``value``."""
    return _decimal(value, digits, ROUND_CEILING)


def _decimal(value: Extended, digits: int, rounding: str) -> str:
    if isinstance(value, float):
        return "inf"
    if value.denominator == 1 and abs(value.numerator) < 10**digits:
        return str(value.numerator)
    context = Context(prec=digits, rounding=rounding, Emin=-MAX_EXPONENT, Emax=MAX_EXPONENT)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    normal = quotient.normalize(context)
    return format(normal, "f") if -7 <= normal.adjusted() < digits else str(normal)


_LONG = re.compile(
    r"(?<![\w/.√])(√?)(?:([0-9]+)/([0-9]+)|([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]{1,3})?))(?![\w/])"
)
"""A ratio of whole numbers in a sentence, or a decimal, or the root of either."""

READABLE = 24
"""The most characters of a number that is read as it is (no double is longer)."""

BESIDE = 60
"""The most characters of one that is printed beside its decimal."""


def with_decimals(text: str) -> str:
    """A sentence in which long exact numbers are led by their decimals, rounded down.

    There are as many digits as tell the number from the whole number beside it, six at the least. A
    very long one gives way to its decimal: the value that the sentence is made of has it.
    """
    return _LONG.sub(_lead, text)


def _lead(found: re.Match[str]) -> str:
    exact = found[0]
    if len(exact) <= READABLE:
        return exact
    try:
        value = parse_rational(exact.lstrip("√"), "a number")
    except InputError:
        return exact
    if found[1]:
        shift = 512 + value.denominator.bit_length()
        value = Fraction(
            math.isqrt((value.numerator << 2 * shift) // value.denominator), 1 << shift
        )
    near = abs(value - round(value))
    digits = 6
    if 0 < near < value / 10**4:
        digits = len(str(int(value / near))) + 2
    decimal = decimal_below(value, min(digits, DIGITS * 2))
    return f"{decimal} (exactly {exact})" if len(exact) <= BESIDE else f"about {decimal}"


MAX_FRACTION_BITS = 4096
"""The longest denominator that is written out; a longer one gives way to an enclosure."""


def exact_text(value: Exact) -> str | dict[str, str]:
    """A chance as text: a fraction of moderate length, or the decimal ends of its enclosure."""
    if isinstance(value, ExpRational):
        rational = value.rational
        value = value if rational is None else rational
    if isinstance(value, Fraction) and value.denominator.bit_length() <= MAX_FRACTION_BITS:
        return str(value)
    return Enclosure.of(enclose(value)).to_json()
