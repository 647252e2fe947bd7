"""What the edges of bins are: numbers, dates, dates with times, or times of day.

Whatever they are, an edge is an exact number. A date is the number of seconds from 1970-01-01 to
its midnight by the clock on the wall, without leap seconds; a time of day that from midnight on.
Dates and times are written after ISO 8601, the extended form. None has a time zone: one who reads
a time with a zone would have to know which clock was meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from enum import Enum
from fractions import Fraction

from synthesizers.numerals import is_decimal, number_text, rational

DAY = 86400
"""Seconds of a day."""

_EPOCH = date(1970, 1, 1).toordinal()
_CLOCK = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,100}))?)?"
_TIME = re.compile(_CLOCK)
_DATE = re.compile(rf"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})(?:[T ]{_CLOCK})?")
_ZONE = re.compile(rf"(?:[0-9-]{{10}}[Tt ])?{_CLOCK} ?(?:[Zz]|[+-][0-9:]{{2,8}})")

Seconds = int | Fraction
"""Whole seconds are integers, which are made ten times as fast."""


class Quantity(Enum):
    """What bins are of, by what their edges are called."""

    NUMBERS = "numbers"
    DATES = "dates"
    MOMENTS = "dates with times"
    TIMES = "times of day"

    def __repr__(self) -> str:
        """As code, like all else of a domain."""
        return f"Quantity.{self.name}"

    def read(self, text: str) -> Fraction | None:
        """Return the exact number that a text in a table stands for; None for another text.

        A column of dates may hold times as well, and one of moments dates alone.

        **Guarantee.** No rounding, and no date that is not in the calendar: backed by the
        comparison with ``datetime`` in ``tests/synthesizers/test_quantities.py``.
        """
        if self is Quantity.NUMBERS:
            return Fraction(text) if is_decimal(text) else None
        exact = self._seconds(text)
        return None if exact is None else Fraction(exact)

    def double(self, text: str) -> float | None:
        """Return the double next to what ``read`` gives, infinite where none is large enough."""
        if self is Quantity.NUMBERS:
            return float(text) if is_decimal(text) else None
        exact = self._seconds(text)
        return None if exact is None else float(exact)

    def _seconds(self, text: str) -> Seconds | None:
        return _time_of_day(text) if self is Quantity.TIMES else _moment(text)

    def write(self, number: Fraction) -> str:
        """Return the text of a number, which ``read`` gives back.

        Raises ``ValueError`` for a number that is no date or time of the kind: a part of a day, a
        second that no decimal is, or one beyond the years 1 to 9999.
        """
        if self is Quantity.NUMBERS:
            return number_text(number)
        days, seconds = divmod(number, DAY)
        if self is Quantity.TIMES:
            if not 0 <= number <= DAY:
                raise ValueError("no time of a day")
            return _clock_text(number)
        day = date.fromordinal(int(days) + _EPOCH).isoformat()
        if self is Quantity.DATES:
            if seconds:
                raise ValueError("no whole day")
            return day
        return f"{day}T{_clock_text(seconds)}"


def read_edges(texts: Sequence[str]) -> tuple[Quantity, tuple[Fraction, ...]] | None:
    """Return what edges of bins are, and their numbers; None if they are not of one kind.

    Numbers may be ratios such as ``1/3`` here. Dates with and without times are moments together.
    """
    numbers = [rational(text) for text in texts]
    if None not in numbers:
        return Quantity.NUMBERS, tuple(number for number in numbers if number is not None)
    if all(_TIME.fullmatch(text) for text in texts):
        quantity = Quantity.TIMES
    else:
        timed = any(len(text) > len("2020-01-31") for text in texts)
        quantity = Quantity.MOMENTS if timed else Quantity.DATES
    exact = [quantity.read(text) for text in texts]
    return None if None in exact else (quantity, tuple(one for one in exact if one is not None))


def has_zone(text: str) -> bool:
    """Whether a text is a time, or a date with one, that names its zone."""
    return len(text) <= 64 and _ZONE.fullmatch(text) is not None


def _moment(text: str) -> Seconds | None:
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, *clock = found.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH
    except ValueError:
        return None
    seconds = 0 if clock[0] is None else _seconds(*clock)
    return None if seconds is None or seconds >= DAY else days * DAY + seconds


def _time_of_day(text: str) -> Seconds | None:
    """As written on a clock; ``24:00`` is the end of the day."""
    found = _TIME.fullmatch(text)
    return None if found is None else _seconds(*found.groups())


def _seconds(hour: str, minute: str, second: str | None, places: str | None) -> Seconds | None:
    if int(minute) > 59 or int(second or 0) > 59:
        return None
    whole = 3600 * int(hour) + 60 * int(minute) + int(second or 0)
    exact = whole + Fraction(int(places), 10 ** len(places)) if places else whole
    return exact if exact <= DAY else None


def _clock_text(seconds: Fraction) -> str:
    whole, rest = divmod(seconds, 1)
    places = number_text(rest)[1:]
    if rest and not places.startswith("."):
        raise ValueError("no decimal")
    minutes, second = divmod(int(whole), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}{places}"
