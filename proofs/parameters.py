"""Plain data, and what is read from them by the types that a rule or a dataclass declares.

Numbers are integers, or rationals as text. A float is refused: 0.1 as a float
is not 1/10.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from proofs.errors import ProofError, require
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.neighbours import from_json as neighbours_from_json
from synthesizers.neighbours import to_json as neighbours_to_json

MAX_TEXT = 4_000
"""The most characters of one number; Python itself refuses integers of 4,300 digits as text."""

MAX_DEPTH = 60
"""How deep the data of a proof may be nested."""

_TOO_LARGE = 10**MAX_TEXT
_TOO_LONG = f"a number of a proof would have more than {MAX_TEXT} digits; round it"
_NUMBER = re.compile(r"-?([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?)")


def plain(value: object, depth: int = 0) -> Any:
    """A value as plain data: rationals become text; ProofError for what is none, or too long."""
    if depth > MAX_DEPTH:
        raise ProofError(f"the data of a proof are nested more than {MAX_DEPTH} deep")
    if value is None or type(value) in (int, bool, str):
        require(type(value) is not int or abs(value) < _TOO_LARGE, _TOO_LONG)
        return value
    if type(value) is Fraction:
        short = max(abs(value.numerator), value.denominator) < _TOO_LARGE
        require(short and len(str(value)) <= MAX_TEXT, _TOO_LONG)
        return str(value)
    if isinstance(value, AddRemove | ReplaceOne):
        return neighbours_to_json(value)
    if isinstance(value, Mapping):
        require(all(type(key) is str for key in value), "a proof's parameters have names")
        return {key: plain(member, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member, depth + 1) for member in value]
    raise ProofError(
        f"a proof's parameters are integers, fractions and decimals in quotes, found "
        f"{type(value).__name__}; write 0.1 as '0.1' or Fraction(1, 10)"
    )


def plain_fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass as plain data."""
    return {field.name: plain(getattr(record, field.name)) for field in fields(record)}


T = TypeVar("T")
Reader = Callable[[Any, str], Any]
"""Gives the value of plain data, or raises ProofError; the text says who needs it, and its name."""


def read_kind(kinds: Mapping[str, type[T]], tag: str, given: Any, who: str) -> T:
    """A dataclass of plain data, among ``kinds`` the one that the word ``tag`` of them names."""
    name = read_tag(kinds, tag, given, who)
    own = {field: value for field, value in given.items() if field != tag}
    return read_record(kinds[name], own, who)


def read_tag(kinds: Collection[str], tag: str, given: Any, who: str) -> str:
    """The word at ``tag`` of some named values, one of ``kinds``."""
    name = given.get(tag) if isinstance(given, Mapping) else None
    known = type(name) is str and name in kinds
    require(known, f"{who} needs {tag} to be one of {', '.join(kinds)}")
    return str(name)


def read_record(kind: type[T], given: Any, who: str) -> T:
    """A dataclass of plain data, whose names are its fields'; ProofError as of `read_fields`."""
    make: Callable[..., T] = kind
    own = read_fields(types_of(make), given, who)
    try:
        return make(**own)
    except InputError as error:
        raise ProofError(f"{who}: {error}") from None


def read_fields(types: Mapping[str, Any], given: Any, who: str) -> dict[str, Any]:
    """Named values, each of its type; ProofError where one is missing, wrong, or not declared.

    One of a type ``X | None`` may be left out, and is None then.
    """
    require(isinstance(given, Mapping), f"{who} needs named values")
    found: dict[str, Any] = {}
    for name, kind in types.items():
        if name in given:
            found[name] = reader(kind)(given[name], f"{who} needs {name}")
        else:
            require(NoneType in get_args(kind), f"{who} needs the parameter {name}")
            found[name] = None
    spare = min(given.keys() - types.keys(), default=None)
    require(spare is None, f"{who} has no parameter {str(spare)[:40]!r}")
    return found


@cache
def types_of(kind: Callable[..., Any]) -> dict[str, Any]:
    """The types of a dataclass's fields, or of a function's parameters and its value."""
    return get_type_hints(kind, include_extras=True)


