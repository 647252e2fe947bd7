"""One codec between values and plain data, by the type hints of the values.

It converts what has been read at the door (`audit.statements.published`): types and limits are
checked by then, and a conversion finds no other data than its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields
from enum import Enum
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from audit.statements.published import Place
from synthesizers.errors import InputError

OPTIONAL = MappingProxyType({"optional": True})
"""Of a dataclass's field: its key is left out where the value is None."""


def under(key: str) -> Mapping[str, Any]:
    """Of a dataclass's field: the key in JSON, where that is not the field's name."""
    return {"key": key}


@dataclass(frozen=True)
class Kind:
    """How values of a type are read of plain data, and written."""

    read: Callable[[Any, Place], Any]
    write: Callable[[Any], Any]


plain = Kind(lambda value, place: value, deepcopy)
"""Plain data that stays so: others read what it means."""

double = Kind(
    lambda value, place: float(value),
    lambda value: value if math.isfinite(value) else ("inf" if value > 0 else "-inf"),
)
"""A number; infinity is a text."""


def spelling(
    parse: Callable[[Any], Any], write: Callable[[Any], Any], *, strange: bool = False
) -> Kind:
    """What is parsed of plain data; noted as strange unless it is written alike again.

    ``parse`` raises InputError for what can't be; ``strange``: such a value is a false one, and no
    other form of a document.
    """

    def read(value: Any, place: Place) -> Any:
        parsed: Any = None
        try:
            parsed = parse(value)
            alike = write(parsed) == value
        except InputError as error:
            if not strange:
                raise InputError(f"{place.path}: {error}") from None
            alike = False
        if not alike:
            place.note("dp-audit does not write it so")
        return parsed

    return Kind(read, write)


@dataclass(frozen=True)
class Codec:
    """The kinds of types, by their hints; ``own``: those of single types, said for themselves.

    A dataclass is an object with a key a field, in order; a key that is missing has the default.
    """

    own: Mapping[Any, Kind]

    def kind(self, hint: Any) -> Kind:
        """The kind of a type hint."""
        if hint in self.own:
            return self.own[hint]
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return cast(Kind, arguments[1])
        if origin is tuple:
            return self._list(self.kind(arguments[0]))
        if origin in (Union, UnionType):
            return self._one_of([part for part in arguments if part is not NoneType])
        if isinstance(hint, type) and issubclass(hint, Enum):
            return Kind(lambda value, place: hint(value), lambda member: member.value)
        if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
            return self.fields(hint)
        return plain

    def _list(self, kind: Kind) -> Kind:
        return Kind(
            lambda value, place: tuple(
                kind.read(member, place.at(number)) for number, member in enumerate(value)
            ),
            lambda value: [kind.write(member) for member in value],
        )

    def _one_of(self, types: list[Any]) -> Kind:
        """None, or a value of the first type that has all of its keys."""
        kinds = {own: self.kind(own) for own in types}
        keys = {own: _keys(own) for own in types if len(types) > 1}

        def read(value: Any, place: Place) -> Any:
            if value is None:
                return None
            own = next((own for own in keys if value.keys() <= keys[own]), types[0])
            return kinds[own].read(value, place)

        def write(value: Any) -> Any:
            return None if value is None else kinds.get(type(value), kinds[types[0]]).write(value)

        return Kind(read, write)

    def fields(self, cls: type[Any], *without: str) -> Kind:
        """The kind of a dataclass, but for some of its fields."""
        hints = get_type_hints(cls, include_extras=True)
        parts = [
            (one.metadata.get("key", one.name), one.name, self.kind(hints[one.name]))
            for one in fields(cls)
            if one.name not in without
        ]
        optional = {one.name for one in fields(cls) if one.metadata.get("optional")}

        def read(value: Any, place: Place) -> Any:
            return cls(
                **{
                    name: kind.read(value[key], place.at(key))
                    for key, name, kind in parts
                    if key in value
                }
            )

        def write(value: Any) -> dict[str, Any]:
            own = [(key, name, kind, getattr(value, name)) for key, name, kind in parts]
            return {
                key: kind.write(member)
                for key, name, kind, member in own
                if member is not None or name not in optional
            }

        return Kind(read, write)


def _keys(cls: type[Any]) -> set[str]:
    return {one.metadata.get("key", one.name) for one in fields(cls)}
