"""Figures: what reports say, by name, as exact numbers or texts.

A number is what it is known to be: a range from ``low`` to ``high``, which is a point where the
document is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from audit.statements.decimals import parse_extended
from synthesizers.errors import InputError

STANDARD_ERRORS = 3
"""How many standard errors a random score may be off, either side: of draws that are many, about
one in 370 lies farther off."""


@dataclass(frozen=True)
class Range:
    """A number is known to lie in [low, high]; ends are rationals, or infinite floats."""

    low: Fraction | float
    high: Fraction | float

    @classmethod
    def point(cls, value: Fraction | float) -> Range:
        """One number."""
        return cls(value, value)


@dataclass(frozen=True)
class Figure:
    """A figure of a report.

    ``of``: the part of the report that it is of, such as a synthetic table; empty for the whole.
    ``value``: None where it is not defined; ``note``: why, or what has to be known with it.
    """

    of: str
    value: Range | str | None
    note: str = ""


def read_number(value: object) -> Fraction | float | None:
    """The number that JSON spells, exactly; None for what is none.

    Raises InputError for text that looks like no number. A JSON number is the decimal that is
    written, and not the double beside it.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(Decimal(repr(value))) if math.isfinite(value) else value
    if isinstance(value, str):
        return -math.inf if value == "-inf" else parse_extended(value)
    return None


def read_value(value: object, note: str = "") -> Range | str | None:
    """A value of JSON as a figure: a number, ends ``{lower, upper}``, a text or a truth value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict) and set(value) == {"lower", "upper"}:
        return _range(value["lower"], value["upper"])
    if isinstance(value, str) and value not in ("inf", "-inf"):
        return value
    number = read_number(value)
    return None if number is None else Range.point(number)


def read_score(score: Mapping[str, Any], of: str) -> Figure:
    """The value of a score of `utility`: exact, within its bracket, or within its random error.

    Guarantee
    ---------
    The range holds the exact value or the bracket where there is one; otherwise `STANDARD_ERRORS`
    either side of the value, and nothing where a random error is not stated. Backed by
    ``tests/audit/review/criteria/test_figures.py``.
    """
    if score.get("exact") is not None:
        return Figure(of, _range(score["exact"], score["exact"]))
    if score.get("bracket") is not None:
        low, high = _pair(score["bracket"])
        return Figure(of, _range(low, high), "between the ends of its bracket")
    value, error = read_number(score.get("value")), read_number(score.get("standard_error"))
    if value is None:
        return Figure(of, None, _reason(score.get("undefined")))
    if error is None and score.get("draws"):
        return Figure(of, None, "it is drawn at random, and its random error is not stated")
    if not error or isinstance(value, float):
        return Figure(of, Range.point(value))
    if isinstance(error, float):
        return Figure(of, None, "its random error is infinite")
    note = f"{STANDARD_ERRORS} standard errors of its draws either side"
    margin = STANDARD_ERRORS * abs(error)
    return Figure(of, Range(value - margin, value + margin), note)


def read_risk(attack: Mapping[str, Any], of: str = "") -> Figure:
    """The risk of an attack of `disclosure`, within its interval; undefined without power."""
    if attack.get("has_power") is not True:
        return Figure(of, None, "the attack hits no more often than its baseline: nothing follows")
    low, high = _pair(attack.get("interval"))
    return Figure(of, _range(low, high), "between the ends of its interval")


def _reason(stated: object) -> str:
    return stated if isinstance(stated, str) and stated else "it is not defined"


def _pair(value: object) -> tuple[object, object]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError("expected the two ends of an interval")
    return value[0], value[1]


def _range(lower: object, upper: object) -> Range:
    low, high = read_number(lower), read_number(upper)
    if low is None or high is None or low > high:
        raise InputError("expected the lower and the upper end of a number")
    return Range(low, high)
