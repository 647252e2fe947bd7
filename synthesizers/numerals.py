"""Numbers as text, read and written exactly.

Bin edges and numeric columns arrive as decimal text. They are read as
rationals, so that a value on an edge falls on the documented side of it
whatever binary floating point makes of either.
"""

from __future__ import annotations

import re
from fractions import Fraction

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]*[1-9][0-9]*")
_MAX_CHARACTERS = 400
_MAX_DECIMALS = 40


def is_decimal(text: str) -> bool:
    """Whether ``text`` is a plain finite decimal such as ``-3``, ``0.25`` or ``1e6``.

    Infinities, NaN, blanks, digit separators, exponents of more than three
    digits and texts beyond 400 characters are not (the two last would let a
    short text ask for an enormous integer).
    """
    return len(text) <= _MAX_CHARACTERS and _DECIMAL.fullmatch(text) is not None


def rational(text: str) -> Fraction | None:
    """Return the exact value of a decimal or of a ratio ``p/q``; None if it is neither.

    **Guarantee.** No rounding: ``rational("0.1")`` is 1/10. Backed by the round
    trip ``rational(number_text(x)) == x`` in ``tests/synthesizers/test_domain.py``.
    """
    if is_decimal(text):
        return Fraction(text)
    if len(text) <= _MAX_CHARACTERS and _RATIO.fullmatch(text) is not None:
        return Fraction(text)
    return None


def number_text(value: Fraction) -> str:
    """``value`` as the shortest exact text: an integer, a decimal, ``1e-300``, or ``p/q``.

    A decimal is used if one of at most 40 places or digits is exact; a power of ten beyond that.
    """
    rest, places = value.denominator, 0
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    if rest != 1:
        return str(value)
    digits = str(abs(value.numerator) * (10**places // value.denominator))
    sign = "-" if value < 0 else ""
    if max(places, len(digits)) > _MAX_DECIMALS:
        short = digits.rstrip("0")
        power = len(digits) - len(short) - places
        fits = len(short) <= _MAX_DECIMALS and abs(power) < 1000
        return f"{sign}{short}e{power}" if fits else str(value)
    if not places:
        return sign + digits
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
