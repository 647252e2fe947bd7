"""One codec between values and JSON: what a type hint says is what a field may hold.

A document may come from anyone. Each of its fields is compared with a type and a limit before
anything is converted, computed with, run or printed: a number as text with a pattern and its
length, an object with its keys. A number is read only in the spelling in which it is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from synthesizers.errors import InputError

MAX_TEXT = 100_000
"""The most characters of a text: many times what is written."""

MAX_MEMBERS = 1_000_000
"""The most members of a list or an object."""

MAX_BITS = 4_096
"""The most bits of a whole number: a product of many attributes."""

SHOWN = 60
"""The most characters of a stranger's key that a message repeats."""

OPTIONAL = MappingProxyType({"optional": True})
"""Of a dataclass's field: its key is left out where the value is None, and is never null."""

LATER = MappingProxyType({"later": True})
"""Of a dataclass's field: its key came later within the version, and is always written."""

T = TypeVar("T")


def under(key: str) -> Mapping[str, Any]:
    """Of a dataclass's field: the key in JSON, where that is not the field's name."""
    return {"key": key}


@dataclass(frozen=True)
class Place:
    """Where a value stands in its document, such as ``bounds.exact.epsilon``.

    ``strange``: of all places of the document, what dp-audit would not have written there, though
    it can be read: keys that no version has, and numbers in another spelling.
    """

    path: str = ""
    strange: list[str] = field(default_factory=list)

    def at(self, key: str | int) -> Place:
        """The place of a member."""
        if isinstance(key, int):
            return Place(f"{self.path}[{key}]", self.strange)
        return Place(f"{self.path}.{_shown(key)}" if self.path else _shown(key), self.strange)

    def note(self, strange: str) -> None:
        """Add to what is strange."""
        self.strange.append(f"{self.path}: {strange}")

    def refuse(self, expected: str) -> NoReturn:
        """Raise InputError with the place."""
        raise InputError(f"{self.path or 'the document'}: expected {expected}")


def _shown(key: str) -> str:
    printable = "".join(character if character.isprintable() else "?" for character in key)
    return printable if len(printable) <= SHOWN else printable[: SHOWN - 3] + "..."


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Kind:
    """How values of a type stand in JSON: ``read`` raises InputError for any other value."""

    read: Callable[[Any, Place], Any]
    write: Callable[[Any], Any] = _as_it_is


def such(holds: Callable[[Any], bool], expected: str) -> Kind:
    """Whatever a predicate holds of; ``expected``: what that is, in words."""

    def read(value: Any, place: Place) -> Any:
        if not holds(value):
            place.refuse(expected)
        return value

    return Kind(read)


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
    words = ", ".join(map(repr, values))
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


flag = such(lambda value: type(value) is bool, "true or false")

sha256 = matching("[0-9a-f]{64}", "a SHA-256 in hexadecimal")
tagged_sha256 = matching("sha256:[0-9a-f]{64}", "sha256: and a SHA-256 in hexadecimal")


def double(least: float = -math.inf, *, infinite: bool = False) -> Kind:
    """A number of at least ``least``, whole or not; ``infinite``: infinity too, as a text."""

    def holds(value: Any) -> bool:
        if type(value) is int:
            return value.bit_length() <= 1023 and value >= least
        return type(value) is float and math.isfinite(value) and value >= least

    def read(value: Any, place: Place) -> float:
        if not (holds(value) or (infinite and value in ("inf", "-inf"))):
            lower = f" from {least:g}" if math.isfinite(least) else ""
            place.refuse(f"a finite number{lower}" + (" or 'inf'" if infinite else ""))
        return float(value)

    def write(value: float) -> float | str:
        return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")

    return Kind(read, write)


def spelled(kind: Kind, parse: Callable[[Any], Any], write: Callable[[Any], Any]) -> Kind:
    """What is parsed of a value of a kind; noted as strange unless it is written alike again.

    ``parse`` raises InputError. Nothing is parsed of what is strange already.
    """

    def read(value: Any, place: Place) -> Any:
        before = len(place.strange)
        plain = kind.read(value, place)
        if len(place.strange) > before:
            return None
        try:
            parsed = parse(plain)
        except InputError as error:
            raise InputError(f"{place.path}: {error}") from None
        if write(parsed) != plain:
            place.note("dp-audit does not write it so")
        return parsed

    return Kind(read, write)


def unread(kind: Kind) -> Kind:
    """A value of a kind, kept as the plain data that it is: others read what it means."""

    def read(value: Any, place: Place) -> Any:
        kind.read(value, place)
        return value

    return Kind(read, deepcopy)


def nullable(kind: Kind) -> Kind:
    """Null, or what a kind describes."""
    return Kind(
        lambda value, place: None if value is None else kind.read(value, place),
        lambda value: None if value is None else kind.write(value),
    )


def listed(kind: Kind, most: int = MAX_MEMBERS, least: int = 0) -> Kind:
    """A list of values of one kind, read as a tuple."""

    def read(value: Any, place: Place) -> tuple[Any, ...]:
        if type(value) is not list or not least <= len(value) <= most:
            place.refuse(f"a list of {least} to {most} values")
        return tuple(kind.read(member, place.at(number)) for number, member in enumerate(value))

    return Kind(read, lambda values: [kind.write(value) for value in values])


