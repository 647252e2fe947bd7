"""Program parameters as text: how ``--set name=value`` becomes a typed field.

A built-in program is a frozen dataclass. Each field carries its parser in its
metadata, made by the functions here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import Neighbours, neighbours_from
from synthesizers.suggestions import suggest

LEAST, MOST = Fraction(1, 10**100), Fraction(10**12)
"""How small and how large numbers other than 0 may be: what programs
compute of them stays within floats and 64 bits."""

Parser = Callable[[str, str], Any]


def rational(text: str, name: str) -> Fraction:
    """A rational: integer, decimal or fraction, of 1e-100 to 1e12 in size or 0."""
    value = parse_rational(text, name)
    if value and not LEAST <= abs(value) <= MOST:
        raise InputError(f"{name} must be 0, or from 1e-100 to 1e12 in size, found {text!r}")
    return value


def rationals(text: str, name: str) -> tuple[Fraction, ...]:
    """One rational or several, separated by commas."""
    return tuple(parse_rational(part, name) for part in text.split(","))


def whole(text: str, name: str) -> int:
    """A whole number that is not negative."""
    value = rational(text, name)
    if value.denominator != 1 or value < 0:
        raise InputError(f"{name} must be a whole number >= 0, found {text!r}")
    return int(value)


def wholes(text: str, name: str) -> tuple[int, ...]:
    """One whole number or several, separated by commas."""
    return tuple(whole(part, name) for part in text.split(","))


def attribute_name(text: str, name: str) -> str:
    """An attribute's name; whether the domain has it is seen when the program runs."""
    if not text.strip():
        raise InputError(f"{name} must name an attribute, found an empty text")
    return text.strip()


def attribute_names(text: str, name: str) -> tuple[str, ...]:
    """One attribute's name or several, separated by commas."""
    return tuple(attribute_name(part, name) for part in text.split(","))


def attribute_sets(text: str, name: str) -> tuple[tuple[str, ...], ...]:
    """Sets of attributes: names joined by +, sets separated by semicolons, as in ``a+b;b+c``."""
    sets = [part.split("+") for part in text.split(";")]
    return tuple(tuple(attribute_name(part, name) for part in names) for names in sets)


def switch(text: str, name: str) -> bool:
    """True or false, in words."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in words:
        raise InputError(f"{name} must be true or false, found {text!r}")
    return words[text.lower()]


def relation(text: str, name: str) -> Neighbours:
    """A neighbouring relation of records."""
    if text not in ("add-remove", "replace-one"):
        raise InputError(f"{name} must be add-remove or replace-one, found {text!r}")
    return neighbours_from(text)


def one_of(*options: str) -> Parser:
    """A parser that accepts exactly these words."""

    def parse(text: str, name: str) -> str:
        if text not in options:
            raise InputError(f"{name} must be one of {', '.join(options)}; found {text!r}")
        return text

    return parse


def parameter(parser: Parser, default: Any = dataclasses.MISSING) -> Any:
    """A dataclass field that ``--set`` can fill; required without a default."""
    return dataclasses.field(default=default, metadata={"parser": parser})


def spell(field: str) -> str:
    """A field's name as users write it."""
    return field.replace("_", "-")


def from_text(program: type[Any], name: str, values: Mapping[str, str]) -> Any:
    """The program of its parameters as text; raises InputError for any that do not fit."""
    fields = {spell(field.name): field for field in dataclasses.fields(program)}
    given: dict[str, Any] = {}
    for key, text in values.items():
        field = fields.get(spell(key))
        if field is None:
            known = ", ".join(fields) or "none"
            raise InputError(
                f"{name} has no parameter {key!r}; it takes: {known}{suggest(key, fields)}"
            )
        given[field.name] = field.metadata["parser"](text, spell(key))
    for key, field in fields.items():
        if field.name not in given and field.default is dataclasses.MISSING:
            raise InputError(f"{name} needs the parameter {key}: add --set {key}=…")
    return program(**given)
