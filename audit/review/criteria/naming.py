"""From a figure's name to the figures of a report: names first, then paths into its document.

A path is written as TOML writes dotted keys: ``scores.k-marginal.value``, with quotes around what
holds other signs. A part of it is a key; of a list it is a number, counted from 0, ``*`` for every
member, or the text that names a member: every member that has it under one of `MARKS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from audit.review.criteria.certificate_figures import certificate_figures
from audit.review.criteria.figures import Figure, read_risk, read_score, read_value
from audit.review.criteria.reports import Report
from synthesizers.errors import InputError

MARKS = ("metric", "attack", "synthetic", "file", "name", "group", "attribute", "statement")
"""The keys whose text names a member of a list."""

SHOWN = 12
"""The most names that a message lists."""


class NoSuchFigure(InputError):
    """A report has no figure of a name; the message says what it has.

    ``near``: the name that was probably meant; None where none is like it.
    """

    def __init__(self, message: str, near: str | None = None) -> None:
        super().__init__(message if near is None else f"{message} Did you mean {near!r}?")
        self.near = near


def find_figures(report: Report, name: str) -> tuple[Figure, ...]:
    """The figures of a name in a report.

    Raises `NoSuchFigure`, and InputError where the document has no number in a number's place.
    """
    try:
        return _find(report, name)
    except NoSuchFigure:
        raise
    except InputError as error:
        raise InputError(f"{report.name}, at the figure {name!r}: {error}") from None


def _find(report: Report, name: str) -> tuple[Figure, ...]:
    named = named_figures(report)
    if name in named:
        return named[name]
    parts = _split(name)
    if report.certificate is not None or parts is None or parts[0] not in report.document:
        keys = () if report.certificate is not None else tuple(report.document)
        raise _unknown(report, "figure", name, (*named, *keys))
    return tuple(_walk(report, report.document, parts, ()))


def named_figures(report: Report) -> dict[str, tuple[Figure, ...]]:
    """The figures of a report that have a name of their own."""
    if report.certificate is not None:
        own = certificate_figures(report.certificate)
        return {name: (one,) for name, one in own.items()}
    if report.kind == "utility":
        return _utility(report.document)
    if report.kind == "disclosure":
        return _disclosure(report.document)
    if report.kind == "choose":
        return {"distance": (_distance(report.document),)}
    return {}


def _utility(document: Mapping[str, Any]) -> dict[str, tuple[Figure, ...]]:
    """Each metric by its name; what was refused is undefined."""
    figures: dict[str, tuple[Figure, ...]] = {
        str(one.get("metric")): (Figure("", None, str(one.get("reason"))),)
        for one in _members(document, "refused")
    }
    for score in _members(document, "scores"):
        name, of = str(score.get("metric")), str(score.get("synthetic"))
        figures[name] = (*figures.get(name, ()), read_score(score, of))
    for one in _members(document, "synthetic"):
        copies, of = one.get("copies"), str(one.get("file"))
        for key in ("records", "of_unique"):
            value = copies.get(key) if isinstance(copies, dict) else None
            figure = Figure(of, read_value(value), "" if copies else "copies were not counted")
            figures[f"copies.{key}"] = (*figures.get(f"copies.{key}", ()), figure)
    return figures


def _disclosure(document: Mapping[str, Any]) -> dict[str, tuple[Figure, ...]]:
    """Each attack by its name, within its interval, and what the guesses of members show."""
    figures: dict[str, tuple[Figure, ...]] = {
        str(one.get("attack")): (read_risk(one),) for one in _members(document, "attacks")
    }
    member, note = document.get("membership"), "a floor: what these guesses show, and no ceiling"
    if isinstance(member, dict):
        figures |= {
            f"membership.{key}": (Figure("", read_value(member.get(key)), note),)
            for key in ("advantage", "epsilon")
        }
    return figures


def _distance(document: Mapping[str, Any]) -> Figure:
    """How near the chosen table of `choose` is, between the ends that its noise leaves."""
    of, value = str(document.get("chosen")), read_value(document.get("distance"))
    if value is None:
        return Figure(of, None, "it was not told: --telling 0")
    return Figure(of, value, f"outside of these ends with a chance of {document.get('error')}")


def _members(document: Mapping[str, Any], key: str) -> Iterator[dict[str, Any]]:
    held = document.get(key)
    return (one for one in (held if isinstance(held, list) else ()) if isinstance(one, dict))


def _split(name: str) -> list[str] | None:
    """The parts of a path; None for what is none."""
    if re.fullmatch(rf"{_PART}(\.{_PART})*", name) is None:
        return None
    return [part.strip('"') for part in re.findall(_PART, name)]


_PART = r'(?:"[^"]+"|[^".]+)'


def _walk(report: Report, held: Any, parts: list[str], of: tuple[str, ...]) -> Iterator[Figure]:
    """What lies at the end of a path, in every member that it leads through."""
    part, rest = parts[0], parts[1:]
    if isinstance(held, dict):
        if part not in held:
            raise _unknown(report, "part", part, tuple(map(str, held)))
        if rest:
            yield from _walk(report, held[part], rest, of)
        else:
            yield _leaf(report, held, part, " ".join(of))
    elif isinstance(held, list):
        numbered = list(enumerate(held))
        members = [(k, one) for k, one in numbered if part in _marks(one)]
        members = members or [(k, one) for k, one in numbered if part in ("*", str(k))]
        if not members:
            marks = dict.fromkeys(mark for one in held for mark in _marks(one))
            raise _unknown(report, "part", part, tuple(marks))
        if not rest:
            raise NoSuchFigure(
                f"{report.name}: {part!r} ends at a member of a list; say what of it"
            )
        for place, one in members:
            inner = [mark for mark in _marks(one) if mark != part]
            if not inner and (part == "*" or len(members) > 1):
                inner = [str(place)]
            yield from _walk(report, one, rest, (*of, *inner))
    else:
        why = held if held is None else type(held).__name__
        raise NoSuchFigure(f"{report.name} has no {part!r} there: what lies before it is {why}")


def _marks(member: Any) -> list[str]:
    if not isinstance(member, dict):
        return []
    return [member[key] for key in MARKS if isinstance(member.get(key), str)]


def _leaf(report: Report, held: Mapping[str, Any], key: str, of: str) -> Figure:
    if key == "value" and "standard_error" in held:
        return read_score(held, of)
    if key == "risk" and "has_power" in held:
        return read_risk(held, of)
    value = held[key]
    found = read_value(value)
    if found is None and value is not None:
        raise NoSuchFigure(f"{report.name}: {key!r} is no number and no text; say what of it")
    return Figure(of, found, "" if found is not None else "it is not defined")


def _unknown(report: Report, what: str, name: str, known: tuple[str, ...]) -> NoSuchFigure:
    near = get_close_matches(name, known, 1, 0.5)
    listed = ", ".join(known[:SHOWN]) + (f" and {len(known) - SHOWN} more" * (len(known) > SHOWN))
    message = f"{report.name} ({report.kind}) has no {what} {name!r}; it has {listed}."
    return NoSuchFigure(message, near[0] if near else None)
