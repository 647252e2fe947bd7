"""JSON values of strangers: numbers, texts and objects, read with their limits and written exactly.

Nothing is looked at but parsed JSON, and nothing is converted before its size was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.numerals import rational

LARGEST_NUMBER = 2**53 - 1
"""The largest size of a JSON number: beyond it, readers that hold doubles would round it."""

MAX_DIGITS = 4000
"""The most digits of a whole number, of either part of a Fraction, and of the least common
denominator of a list (below the 4300 that Python reads)."""

LIMIT = 10**MAX_DIGITS
"""The least whole number of too many digits."""

MAX_TEXT = 2**25
"""The most characters of a text: a critic of 2^22 weights has 22 million."""

MAX_MESSAGE = 300
"""The most characters of a class's refusal that are passed on: it may
quote what it refuses."""

_DIGITS = f"[0-9]{{1,{MAX_DIGITS}}}"
_WHOLE = re.compile(f"-?{_DIGITS}")
_RATIO = re.compile(f"(-?{_DIGITS})/({_DIGITS})")
_KINDS = {bool: "true or false", int: "a number", float: "a number with a point", str: "text"}
_KINDS |= {list: "a list", dict: "an object", type(None): "null"}


class Misfit(Exception):
    """A JSON value that is not of the expected form: what is wrong, and at which place."""

    def __init__(self, message: str, place: str = "") -> None:
        self.message, self.place = message, place

    def within(self, place: str) -> Misfit:
        """The same, seen from further out."""
        self.place = place + self.place
        return self


def kind_of(value: object) -> str:
    """What a JSON value is, in words; the value itself may be of any size."""
    return _KINDS.get(type(value), "something else")


def encode_whole(number: int) -> int | str:
    """A whole number as JSON holds it: as text beyond 2^53 - 1; InputError beyond `MAX_DIGITS`."""
    if -LARGEST_NUMBER <= number <= LARGEST_NUMBER:
        return number
    return _digits(number)


def decode_whole(value: object) -> int:
    """The whole number of a JSON number or of decimal text; InputError for anything else.

    Guarantee
    ---------
    Exact, a truth value is no number, and no text of more than `MAX_DIGITS` characters is
    converted. Backed by ``tests/synthesizers/test_questions_json.py``.
    """
    try:
        return read_whole(value)
    except Misfit as misfit:
        raise InputError(misfit.message) from None


def _digits(number: int) -> str:
    if not -LIMIT < number < LIMIT:
        raise InputError(f"a number has more than {MAX_DIGITS} digits; it is not written")
    return str(number)


def read_whole(value: object, domain: Domain | None = None) -> int:
    """As `decode_whole`; raises Misfit."""
    if type(value) is int:
        if -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
            return value
        raise Misfit("a whole number beyond 2^53 - 1 is written as text")
    if type(value) is str and _WHOLE.fullmatch(value):
        return int(value)
    raise Misfit(f"expected a whole number of at most {MAX_DIGITS} digits, found {kind_of(value)}")


def read_truth(value: object, domain: Domain | None = None) -> bool:
    """True or false; raises Misfit."""
    if type(value) is not bool:
        raise Misfit(f"expected true or false, found {kind_of(value)}")
    return value


def read_text(value: object, domain: Domain | None = None) -> str:
    """Text of at most `MAX_TEXT` characters; raises Misfit."""
    if type(value) is not str or len(value) > MAX_TEXT:
        raise Misfit(f"expected text of at most {MAX_TEXT} characters, found {kind_of(value)}")
    return value


def read_rational(value: object, domain: Domain | None = None) -> Fraction:
    """The exact number of a text: a whole number, a ratio or a decimal; raises Misfit."""
    if type(value) is str:
        ratio = _RATIO.fullmatch(value)
        if ratio and int(ratio[2]):
            return Fraction(int(ratio[1]), int(ratio[2]))
        if _WHOLE.fullmatch(value):
            return Fraction(int(value))
        decimal = rational(value)
        if decimal is not None:
            return decimal
    raise Misfit(
        'expected an exact number as text, such as "2", "1/3" or "0.1", each part of at most '
        f"{MAX_DIGITS} digits, found {kind_of(value)}"
    )


def write_rational(value: Fraction) -> str:
    """A Fraction as exact text, such as ``"1/3"``; InputError beyond `MAX_DIGITS`."""
    above = _digits(value.numerator)
    return above if value.denominator == 1 else f"{above}/{_digits(value.denominator)}"


def read_record(
    value: object, needed: frozenset[str], optional: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """An object with all needed keys and no unknown one; raises Misfit."""
    if type(value) is not dict:
        raise Misfit(f"expected an object, found {kind_of(value)}")
    if needed <= value.keys() <= needed | optional:
        return value
    missing = ", ".join(sorted(needed - value.keys()))
    may = ", ".join(sorted(needed | optional)) or "no keys"
    wrong = f"{missing} is missing" if missing else "a key is not known"
    raise Misfit(f"{wrong}; expected {may}")


def read_at(place: str, read: Callable[[Any], Any], value: object) -> Any:
    """What ``read`` makes of a value; a Misfit names the place."""
    try:
        return read(value)
    except Misfit as misfit:
        raise misfit.within(place) from None


def build(make: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a class makes of its fields; a Misfit where it refuses them."""
    try:
        return make(*arguments, **named)
    except (ValueError, OverflowError) as error:
        # A refusal may itself fail, over a number too long to be written.
        message = str(error) if isinstance(error, InputError) else "a number is too large"
        raise Misfit(message[:MAX_MESSAGE]) from None
