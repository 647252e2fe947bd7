"""Metadata of SDV and SDMetrics: of one table, and of several below ``tables``.

A column has an ``sdtype``; before version 1 of SDV the columns were ``fields`` and had a ``type``.
The metadata say what kind a column is of, and never which values it has.
"""

from __future__ import annotations

from synthesizers.drafts.draft import Bins, Column, Draft, Gap, LeftOut, list_values
from synthesizers.drafts.entries import Document, object_at, objects, one_of, text_at

_TYPES = {"columns": "sdtype", "fields": "type"}
"""What the type of a column is called, by what the columns are called."""

_NOTE = (
    "SDV's metadata do not say where a value may be missing: add missing = true there, or the text "
    'that tables write, as in missing = "NA".'
)

_DATED = "edges that are dates, as in bins = [2020-01-01, 2020-07-01, 2021-01-01]"


def is_metadata(document: Document) -> bool:
    """Whether it is metadata of SDV."""
    tables = document.get("tables")
    if isinstance(tables, dict):
        return bool(tables) and all(map(_is_table, tables.values()))
    return _is_table(document)


def draft_metadata(document: Document, name: str, bins: Bins, table: str | None) -> Draft:
    """The draft of metadata; ``InputError`` for several tables of which none is named."""
    tables = document.get("tables")
    if isinstance(tables, dict):
        name = one_of(tables, table)
        document = object_at(tables[name], f"table {name!r}")
    key = next(key for key in _TYPES if key in document)
    entries = object_at(document[key], key)
    primary = document.get("primary_key")
    columns = tuple(
        _column(column, object_at(entry, f"column {column!r}"), _TYPES[key], column == primary)
        for column, entry in entries.items()
    )
    individual = primary if isinstance(primary, str) and primary in entries else None
    return Draft(name, "metadata of SDV", columns, individual, (_NOTE,))


def _is_table(held: object) -> bool:
    if not isinstance(held, dict):
        return False
    for key, kind in _TYPES.items():
        columns = held.get(key)
        if isinstance(columns, dict) and columns:
            return all(kind in entry for entry in objects(columns)) and bool(objects(columns))
    return False


def _column(name: str, entry: Document, key: str, primary: bool) -> Column:
    kind = text_at(entry, key)
    if primary:
        return LeftOut(name, "the key of the table; [individual] names it")
    if kind == "id":
        return LeftOut(name, "an id, which is not released")
    if kind == "boolean":
        return list_values(name, ("False", "True"), about="boolean, as pandas writes it")
    if kind == "numerical":
        return Gap(name, "bins", "edges, as in bins = [0, 30, 60]", "numerical", True)
    if kind == "datetime":
        form = text_at(entry, "datetime_format") or text_at(entry, "format")
        about = f"datetime, written as {form}: tables must write it as 2020-01-31" if form else ""
        return Gap(name, "bins", _DATED, about or "datetime", True)
    if kind == "categorical":
        order = entry.get("order_by") is not None or entry.get("order") is not None
        return Gap(name, "values", "the values that can occur", "categorical", order)
    if entry.get("pii") is not False and kind != "unknown":
        return LeftOut(name, f"{kind or 'of no known type'}: it may name a person")
    return Gap(name, "values", "the values that can occur, or bins", kind)
