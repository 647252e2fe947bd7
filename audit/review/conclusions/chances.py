"""Small chances in words that everybody reads alike."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

SMALL = 1e-3
"""Below it a chance is better written in words than as a decimal."""

_WORDS = {10**12: "trillion", 10**9: "billion", 10**6: "million"}

_TWO_DIGITS = Context(prec=2, rounding=ROUND_FLOOR)


def one_in(chance: float | Fraction) -> str:
    """A chance that is not smaller than the given one: ``1 in a million``, ``1 in 140 million``.

    It has two digits, rounded up, so that "at most" may stand before it; nothing is written
    smaller than ``1 in a trillion``. Raises ``ValueError`` where the chance is not in [0, 1].

    Guarantee
    ---------
    What is written is never below the chance. Backed by
    ``tests/audit/review/conclusions/test_chances.py``.
    """
    if not 0 <= chance <= 1:
        raise ValueError(f"{chance} is no chance")
    most = max(_WORDS)
    count = math.floor(1 / Fraction(chance)) if chance * most > 1 else most
    rounded = int(_TWO_DIGITS.create_decimal(Decimal(count)))
    for size, word in _WORDS.items():
        if rounded >= size:
            several = f"{Decimal(rounded) / size:f}"
            return f"1 in a {word}" if rounded == size else f"1 in {several} {word}"
    return f"1 in {rounded:,}"
