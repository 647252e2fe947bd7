"""The door of strangers' documents: a published schema, read strictly.

JSON Schema, as far as the schemas of this project use it, with what a stranger's document needs
besides: true is not 1 and 1 is not 1.0, patterns describe a text whole, and whatever the schema
leaves open has limits. Nothing is converted, imported or run.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from synthesizers.errors import InputError

MAX_TEXT = 100_000
"""The most characters of a text: many times what is written."""

MAX_MEMBERS = 1_000_000
"""The most members of a list or an object."""

MAX_BITS = 4_096
"""The most bits of a whole number: a product of many attributes."""

SHOWN = 60
"""The most characters of a stranger's key that a message repeats."""


class Strange(InputError):
    """A document that can be read, and that dp-audit would not have written so.

    ``notes``: the places and what is strange there: keys that no version has, and numbers in
    another spelling.
    """

    def __init__(self, notes: Sequence[str]) -> None:
        super().__init__(notes[0])
        self.notes = tuple(notes)


@dataclass(frozen=True)
class Place:
    """Where a value stands in its document, such as ``bounds.exact.epsilon``.

    ``strange``: what was strange so far, at all places of the document.
    """

    path: str = ""
    strange: list[str] = field(default_factory=list)

    def at(self, key: str | int) -> Place:
        """The place of a member."""
        if isinstance(key, int):
            return Place(f"{self.path}[{key}]", self.strange)
        return Place(f"{self.path}.{_quote(key)}" if self.path else _quote(key), self.strange)

    def note(self, strange: str) -> None:
        """Add to what is strange."""
        self.strange.append(f"{self.path}: {strange}")

    def refuse(self, expected: str) -> NoReturn:
        """Raise InputError with the place."""
        raise InputError(f"{self.path or 'the document'}: expected {expected}")

    def require_ordinary(self) -> None:
        """Raise Strange where anything was strange."""
        if self.strange:
            raise Strange(self.strange)


def _quote(key: str) -> str:
    printable = "".join(character if character.isprintable() else "?" for character in key)
    return printable if len(printable) <= SHOWN else printable[: SHOWN - 3] + "..."


