"""Parameters of a rule: plain data, read by the kind that the rule expects.

Numbers are integers, or rationals as text. A float is refused: 0.1 as a float
is not 1/10.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from proofs.errors import ProofError
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.neighbours import from_json as neighbours_from_json
from synthesizers.neighbours import to_json as neighbours_to_json

MAX_TEXT = 4_000
"""The most characters of one number; Python itself refuses integers of 4,300 digits as text."""

MAX_BITS = 3 * MAX_TEXT
"""The most bits of an integer: a decimal digit holds more than three."""

MAX_DEPTH = 60
"""How deep the data of a proof may be nested."""


_NUMBER = re.compile(r"-?([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?)")


def plain(value: object, depth: int = 0) -> Any:
    """A parameter as plain data: rationals become text; ProofError for what is no plain data."""
    if depth > MAX_DEPTH:
        raise ProofError(f"the data of a proof are nested more than {MAX_DEPTH} deep")
    if isinstance(value, AddRemove | ReplaceOne):
        return neighbours_to_json(value)
    if type(value) is Fraction:
        return _number(value)
    if type(value) is int and value.bit_length() > MAX_BITS:
        raise ProofError(f"a number of a proof would have more than {MAX_TEXT} digits; round it")
    if value is None or type(value) in (int, bool, str):
        return value
    if isinstance(value, Mapping):
        return {_text(key): plain(member, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member, depth + 1) for member in value]
    raise ProofError(
        f"a proof's parameters are integers, fractions and decimals in quotes, found "
        f"{type(value).__name__}; write 0.1 as '0.1' or Fraction(1, 10)"
    )


def _number(value: Fraction) -> str:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS // 2:
        raise ProofError(f"a number of a proof would have more than {MAX_TEXT} digits; round it")
    return str(value)


def _text(key: object) -> str:
    if type(key) is not str:
        raise ProofError("a proof's parameters have names")
    return key


class Parameters:
    """Named values, given to a rule or another reader; whatever is not read is refused.

    ``reader``: who reads them, for messages.
    """

    __slots__ = ("_given", "_read", "_reader")

    def __init__(self, reader: str, given: Mapping[str, Any]) -> None:
        self._reader = reader
        self._given = given
        self._read: set[str] = set()

    def value(self, name: str) -> Any:
        """A parameter of any kind; ProofError where it is missing."""
        if name not in self._given:
            raise ProofError(f"{self._reader} needs the parameter {name}")
        self._read.add(name)
        return self._given[name]

    def has(self, name: str) -> bool:
        """Whether a parameter is given that may be left out."""
        return name in self._given

    def rational(self, name: str) -> Fraction:
        """A rational number."""
        return self._rational(self.value(name), name)

    def rationals(self, name: str) -> tuple[Fraction, ...]:
        """A list of rational numbers."""
        return tuple(self._rational(member, name) for member in self._list(name))

    def points(self, name: str) -> tuple[tuple[Fraction, Fraction], ...]:
        """A list of pairs of rational numbers."""
        found = []
        for member in self._list(name):
            if not isinstance(member, list) or len(member) != 2:
                raise self._wrong(name, "pairs of numbers")
            found.append((self._rational(member[0], name), self._rational(member[1], name)))
        return tuple(found)

    def positive(self, name: str) -> Fraction:
        """A rational number above 0."""
        value = self.rational(name)
        if value <= 0:
            raise self._wrong(name, "above 0")
        return value

    def whole(self, name: str, least: int | None = 0) -> int:
        """An integer, of at least ``least`` where one is given."""
        value = self.value(name)
        if type(value) is not int or (least is not None and value < least):
            raise self._wrong(name, "an integer" + ("" if least is None else f" from {least} on"))
        return value

    def wholes(self, name: str, least: int | None = 0) -> tuple[int, ...]:
        """A list of integers, each of at least ``least`` where one is given."""
        members = self._list(name)
        if any(type(m) is not int or (least is not None and m < least) for m in members):
            raise self._wrong(name, "a list of integers in their range")
        return tuple(members)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.value(name)
        if type(value) is not bool:
            raise self._wrong(name, "true or false")
        return value

    def choice(self, name: str, *options: str) -> str:
        """One of some words."""
        value = self.value(name)
        if type(value) is not str or value not in options:
            raise self._wrong(name, f"one of {', '.join(options)}")
        return value

    def text(self, name: str) -> str:
        """A text."""
        value = self.value(name)
        if type(value) is not str:
            raise self._wrong(name, "a text")
        return value

    def record(self, name: str) -> dict[str, Any]:
        """Named values of any kind."""
        value = self.value(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "named values")
        return value

    def setting(self, name: str = "setting") -> dict[str, Any]:
        """What a program runs on: "attributes", "records".

        ``attributes``: how many values each has; ``records``: n where it is public, or None.
        """
        given = self.record(name)
        if set(given) != {"attributes", "records"}:
            raise self._wrong(name, "the attributes and the public number of records")
        own = Parameters(self._reader, given)
        sizes = own.record("attributes")
        for attribute in sizes:
            Parameters(self._reader, sizes).whole(attribute, 1)
        if not sizes or (given["records"] is not None and own.whole("records") < 0):
            raise self._wrong(name, "one or more attributes, and no records or a number")
        return given

    def neighbours(self, name: str = "neighbours") -> Neighbours:
        """A neighbouring relation."""
        given = self.record(name)
        kinds = {"neighbours": str, "unit": str, "max_records": int}
        if {key: type(value) for key, value in given.items()} != kinds:
            raise self._wrong(name, "a neighbouring relation")
        try:
            return neighbours_from_json(given)
        except (InputError, TypeError, ValueError):
            raise self._wrong(name, "a neighbouring relation") from None

    def close(self) -> None:
        """Raise ProofError where a parameter was given that nobody read."""
        spare = sorted(set(self._given) - self._read)
        if spare:
            raise ProofError(f"{self._reader} has no parameter {spare[0][:40]!r}")

    def _list(self, name: str) -> Sequence[Any]:
        value = self.value(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def _rational(self, value: object, name: str) -> Fraction:
        written = type(value) is str and len(value) <= MAX_TEXT and _NUMBER.fullmatch(value)
        if type(value) is not int and not written:
            raise self._wrong(name, "an integer, or a rational number as text")
        try:
            return parse_rational(value, name)
        except InputError as error:
            raise ProofError(f"{self._reader}: {error}") from None

    def _wrong(self, name: str, expected: str) -> ProofError:
        return ProofError(f"{self._reader} needs {name} to be {expected}")


T = TypeVar("T")
Kind = Callable[[Parameters, str], T]
"""What a parameter is: reads the one of a name, or raises ProofError."""

rational: Kind[Fraction] = Parameters.rational
rationals: Kind[tuple[Fraction, ...]] = Parameters.rationals
points: Kind[tuple[tuple[Fraction, Fraction], ...]] = Parameters.points
positive: Kind[Fraction] = Parameters.positive
flag: Kind[bool] = Parameters.flag
text: Kind[str] = Parameters.text
record: Kind[dict[str, Any]] = Parameters.record
neighbours: Kind[Neighbours] = Parameters.neighbours
setting: Kind[dict[str, Any]] = Parameters.setting
value: Kind[Any] = Parameters.value


def whole(least: int | None = 0) -> Kind[int]:
    """An integer, of at least ``least`` where one is given."""
    return lambda given, name: given.whole(name, least)


def wholes(least: int | None = 0) -> Kind[tuple[int, ...]]:
    """Integers, each of at least ``least`` where one is given."""
    return lambda given, name: given.wholes(name, least)


def choice(*options: str) -> Kind[str]:
    """One of some words."""
    return lambda given, name: given.choice(name, *options)


def optional(kind: Kind[T]) -> Kind[T | None]:
    """A parameter that may be left out: None where it is."""
    return lambda given, name: kind(given, name) if given.has(name) else None
