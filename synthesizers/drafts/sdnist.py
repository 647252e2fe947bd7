"""SDNist's data dictionaries and schemas, and ``parameters.json`` of the 2020 challenge (DeID2).

A *data dictionary* has an object a column: ``description``, perhaps a ``link``, and what its codes
mean, below ``values`` or beside it; ``min`` and ``max`` among the codes are a range. A code that
means "N/A …" is how tables write a missing value.

A *schema* has ``dtype`` and ``values`` (a list, or a range) or ``min`` and ``max`` a column, and
``has_null`` with a ``null_value``. Those of the challenge say a ``kind`` too, and stand beside
``runs``, which bound the records of a person.
"""

from __future__ import annotations

from fractions import Fraction

from synthesizers.column_schemas import MAX_INTEGERS
from synthesizers.drafts.draft import (
    Bins,
    Column,
    Complete,
    Draft,
    Gap,
    LeftOut,
    bound_numbers,
    list_values,
)
from synthesizers.drafts.entries import (
    Document,
    number_at,
    object_at,
    objects,
    text_at,
    value_at,
)
from synthesizers.numerals import is_decimal

_STEPS = ("step size", "step_size")
_WORDS = ("description", "link", "values")


def is_dictionary(document: Document) -> bool:
    """Whether it is a data dictionary."""
    entries = objects(document)
    known = all("description" in entry or "values" in entry for entry in entries)
    typed = any({"type", "dtype", "sdtype"} & entry.keys() for entry in entries)
    return bool(entries) and known and not typed


def draft_dictionary(document: Document, name: str, bins: Bins, table: str | None) -> Draft:
    """The draft of a data dictionary; ``InputError`` for an entry that is none."""
    columns = tuple(
        _of_dictionary(column, object_at(entry, f"column {column!r}"), bins.of(column))
        for column, entry in document.items()
    )
    return Draft(name, "a data dictionary of SDNist", columns)


def is_schema(document: Document) -> bool:
    """Whether it is a schema of SDNist."""
    return "runs" not in document and bool(_has_types(_columns_of(document)))


def is_parameters(document: Document) -> bool:
    """Whether it is the ``parameters.json`` of the challenge."""
    return "runs" in document and bool(_has_types(_columns_of(document)))


def draft_schema(document: Document, name: str, bins: Bins, table: str | None) -> Draft:
    """The draft of a schema, or of ``parameters.json``; ``InputError`` for what is none."""
    found = _columns_of(document)
    ids = [column for column, entry in found.items() if _kind(entry) == "id"]
    columns = tuple(
        LeftOut(column, "an id, which is not released")
        if column in ids
        else _of_schema(column, object_at(entry, f"column {column!r}"), bins.of(column))
        for column, entry in found.items()
    )
    source = (
        "the parameters.json of a DeID2 challenge" if "runs" in document else ("a schema of SDNist")
    )
    individual = ids[0] if ids else None
    return Draft(name, source, columns, individual, _notes(document))


def _columns_of(document: Document) -> Document:
    schema = document.get("schema")
    return schema if isinstance(schema, dict) else document


def _has_types(columns: Document) -> bool:
    entries = objects(columns)
    return bool(entries) and all("dtype" in entry for entry in entries)


def _kind(entry: object) -> str:
    return text_at(entry, "kind") if isinstance(entry, dict) else ""


def _notes(document: Document) -> tuple[str, ...]:
    runs = document.get("runs")
    most = {
        run["max_records_per_individual"]
        for run in (runs if isinstance(runs, list) else [])
        if isinstance(run, dict) and isinstance(run.get("max_records_per_individual"), int)
    }
    if not most:
        return ()
    return (
        f"A person has at most {max(most)} records: --neighbours add-remove --unit person "
        f"--max-records {max(most)}.",
    )


def _of_schema(name: str, entry: Document, bins: int | None) -> Column:
    what = f"column {name!r}"
    missing: bool | str = False
    if entry.get("has_null") is True or "null_value" in entry:
        label = entry.get("null_value")
        missing = True if label in (None, "") else value_at(label, f"{what}: null_value")
    about = text_at(entry, "description")
    values = entry.get("values", entry)
    if isinstance(values, list):
        texts = [value_at(value, f"{what}: values") for value in values]
        names = entry.get("names")
        if isinstance(names, list):
            pairs = zip(texts, names, strict=False)
            about = "; ".join(f"{text} = {meaning}" for text, meaning in pairs)
        return list_values(name, texts, about=about, missing=missing)
    limits = object_at(values, f"{what}: values")
    if "min" not in limits or "max" not in limits:
        return Gap(name, "values", "the values that can occur", about, missing=missing)
    low, high = (number_at(limits[key], f"{what}: {key}") for key in ("min", "max"))
    whole = _is_whole(limits, low, high) and not text_at(entry, "dtype").startswith("float")
    return bound_numbers(name, low, high, whole=whole, bins=bins, about=about, missing=missing)


def _of_dictionary(name: str, entry: Document, bins: int | None) -> Complete | Gap:
    what = f"column {name!r}"
    held = entry.get("values")
    if isinstance(held, list):
        return list_values(name, [value_at(value, f"{what}: values") for value in held])
    inner = held if isinstance(held, dict) else {}
    codes = {key: value for key, value in {**entry, **inner}.items() if key not in _WORDS}
    limits = {key: codes.pop(key) for key in ("min", "max", *_STEPS) if key in codes}
    absent = [code for code, means in codes.items() if str(means).lower().startswith("n/a")]
    missing: bool | str = absent[0] or True if len(absent) == 1 else False
    kept = [code for code in codes if [code] != absent]
    meanings = "; ".join(f"{code} = {means}" for code, means in codes.items())
    about = ": ".join(filter(None, (text_at(entry, "description"), meanings)))
    about = " ".join(filter(None, (about, text_at(entry, "link"))))
    if "min" not in limits or "max" not in limits:
        if kept:
            return list_values(name, kept, about=about, missing=missing)
        return Gap(name, "values", "the values that can occur, or bins", about, missing=missing)
    low, high = (number_at(limits[key], f"{what}: {key}") for key in ("min", "max"))
    whole = _is_whole(limits, low, high)
    return _beside_range(name, kept, low, high, whole, bins, about, missing)


def _beside_range(
    name: str,
    codes: list[str],
    low: Fraction,
    high: Fraction,
    whole: bool,
    bins: int | None,
    about: str,
    missing: bool | str,
) -> Complete | Gap:
    """A range of numbers, with codes beside it that mean something of their own."""
    numbers = [Fraction(code) for code in codes if is_decimal(code)]
    texts = [code for code in codes if not is_decimal(code)]
    if not whole or high - low >= MAX_INTEGERS:
        if texts:
            ask = "values, or bins where no text stands beside the numbers"
            return Gap(name, "values", ask, about, missing=missing)
        low, high = min(low, *numbers, high), max(high, *numbers, low)
        return bound_numbers(name, low, high, whole=whole, bins=bins, about=about, missing=missing)
    ordered = sorted({*(n for n in numbers), *map(Fraction, range(int(low), int(high) + 1))})
    written = {Fraction(code): code for code in codes if is_decimal(code)}
    values = [written.get(number, str(number)) for number in ordered]
    return list_values(name, [*values, *texts], ordinal=not texts, about=about, missing=missing)


def _is_whole(limits: Document, low: Fraction, high: Fraction) -> bool:
    steps = [number_at(limits[key], "a step") for key in _STEPS if key in limits]
    return all(number.denominator == 1 for number in (low, high, *steps))