@dataclass(frozen=True, eq=False)
class Schema:
    """A schema by its file's content; ``parts``: its ``$defs``."""

    content: Mapping[str, Any]

    @classmethod
    def load(cls, name: str) -> Schema:
        """The schema of a file in the package's folder."""
        path = Path(__file__).with_name("schema") / name
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def check(self, part: Mapping[str, Any], value: object, place: Place) -> None:
        """Note keys that a part of the schema does not have; InputError for other differences."""
        self._check(part, value, place)

    def _check(self, schema: Any, value: Any, place: Place) -> None:
        schema = self._resolve(schema)
        if "oneOf" in schema:
            forms = [self._resolve(one) for one in schema["oneOf"]]
            kept = [form for form in forms if _may_be(form, value)]
            if not kept:
                place.refuse(_choices(forms))
            self._check(kept[0], value, place)
        elif "const" in schema or "enum" in schema:
            known = schema.get("enum", [schema.get("const")])
            if not any(type(value) is type(own) and value == own for own in known):
                place.refuse(", ".join(map(repr, known)))
        else:
            _TYPES[schema.get("type", "anything")](self, schema, value, place)

    def _resolve(self, schema: Any) -> Mapping[str, Any]:
        if schema is True:
            return {}
        reference = schema.get("$ref")
        own: Mapping[str, Any] = (
            schema if reference is None else self.content["$defs"][reference.split("/")[-1]]
        )
        return own

    def _object(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        if type(value) is not dict or len(value) > schema.get("maxProperties", MAX_MEMBERS):
            place.refuse("an object")
        needed = list(schema.get("required", ()))
        for key, others in schema.get("dependentRequired", {}).items():
            needed += others if key in value else ()
        for key in needed:
            if key not in value:
                raise InputError(f"{place.at(key).path}: it is missing")
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, member in value.items():
            if key in known:
                self._check(known[key], member, place.at(key))
            elif others is False:
                place.at(key).note("unknown key")
            elif len(key) > MAX_TEXT:
                place.refuse(f"names of at most {MAX_TEXT} characters")
            else:
                self._check(others, member, place.at(key))

    def _array(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        least, most = schema.get("minItems", 0), schema.get("maxItems", MAX_MEMBERS)
        if type(value) is not list or not least <= len(value) <= most:
            place.refuse(f"a list of {least} to {most} values")
        for number, member in enumerate(value):
            self._check(schema.get("items", True), member, place.at(number))
        if schema.get("uniqueItems") and len(set(map(json.dumps, value))) < len(value):
            place.refuse("different values")

    def _string(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        most, pattern = schema.get("maxLength", MAX_TEXT), schema.get("pattern", "(?s:.*)")
        if type(value) is not str or not schema.get("minLength", 0) <= len(value) <= most:
            place.refuse(f"a text of at most {most} characters")
        if re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value) is None:
            place.refuse(schema.get("description", f"a text such as {pattern}"))

    def _integer(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        least, most = schema.get("minimum"), schema.get("maximum")
        if type(value) is not int or value.bit_length() > MAX_BITS or not _within(schema, value):
            place.refuse(f"a whole number from {least}" + ("" if most is None else f" to {most}"))

    def _number(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        whole = type(value) is int and value.bit_length() <= 1023
        if not (whole or (type(value) is float and math.isfinite(value))):
            place.refuse("a finite number")
        if not _within(schema, value):
            place.refuse(f"a number from {schema.get('minimum')}")

    def _boolean(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        if type(value) is not bool:
            place.refuse("true or false")

    def _null(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        if value is not None:
            place.refuse("null")

    def _anything(self, schema: Mapping[str, Any], value: Any, place: Place) -> None:
        """Whatever JSON can say, within the limits: its meaning is somebody else's to read."""
        waiting = [value]
        while waiting:
            inner = waiting.pop()
            if type(inner) is dict:
                waiting += [*inner, *inner.values()]
            elif type(inner) is list:
                waiting += inner
            elif type(inner) is str:
                self._string({}, inner, place)
            elif type(inner) is int and inner.bit_length() > 4 * MAX_BITS:
                place.refuse(f"whole numbers of at most {4 * MAX_BITS} bits")
            elif type(inner) is float:
                self._number({}, inner, place)


NAMES = ("kind", "form", "auditor", "name")
"""Keys whose text says which of several forms an object has."""

_TYPES = {
    "object": Schema._object,
    "array": Schema._array,
    "string": Schema._string,
    "integer": Schema._integer,
    "number": Schema._number,
    "boolean": Schema._boolean,
    "null": Schema._null,
    "anything": Schema._anything,
}

KEYWORDS = (
    *("type", "oneOf", "const", "enum", "$ref", "properties", "required", "dependentRequired"),
    *(
        "additionalProperties",
        "maxProperties",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
    ),
    *("maxLength", "pattern", "minimum", "maximum"),
)
"""What is read of a schema; beside it may stand what it is called and what it says in words."""


_PYTHON: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def _may_be(form: Mapping[str, Any], value: Any) -> bool:
    """Whether a value is of a form, by its type and by the texts that name the form."""
    if "enum" in form:
        return value in form["enum"]
    if not isinstance(value, _PYTHON[form["type"]]):
        return False
    return type(value) is not dict or all(
        value.get(key) in own.get("enum", [own.get("const")])
        for key, own in form.get("properties", {}).items()
        if key in NAMES and ("const" in own or "enum" in own)
    )


def _within(schema: Mapping[str, Any], value: float) -> bool:
    least, most = schema.get("minimum"), schema.get("maximum")
    return (least is None or least <= value) and (most is None or value <= most)


def _choices(forms: Sequence[Mapping[str, Any]]) -> str:
    texts = [own["const"] for form in forms for key, own in form.get("properties", {}).items()
             if key in NAMES and "const" in own]  # fmt: skip
    types = [form.get("type", "another text") for form in forms]
    return f"one of {', '.join(dict.fromkeys(texts or types))}"
