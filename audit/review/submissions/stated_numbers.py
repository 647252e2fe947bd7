"""Numbers as write-ups state them: exact, or rounded to the digits that they give."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.numerals import is_decimal, number_text, rational

LONGEST = 400
"""The most characters of a number that is read."""

_ROOT = re.compile(r"(?:sqrt\((?P<inner>[^()]+)\)|√(?P<plain>[^()]+))")


@dataclass(frozen=True)
class StatedNumber:
    """A number as it is stated: whatever lies between ``lower`` and ``upper`` may be meant.

    ``root``: the ends are those of its square, as of "sqrt(2)".
    """

    lower: Fraction
    upper: Fraction
    root: bool = False

    def __add__(self, other: StatedNumber) -> StatedNumber:
        return StatedNumber(self.lower + other.lower, self.upper + other.upper)

    def agrees(self, value: Fraction, *, root: bool = False) -> bool:
        """Whether an exact number may be meant; ``root``: the value is that of its square.

        Guarantee
        ---------
        Decided in exact fractions. Without a decimal point nothing but the number itself agrees.
        Backed by ``tests/audit/review/submissions/test_stated_numbers.py``.
        """
        if value < 0:
            return False
        square = value if root else value * value
        ends = self.lower, self.upper
        lower, upper = ends if self.root else (max(end, Fraction(0)) ** 2 for end in ends)
        return self.upper >= 0 and lower <= square <= upper


def read_number(text: str, what: str) -> StatedNumber:
    """A number of at least 0: "2", "1/3", "0.33", "sqrt(2)"; raises InputError.

    A decimal point says how far it is rounded: "0.33" is all from 0.325 to 0.335, and "2" is 2.
    """
    root, bare = _split(text)
    value = rational(bare)
    if value is None or value < 0:
        raise InputError(
            f"{what} is a number of at least 0, such as 2, 1/3, 0.5 or sqrt(2), found {text[:40]!r}"
        )
    half = _half_digit(bare)
    return StatedNumber(value - half, value + half, root)


def _split(text: str) -> tuple[bool, str]:
    """Whether a root is meant, and the number itself."""
    found = _ROOT.fullmatch(text.strip())
    return found is not None, (found["inner"] or found["plain"] if found else text).strip()


def _half_digit(text: str) -> Fraction:
    """Half a unit of the last digit of a decimal with a point; 0 of any other number."""
    if not is_decimal(text) or "." not in text:
        return Fraction(0)
    digits, _, exponent = text.lower().partition("e")
    places = len(digits) - digits.index(".") - 1
    return Fraction(10) ** (int(exponent or 0) - places) / 2


def spell_root(squared: int) -> str:
    """The root of a whole number as text: "2" or "sqrt(2)".

    >>> spell_root(4), spell_root(2)
    ('2', 'sqrt(2)')
    """
    whole = math.isqrt(squared)
    return str(whole) if whole * whole == squared else f"sqrt({squared})"


def agrees_with(stated: StatedNumber, exact: str) -> bool:
    """Whether a stated number may be the exact one of a text, as `spell_root` writes it."""
    root, bare = _split(exact)
    value = rational(bare)
    return value is not None and stated.agrees(value, root=root)


def spell_share(share: Fraction) -> str:
    """A share as the shortest exact text; where no reader takes so many digits, rounded."""
    text = number_text(share)
    return text if len(text) <= LONGEST else f"{float(share):.17f}"
