"""What the entries of foreign schemas have in common: their types, read strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.numerals import number_text, rational

Document = Mapping[str, object]
"""An object of JSON, its decimals exact."""


def object_at(held: object, what: str) -> Document:
    """``held`` as an object, else ``InputError``."""
    if not isinstance(held, dict):
        raise InputError(f"{what} must be an object")
    return held


def list_at(held: object, what: str) -> Sequence[object]:
    """``held`` as a list, else ``InputError``."""
    if not isinstance(held, list):
        raise InputError(f"{what} must be a list")
    return held


def text_at(entry: Document, key: str, default: str = "") -> str:
    """The text under a key, or the default if there is none such."""
    held = entry.get(key, default)
    return held if isinstance(held, str) else default


def number_at(held: object, what: str) -> Fraction:
    """``held`` as an exact number, also one that is written as text; else ``InputError``."""
    plain = isinstance(held, int | Decimal | str) and not isinstance(held, bool)
    number = rational(str(held)) if plain else None
    if number is None:
        raise InputError(f"{what} must be a finite number")
    return number


def value_at(held: object, what: str) -> str:
    """``held`` as tables write it: a text, a number, or a truth; else ``InputError``."""
    if isinstance(held, bool):
        return str(held)
    if isinstance(held, int | Decimal):
        return number_text(number_at(held, what))
    if not isinstance(held, str):
        raise InputError(f"{what} must be texts or numbers")
    return held


def objects(document: Document) -> tuple[Document, ...]:
    """The values of an object if all of them are objects, else none."""
    entries = tuple(entry for entry in document.values() if isinstance(entry, dict))
    return entries if len(entries) == len(document) else ()


def one_of(tables: Mapping[str, object], table: str | None, flag: str = "--table") -> str:
    """The name of the table that is asked for; ``InputError`` unless there is one such."""
    if table is None and len(tables) == 1:
        return next(iter(tables))
    names = ", ".join(map(repr, list(tables)[:20]))
    if table is None:
        raise InputError(f"it describes {len(tables)} tables: name one by {flag}, of {names}")
    if table not in tables:
        raise InputError(f"it describes no table {table!r}; it has {names}")
    return table
