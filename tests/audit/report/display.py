"""Numbers in text against the enclosures that they stand for."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from audit.statements.decimals import Enclosure

NUMBER = r"∞|\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def numbers(text: str) -> list[str]:
    """The numbers in a text, as they are written."""
    return re.findall(NUMBER, text)


def assert_rounds(text: str, ends: Enclosure, scale: int = 1) -> None:
    """Text is one number that both ends round to, or a range that is no narrower than they are.

    "At least" heads a number that is rounded down.
    """
    found = numbers(text)
    assert found and len(found) <= 2, text
    if len(found) == 2:
        assert " to " in text
        low, high = (float(part.replace("∞", "inf")) for part in found)
        assert low <= scale * ends.lower <= scale * ends.upper <= high
        return
    if found[0] == "∞":
        assert ends.lower == ends.upper == float("inf")
        return
    exponent = Decimal(found[0]).as_tuple().exponent
    assert isinstance(exponent, int)
    unit = Fraction(10) ** exponent
    if "at least" in text:
        assert 0 <= scale * Fraction(ends.lower) - Fraction(found[0]) <= unit
        return
    for end in (ends.lower, ends.upper):
        # A value of fewer digits than are shown lost zeros at the end, and is as exact.
        assert abs(Fraction(found[0]) - scale * Fraction(end)) <= unit / 2
