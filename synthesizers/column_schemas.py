"""Column schemas in JSON (American Community Survey excerpts, Adult, SF Fire) as domains.

A schema is an object with one entry a column, and becomes a domain by these rules:

- ``categorical`` with ``values``: these values, in their order. An empty text
  among them becomes the missing value.
- ``categorical-code`` with ``size``: the values 0 to size - 1.
- ``numeric`` with ``min`` and ``max``, both integers, and at most 200
  integers from one to the other, both included: one value for each, ordinal.
- any other ``numeric``: 100 bins of equal width from ``min`` to ``max``, ordinal,
  edges exact.
- a ``null_value`` other than null (``"N"``, not applicable): the missing value,
  which tables write like that.
- ``string/raw`` declares no values: ``InputError``, because values taken from the
  confidential records would give them away.

Minima and maxima of these files were taken from the data they describe. That is
harmless for public data and not for confidential data.

The 911-calls schema, with its lists ``periods``, ``neighborhood`` and
``incident_type``, becomes three attributes: the period as ``2019-01``, and the
codes of the others, in which its tables are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NoReturn

from synthesizers.attributes import Attribute, first_repeated
from synthesizers.domain import MAX_LISTED_CELLS, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.numerals import number_text, rational

MAX_INTEGERS = 200
"""The most integers of a numeric column that are kept apart."""

BINS = 100
"""The number of bins of any other numeric column."""

RAW = "string/raw"
"""The type of a column of which a schema says no more than that it holds texts."""

INCIDENTS = {"periods", "neighborhood", "incident_type"}
"""The keys of the 911-calls schema."""

_KEYS = {
    "categorical": {"type", "description", "values"},
    "categorical-code": {"type", "description", "size"},
    "numeric": {"type", "description", "min", "max", "null_value"},
}


def domain_from_column_schema(text: str, name: str) -> Domain:
    """Return the domain of a column schema; ``InputError`` if it is not one."""
    schema = parse_schema(text)
    if schema.keys() == INCIDENTS:
        return Domain(name, incident_attributes(schema))
    raw = [
        column
        for column, entry in schema.items()
        if isinstance(entry, dict) and entry.get("type") == RAW
    ]
    if raw:
        raise InputError(
            f"the columns {', '.join(map(repr, raw))} have no declared values; a release needs a "
            "public list of values or bins for each: write a TOML domain file (dp-audit domain "
            "--from-schema drafts it)"
        )
    return Domain(name, tuple(column_attribute(column, entry) for column, entry in schema.items()))


def parse_schema(text: str) -> Mapping[str, object]:
    """Return the object of JSON that a text is, its decimals exact; ``InputError`` if none."""
    try:
        schema = json.loads(
            text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_unique
        )
    except InputError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        where = (
            f" (at line {error.lineno}, column {error.colno})"
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        raise InputError(f"it is not valid JSON{where}") from error
    if not isinstance(schema, dict) or not schema:
        raise InputError("a column schema must be a JSON object with one entry for each column")
    return schema


def _refuse(constant: str) -> NoReturn:
    raise InputError(f"{constant} is not a number that a column schema can hold")


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    repeated = first_repeated(key for key, _ in pairs)
    if repeated is not None:
        raise InputError(f"the key {repeated!r} stands twice in one object; keep one")
    return dict(pairs)


def column_attribute(column: str, entry: object) -> Attribute:
    """Return the attribute that an entry declares; ``InputError`` for one that declares none."""
    what = f"column {column!r}"
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise InputError(f"{what}: its entry must be an object with a type")
    kind = entry["type"]
    if kind not in _KEYS:
        raise InputError(
            f"{what}: its type must be one of {', '.join(_KEYS)}; this one is not known"
        )
    unknown = [key for key in entry if key not in _KEYS[kind]]
    if unknown:
        raise InputError(f"{what}: the key {unknown[0]!r} is unknown for the type {kind}")
    if kind == "categorical":
        return _categorical(column, entry, what)
    if kind == "categorical-code":
        return _code_column(column, entry, what)
    return _numeric(column, entry, what)


def _categorical(column: str, entry: Mapping[str, object], what: str) -> Attribute:
    values = entry.get("values")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"{what}: values must be a list of texts")
    return Attribute(column, tuple(filter(None, values)), missing="" in values)


def _code_column(column: str, entry: Mapping[str, object], what: str) -> Attribute:
    size = entry.get("size")
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InputError(f"{what}: size must be a positive integer")
    if size > MAX_LISTED_CELLS:
        raise TooLargeError(f"{what}: size must be at most {MAX_LISTED_CELLS}")
    return Attribute(column, tuple(str(code) for code in range(size)))


def _numeric(column: str, entry: Mapping[str, object], what: str) -> Attribute:
    low, high = (_number(entry.get(key), f"{what}: {key}") for key in ("min", "max"))
    if high < low:
        raise InputError(f"{what}: max must not be below min")
    null = entry.get("null_value")
    if null is not None and (not isinstance(null, str) or null == ""):
        raise InputError(f"{what}: null_value must be null or the text that tables write")
    label = null if isinstance(null, str) else ""
    if low.denominator == high.denominator == 1 and high - low < MAX_INTEGERS:
        values = tuple(str(value) for value in range(int(low), int(high) + 1))
        return Attribute(column, values, True, None, null is not None, label)
    if low == high:
        return Attribute(column, (number_text(low),), True, None, null is not None, label)
    edges = [low + (high - low) * k / BINS for k in range(BINS + 1)]
    return Attribute.binned(
        column, edges, ordinal=True, missing=null is not None, missing_label=label
    )


def _number(declared: object, what: str) -> Fraction:
    number = isinstance(declared, int | Decimal) and not isinstance(declared, bool)
    value = rational(str(declared)) if number else None
    if value is None:
        raise InputError(f"{what} must be a finite number")
    return value


def incident_attributes(schema: Mapping[str, object]) -> tuple[Attribute, ...]:
    """Return the attributes of the 911-calls schema; ``InputError`` for another."""
    periods = [
        f"{year:04d}-{month:02d}"
        for year, month in zip(
            _integers(schema, "periods", "year"), _integers(schema, "periods", "month"), strict=True
        )
    ]
    codes = {
        key: tuple(str(code) for code in _integers(schema, key, "code"))
        for key in ("neighborhood", "incident_type")
    }
    return (
        Attribute("period", tuple(periods), ordinal=True),
        *(Attribute(key, values) for key, values in codes.items()),
    )


def _integers(schema: Mapping[str, object], key: str, field: str) -> list[int]:
    items = schema[key]
    found = (
        [item.get(field) for item in items if isinstance(item, dict)]
        if isinstance(items, list)
        else []
    )
    integers = [value for value in found if isinstance(value, int) and value >= 0]
    if not isinstance(items, list) or len(integers) < len(items):
        raise InputError(f"{key} must be a list of objects, each with a whole number as {field}")
    return integers
