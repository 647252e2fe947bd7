"""Criteria as a board writes them: a TOML file, read strictly."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from audit.statements import strict_json
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

MOST = 1000
"""The most criteria of a file: more than any board reads."""

LONGEST = 200
"""The most characters of a name."""

FORM = (
    'name = "…" and, for each criterion, [[criterion]] with name, figure, and in, at_least, at_most'
)

_KEYS = ("name", "figure", "in", "at_least", "at_most", "report", "of")


@dataclass(frozen=True)
class Criterion:
    """What a figure has to be.

    ``figure``: its name (`audit.review.criteria.figures`). ``among``: the texts that it may be;
    None where it is a number, from ``at_least`` to ``at_most``, one of which may be None.
    ``report``: the only file that is asked; ``of``: the only part of a report, such as one
    synthetic table; None for all.
    """

    name: str
    figure: str
    among: tuple[str, ...] | None = None
    at_least: Fraction | None = None
    at_most: Fraction | None = None
    report: str | None = None
    of: str | None = None


@dataclass(frozen=True)
class Criteria:
    """The criteria of a board, by its name."""

    name: str
    criteria: tuple[Criterion, ...]


def read_criteria(path: str | Path) -> Criteria:
    """The criteria of a TOML file; raises InputError for what is none."""
    text = strict_json.read_text(str(path))
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        raise InputError(f"{path} is not TOML; expected {FORM}") from None
    return parse_criteria(document, Path(path).name)


def parse_criteria(document: Mapping[str, Any], file: str) -> Criteria:
    """The criteria of a parsed file, called ``file`` in messages; raises InputError."""
    _require_known(document, ("name", "criterion"), file)
    entries = document.get("criterion")
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST:
        raise InputError(f"{file} has no list of criteria (1 to {MOST}); expected {FORM}")
    name = _text(document.get("name", file), f"{file}: name")
    found = tuple(_criterion(entry, f"{file}: criterion {k}") for k, entry in enumerate(entries, 1))
    names = [one.name for one in found]
    for one in names:
        if names.count(one) > 1:
            raise InputError(f"{file}: two criteria are named {one!r}; give each its own name")
    return Criteria(name, found)


def _criterion(entry: object, place: str) -> Criterion:
    if not isinstance(entry, dict):
        raise InputError(f"{place} is no table; expected {FORM}")
    _require_known(entry, _KEYS, place)
    name, figure = (_text(entry.get(key), f"{place}: {key}") for key in ("name", "figure"))
    place = f"criterion {name!r}"
    report, of = (
        None if entry.get(key) is None else _text(entry[key], f"{place}: {key}")
        for key in ("report", "of")
    )
    bounds = {
        key: parse_rational(entry[key], f"{place}: {key}")
        for key in ("at_least", "at_most")
        if key in entry
    }
    if ("in" in entry) == bool(bounds):
        raise InputError(f"{place} needs either in, or at_least or at_most; it has {_say(entry)}")
    low, high = bounds.get("at_least"), bounds.get("at_most")
    if low is not None and high is not None and low > high:
        raise InputError(f"{place} asks for at least {low} and at most {high}: no number is both")
    among = _texts(entry["in"], f"{place}: in") if "in" in entry else None
    return Criterion(name, figure, among, low, high, report, of)


def _say(entry: Mapping[str, Any]) -> str:
    return " and ".join(key for key in ("in", "at_least", "at_most") if key in entry) or "neither"


def _texts(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise InputError(f'{place} is a list of texts, as in ["PROVED", "EXACT"]')
    return tuple(str(one).lower() if isinstance(one, bool) else _text(one, place) for one in value)


def _text(value: object, place: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST:
        raise InputError(f"{place} must be a text of 1 to {LONGEST} characters")
    return value


def _require_known(table: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"{place}: unknown key {key[:60]!r}; it may have {', '.join(known)}{meant}"
            )