@cache
def reader(kind: Any) -> Reader:
    """The reader of a type.

    ``tuple[X, ...]`` is a list of one or more, ``list[X]`` one of any length, ``tuple[X, Y]`` one
    of two; ``dict[str, X]`` and dataclasses are named values, a `Literal` one of some words. What
    annotates a type is the `Range` of its values, or their reader.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if origin is Annotated:
        read: Reader = parts[1]
        return _within(reader(parts[0]), read) if isinstance(read, Range) else read
    if origin is Literal:
        return _within(_exactly(str, "a text"), one_of(parts))
    if NoneType in parts:
        return reader(parts[0])
    if origin is None:
        return lambda value, place: read_record(kind, value, f"{place}: it")
    each = [reader(part) for part in parts if part is not ...]
    if origin is dict:
        return lambda value, place: {
            name: each[1](one, place) for name, one in _RECORD(value, place).items()
        }
    if origin is list:
        return lambda value, place: [each[0](one, place) for one in _LIST(value, place)]
    if ... in parts:
        some = _within(_LIST, Range(bool, "a list of one or more"))
        return lambda value, place: tuple([each[0](one, place) for one in some(value, place)])
    row = _within(_LIST, Range(lambda row: len(row) == len(each), f"a list of {len(each)}"))
    return lambda value, place: tuple(
        read(one, place) for read, one in zip(each, row(value, place), strict=True)
    )


@dataclass(frozen=True, slots=True)
class Range:
    """Which values of a type there may be, and the words for them."""

    holds: Callable[[Any], bool]
    words: str


def one_of(names: Collection[str]) -> Range:
    """The range of some words."""
    return Range(names.__contains__, f"one of {', '.join(names)}")


class Ranged:
    """A dataclass, of whose fields each lies in the range of its type, if that has one."""

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: Callable[..., Any] = type(self)
        for name, own in _ranges(kind):
            if not own.holds(getattr(self, name)):
                raise ProofError(f"{kind.__name__} needs {name} to be {own.words}")


@cache
def _ranges(kind: Callable[..., Any]) -> tuple[tuple[str, Range], ...]:
    own = ((name, get_args(declared)[1:]) for name, declared in types_of(kind).items())
    return tuple((name, more[0]) for name, more in own if more and isinstance(more[0], Range))


def _within(read: Reader, own: Range) -> Reader:
    def read_in_range(value: Any, place: str) -> Any:
        found = read(value, place)
        if not own.holds(found):
            raise ProofError(f"{place} to be {own.words}")
        return found

    return read_in_range


def _exactly(kind: type, words: str) -> Reader:
    return _within(lambda value, place: value, Range(lambda value: type(value) is kind, words))


_LIST, _RECORD = _exactly(list, "a list"), _exactly(dict, "named values")


def _read_rational(value: Any, place: str) -> Fraction:
    written = type(value) is str and len(value) <= MAX_TEXT and _NUMBER.fullmatch(value)
    if type(value) is not int and not written:
        raise ProofError(f"{place} to be an integer, or a rational number as text")
    try:
        return parse_rational(value, "it")
    except InputError as error:
        raise ProofError(f"{place}: {error}") from None


def _read_neighbours(value: Any, place: str) -> Neighbours:
    needed = {"neighbours": str, "unit": str, "max_records": int}
    try:
        return neighbours_from_json(read_fields(needed, value, f"{place}: it"))
    except InputError as error:
        raise ProofError(f"{place} to be a neighbouring relation: {error}") from None


def _read_if_known(value: Any, place: str) -> int | None:
    return None if value is None else reader(Whole)(value, place)


_SIMPLE: dict[Any, Reader] = {
    Any: lambda value, place: value,
    Fraction: _read_rational,
    int: _exactly(int, "an integer"),
    bool: _exactly(bool, "true or false"),
    str: _exactly(str, "a text"),
    Neighbours: _read_neighbours,
}

AtLeast0 = Annotated[Fraction, Range(lambda number: number >= 0, "at least 0")]
Positive = Annotated[Fraction, Range(lambda number: number > 0, "above 0")]
Chance = Annotated[Fraction, Range(lambda number: 0 <= number < 1, "at least 0 and below 1")]
Share = Annotated[Fraction, Range(lambda number: 0 < number < 1, "above 0 and below 1")]
Whole = Annotated[int, Range(lambda number: number >= 0, "an integer from 0 on")]
Count = Annotated[int, Range(lambda number: number >= 1, "an integer from 1 on")]
Known = Annotated[int | None, _read_if_known]
"""A whole number, or null where it is not known; it can't be left out."""

Record = dict[str, Any]
Shape = Annotated[dict[str, Count], Range(bool, "one or more attributes")]
"""How many values each attribute of a domain has."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a program runs on: a domain's ``attributes``, and how many ``records``, if public."""

    attributes: Shape
    records: Known
