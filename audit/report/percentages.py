"""Chances and other enclosed values, rounded to be read."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from audit.report.words import DIGITS, enclosure_text
from audit.statements.decimals import Enclosure

HAIR = Fraction(1, 10**8)
"""The smallest percentage that is written out."""


def percent(chance: Fraction) -> str:
    """A chance as the nearest percentage: ``95.3 %``, ``99.9966 %``, ``0.0012 %``.

    Two digits of its distance from 0 or from 100 % are shown, and one decimal at least; only a
    chance of exactly 0 or 1 is written ``0 %`` or ``100 %``.
    """
    if 0 < 100 * min(chance, 1 - chance) < HAIR:
        if 2 * chance < 1:
            return f"less than {_round(HAIR / 100)} %"
        return f"more than {_round(1 - HAIR / 100)} %"
    return f"{_round(chance)} %"


def percent_below(chance: Fraction) -> str:
    """A percentage that a chance is at least, to the decimals of `percent`."""
    return f"{_round(chance, math.floor)} %"


def percent_above(chance: Fraction) -> str:
    """A percentage that a chance is at most, to the decimals of `percent`."""
    return f"{_round(chance, math.ceil)} %"


def at_least(ends: Enclosure) -> str:
    """An enclosed chance by its nearest percentage, or else by the most that it is at least."""
    low, high = Fraction(ends.lower), Fraction(ends.upper)
    nearest = percent(low)
    return nearest if nearest == percent(high) else f"at least {percent_below(low)}"


def share(ends: Enclosure, digits: int = DIGITS) -> str:
    """An enclosed value for a table, where every number may be rounded."""
    return enclosure_text(ends, digits).removeprefix("≈ ")


def _round(chance: Fraction, direction: Callable[[Fraction], int] = round) -> str:
    """A chance in percent, to the decimals that `percent` shows."""
    distance = 100 * min(chance, 1 - chance)
    places = max(1, 1 - math.floor(math.log10(max(distance, HAIR)))) if distance else 1
    text = f"{direction(100 * chance * 10**places)}".rjust(places + 1, "0")
    return f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")