def named(kind: Kind, most: int = MAX_MEMBERS) -> Kind:
    """An object of any names, of values of one kind."""

    def read(value: Any, place: Place) -> dict[str, Any]:
        if type(value) is not dict or len(value) > most:
            place.refuse(f"an object of at most {most} names")
        if any(len(name) > MAX_TEXT for name in value):
            place.refuse(f"names of at most {MAX_TEXT} characters")
        return {name: kind.read(member, place.at(name)) for name, member in value.items()}

    return Kind(read, lambda values: {name: kind.write(own) for name, own in values.items()})


def record(needed: Mapping[str, Kind], optional: Mapping[str, Kind] | None = None) -> Kind:
    """An object with these keys; others are noted as strange, and nothing in them is read."""
    known = {**needed, **(optional or {})}

    def read(value: Any, place: Place) -> dict[str, Any]:
        if type(value) is not dict:
            place.refuse("an object")
        for key in needed:
            if key not in value:
                raise InputError(f"{place.at(key).path}: it is missing")
        for key in value.keys() - known.keys():
            place.at(key).note("unknown key")
        return {
            key: known[key].read(member, place.at(key))
            for key, member in value.items()
            if key in known
        }

    return Kind(read, lambda own: {key: known[key].write(own[key]) for key in known if key in own})


def chosen(key: str, kinds: Mapping[Any, Kind]) -> Kind:
    """An object whose kind follows from the text under one of its keys; written as it is."""
    own = one_of(*kinds)

    def read(value: Any, place: Place) -> Any:
        if type(value) is not dict:
            place.refuse("an object")
        if key not in value:
            raise InputError(f"{place.at(key).path}: it is missing")
        return kinds[own.read(value[key], place.at(key))].read(value, place)

    return Kind(read)


def _read_plain(value: Any, place: Place) -> Any:
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if type(inner) is dict:
            waiting += [*inner, *inner.values()]
        elif type(inner) is list:
            waiting += inner
        elif type(inner) is str:
            text().read(inner, place)
        elif type(inner) is int:
            if inner.bit_length() > 4 * MAX_BITS:
                place.refuse(f"whole numbers of at most {4 * MAX_BITS} bits")
        elif type(inner) is float:
            double().read(inner, place)
    return value


plain = Kind(_read_plain, deepcopy)
"""Whatever JSON can say, within the limits: its meaning is somebody else's to read."""


@dataclass(frozen=True)
class Codec:
    """The kinds of types, by their hints; ``own``: those of single types, said for themselves.

    A dataclass is an object with a key a field, in order.
    """

    own: Mapping[Any, Kind]

    def kind(self, hint: Any) -> Kind:
        """The kind of a type hint; TypeError for a type that has none."""
        own: dict[Any, Kind] = {bool: flag, str: text(), Any: plain, **self.own}
        if hint in own:
            return own[hint]
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return cast(Kind, arguments[1])
        if origin is Literal:
            return one_of(*arguments)
        if origin is tuple:
            return listed(self.kind(arguments[0]))
        if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            return named(self.kind(arguments[1]))
        if origin in (Union, UnionType) and NoneType in arguments and len(arguments) == 2:
            return nullable(self.kind(next(a for a in arguments if a is not NoneType)))
        if isinstance(hint, type) and issubclass(hint, Enum):
            names = one_of(*(member.value for member in hint))
            return Kind(
                lambda value, place: hint(names.read(value, place)), lambda member: member.value
            )
        if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
            return self.fields(hint)
        raise TypeError(f"no kind of {hint!r}")

    def fields(self, cls: type[Any], without: tuple[str, ...] = (), **others: Kind) -> Kind:
        """The kind of a dataclass; some fields left out, or of ``others`` than their hints say."""
        hints = get_type_hints(cls, include_extras=True)
        needed: dict[str, Kind] = {}
        optional: dict[str, Kind] = {}
        names: dict[str, str] = {}
        skipped: set[str] = set()
        for one in fields(cls):
            if one.name in without:
                continue
            key, hint = one.metadata.get("key", one.name), hints[one.name]
            if one.metadata.get("optional"):
                skipped.add(key)
                hint = Union[tuple(part for part in get_args(hint) if part is not NoneType)]  # noqa: UP007
            missing = key in skipped or one.metadata.get("later")
            (optional if missing else needed)[key] = others.get(one.name) or self.kind(hint)
            names[key] = one.name
        shape = record(needed, optional)

        def read(value: Any, place: Place) -> Any:
            own = shape.read(value, place)
            return cls(**{names[key]: member for key, member in own.items()})

        def write(value: Any) -> dict[str, Any]:
            kinds = needed | optional
            own = {key: getattr(value, name) for key, name in names.items()}
            return {
                key: kinds[key].write(member)
                for key, member in own.items()
                if member is not None or key not in skipped
            }

        return Kind(read, write)

    def encode(self, value: object) -> Any:
        """A value as plain data."""
        return self.kind(type(value)).write(value)

    def decode(self, cls: type[T], value: Any) -> T:
        """The value of plain data; raises InputError for whatever `encode` does not write."""
        place = Place()
        decoded = self.kind(cls).read(value, place)
        if place.strange:
            raise InputError(place.strange[0])
        return cast(T, decoded)
