"""Kinds of fields in a stranger's JSON: what each may hold, and how much of it.

A kind is a function of a value and its place, such as ``bounds.exact.epsilon``. It converts
nothing: a number as text is compared with a pattern and its length before anybody computes with
it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from synthesizers.errors import InputError

MAX_TEXT = 100_000
"""The most characters of a text (a choice of this project: many times what is written)."""

MAX_MEMBERS = 1_000_000
"""The most members of a list or an object (a choice of this project)."""

MAX_BITS = 4_096
"""The most bits of a whole number (a choice of this project: a product of many attributes)."""

SHOWN = 60
"""The most characters of a stranger's key that a message repeats."""

Spare = Iterator[str]
"""Places of keys that a kind does not know, as messages."""

Kind = Callable[[Any, str], Spare]
"""What a field may hold: raises InputError where it holds something else."""


def _refuse(place: str, expected: str) -> NoReturn:
    raise InputError(f"{place or 'the document'}: expected {expected}")


def such(holds: Callable[[Any], bool], expected: str) -> Kind:
    """Whatever a predicate holds of; ``expected``: what that is, in words."""

    def read(value: Any, place: str) -> Spare:
        if not holds(value):
            _refuse(place, expected)
        yield from ()

    return read


def text(most: int = MAX_TEXT) -> Kind:
    """A text of at most so many characters."""
    return such(
        lambda value: type(value) is str and len(value) <= most,
        f"a text of at most {most} characters",
    )


def matching(pattern: str, expected: str, most: int = MAX_TEXT) -> Kind:
    """A text that a pattern describes whole."""
    compiled = re.compile(pattern)
    return such(
        lambda value: (
            type(value) is str and len(value) <= most and compiled.fullmatch(value) is not None
        ),
        expected,
    )


def one_of(*values: Any) -> Kind:
    """One of a few texts, numbers or truth values: 1 is not true, and true is not 1."""
    words = ", ".join(map(repr, values)) if len(values) > 1 else repr(values[0])
    return such(
        lambda value: any(type(value) is type(own) and value == own for own in values), words
    )


def whole(least: int = 0, most: int | None = None) -> Kind:
    """A whole number in a range; neither a truth value nor text nor 1.0."""
    upto = f"from {least}" if most is None else f"from {least} to {most}"
    return such(
        lambda value: (
            type(value) is int
            and value.bit_length() <= MAX_BITS
            and least <= value
            and (most is None or value <= most)
        ),
        f"a whole number {upto}",
    )


flag: Kind = such(lambda value: type(value) is bool, "true or false")

sha256: Kind = matching("[0-9a-f]{64}", "a SHA-256 in hexadecimal")
tagged_sha256: Kind = matching("sha256:[0-9a-f]{64}", "sha256: and a SHA-256 in hexadecimal")


def double(least: float = -math.inf) -> Kind:
    """A finite number of at least ``least``, whole or not."""

    def holds(value: Any) -> bool:
        if type(value) is int:
            return value.bit_length() <= 1023 and value >= least
        return type(value) is float and math.isfinite(value) and value >= least

    return such(holds, "a finite number" + (f" from {least:g}" if math.isfinite(least) else ""))


def nullable(kind: Kind) -> Kind:
    """Null, or what a kind describes."""
    return lambda value, place: iter(()) if value is None else kind(value, place)


def listed(kind: Kind, most: int = MAX_MEMBERS, least: int = 0) -> Kind:
    """A list of values of one kind."""

    def read(value: Any, place: str) -> Spare:
        if type(value) is not list or not least <= len(value) <= most:
            _refuse(place, f"a list of {least} to {most} values")
        for number, member in enumerate(value):
            yield from kind(member, f"{place}[{number}]")

    return read


def named(kind: Kind, most: int = MAX_MEMBERS) -> Kind:
    """An object of any names, of values of one kind."""

    def read(value: Any, place: str) -> Spare:
        if type(value) is not dict or len(value) > most:
            _refuse(place, f"an object of at most {most} names")
        for name, member in value.items():
            if len(name) > MAX_TEXT:
                _refuse(place, f"names of at most {MAX_TEXT} characters")
            yield from kind(member, f"{place}.{_shown(name)}")

    return read


def record(needed: Mapping[str, Kind], optional: Mapping[str, Kind] | None = None) -> Kind:
    """An object with these keys; the places of others are told, and nothing in them is read."""
    known = {**needed, **(optional or {})}

    def read(value: Any, place: str) -> Spare:
        if type(value) is not dict:
            _refuse(place, "an object")
        inside = f"{place}." if place else ""
        missing = [key for key in needed if key not in value]
        if missing:
            raise InputError(f"{inside}{missing[0]}: it is missing")
        for key, member in value.items():
            if key in known:
                yield from known[key](member, f"{inside}{key}")
            else:
                yield f"{inside}{_shown(key)}: unknown key"

    return read


def chosen(key: str, kinds: Mapping[Any, Kind]) -> Kind:
    """An object whose kind follows from the text under one of its keys."""
    own = one_of(*kinds)

    def read(value: Any, place: str) -> Spare:
        if type(value) is not dict:
            _refuse(place, "an object")
        inside = f"{place}.{key}" if place else key
        if key not in value:
            raise InputError(f"{inside}: it is missing")
        yield from own(value[key], inside)
        yield from kinds[value[key]](value, place)

    return read


def plain(value: Any, place: str) -> Spare:
    """Whatever JSON can say, within the limits: its meaning is somebody else's to read."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if type(found) is dict:
            waiting += [*found, *found.values()]
        elif type(found) is list:
            waiting += found
        elif type(found) is str:
            yield from text()(found, place)
        elif type(found) is int:
            if found.bit_length() > 4 * MAX_BITS:
                _refuse(place, f"whole numbers of at most {4 * MAX_BITS} bits")
        elif type(found) is float:
            yield from double()(found, place)


def _shown(key: str) -> str:
    printable = "".join(character if character.isprintable() else "?" for character in key)
    return printable if len(printable) <= SHOWN else printable[: SHOWN - 3] + "..."
