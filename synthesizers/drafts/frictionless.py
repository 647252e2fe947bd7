"""Table schemas of Frictionless Data, alone or in the ``resources`` of a ``datapackage.json``.

After the standard (versions 1 and 2): ``fields`` with a ``name``, a ``type``, ``constraints``
(``enum``, ``minimum``, ``maximum``, ``required``) and perhaps ``categories``; ``missingValues`` of
a field or of the schema are the texts that stand for a missing value, an empty one if nothing is
said.
"""

from __future__ import annotations

from collections.abc import Sequence

from synthesizers.attributes import Attribute
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
    list_at,
    number_at,
    object_at,
    one_of,
    text_at,
    value_at,
)
from synthesizers.errors import InputError
from synthesizers.quantities import read_edges

_NUMBERS = {"integer": True, "year": True, "number": False}
"""Types of numbers: whether they are whole ones."""

_DATED = {
    "date": "[2020-01-01, 2020-07-01, 2021-01-01]",
    "datetime": "[2020-01-01T00:00:00, 2020-01-01T12:00:00, 2020-01-02T00:00:00]",
    "time": '["00:00", "12:00", "24:00"]',
}
"""Types of dates and times, with edges for example."""


def is_package(document: Document) -> bool:
    """Whether it is a table schema, or a package of some."""
    if isinstance(document.get("resources"), list):
        return bool(_schemas(document))
    return _is_table_schema(document)


def draft_package(document: Document, name: str, bins: Bins, table: str | None) -> Draft:
    """The draft of a table schema; ``InputError`` for several of which none is named."""
    if isinstance(document.get("resources"), list):
        schemas = _schemas(document)
        name = one_of(schemas, table)
        document = schemas[name]
    fields = [object_at(field, "a field") for field in list_at(document["fields"], "fields")]
    if not all(isinstance(field.get("name"), str) for field in fields):
        raise InputError("every field needs a name, as text")
    keys = document.get("primaryKey")
    key = keys if isinstance(keys, str) else None
    if isinstance(keys, list) and len(keys) == 1 and isinstance(keys[0], str):
        key = keys[0]
    absent = document.get("missingValues", [""])
    columns = tuple(
        LeftOut(str(field["name"]), "the key of the table; [individual] names it")
        if field["name"] == key
        else _column(field, absent, bins.of(str(field["name"])))
        for field in fields
    )
    individual = key if any(field["name"] == key for field in fields) else None
    return Draft(name, "a table schema of Frictionless Data", columns, individual)


def _is_table_schema(held: object) -> bool:
    fields = held.get("fields") if isinstance(held, dict) else None
    return isinstance(fields, list) and all(
        isinstance(field, dict) and "name" in field for field in fields
    )


def _schemas(document: Document) -> dict[str, Document]:
    """The table schemas of a package, by the names of its resources."""
    found: dict[str, Document] = {}
    for place, resource in enumerate(list_at(document["resources"], "resources")):
        schema = resource.get("schema") if isinstance(resource, dict) else None
        if isinstance(resource, dict) and isinstance(schema, dict) and _is_table_schema(schema):
            found[text_at(resource, "name") or f"resource {place + 1}"] = schema
    return found


def _column(field: Document, absent: object, bins: int | None) -> Column:
    name, kind = str(field["name"]), text_at(field, "type", "any")
    what = f"field {name!r}"
    held = field.get("constraints")
    limits = object_at({} if held is None else held, f"{what}: constraints")
    missing, several = _read_missing(field.get("missingValues", absent), limits, what)
    said = (text_at(field, "title"), text_at(field, "description"), several)
    about = ". ".join(text for text in said if text)
    values = _values(field, limits, what)
    if values is not None:
        ordered = field.get("categoriesOrdered") is True
        return list_values(name, values, ordinal=ordered, about=about, missing=missing)
    ends = [limits.get("minimum"), limits.get("maximum")]
    if kind in _NUMBERS:
        if None in ends:
            return Gap(name, "bins", "edges, as in bins = [0, 30, 60]", about, True, missing)
        low, high = (number_at(end, f"{what}: a constraint") for end in ends)
        whole = _NUMBERS[kind] and low.denominator == high.denominator == 1
        return bound_numbers(name, low, high, whole=whole, bins=bins, about=about, missing=missing)
    if kind in _DATED:
        return _draft_dates(name, kind, ends, about, missing)
    if kind == "boolean":
        ask = 'the texts that tables write, as in values = ["false", "true"]'
        return Gap(name, "values", ask, about, missing=missing)
    if limits.get("unique") is True:
        return LeftOut(name, "no two records have the same: it may name a person")
    return Gap(name, "values", "the values that can occur", about, missing=missing)


def _read_missing(absent: object, limits: Document, what: str) -> tuple[bool | str, str]:
    """Whether and how a value may be missing, and what to say where there are several ways."""
    entries = list_at(absent, f"{what}: missingValues")
    plain = [entry.get("value") if isinstance(entry, dict) else entry for entry in entries]
    texts = [value_at(entry, f"{what}: missingValues") for entry in plain]
    if limits.get("required") is True:
        return False, ""
    labels = [text for text in texts if text]
    if len(labels) > 1:
        listed_all = ", ".join(map(repr, labels))
        return labels[0], f"Missing values are written {listed_all}: write one of them in tables"
    return (labels[0] if labels else bool(texts)), ""


def _values(field: Document, limits: Document, what: str) -> Sequence[str] | None:
    """The values that are listed: as categories, as a constraint, or as the two of a truth."""
    listed_as = field.get("categories", limits.get("enum"))
    if listed_as is None:
        pair = [field.get("falseValues"), field.get("trueValues")]
        if not all(isinstance(values, list) and len(values) == 1 for values in pair):
            return None
        listed_as = [value for values in pair for value in list_at(values, what)]
    entries = list_at(listed_as, f"{what}: its values")
    plain = [entry.get("value") if isinstance(entry, dict) else entry for entry in entries]
    return [value_at(entry, f"{what}: its values") for entry in plain]


def _draft_dates(
    name: str, kind: str, ends: Sequence[object], about: str, missing: bool | str
) -> Complete | Gap:
    """A column of dates or times: one bin from one end to the other tells too little, so a gap."""
    known = [end for end in ends if isinstance(end, str)]
    found = read_edges(known) if len(known) == len(ends) else None
    ask = f"edges, as in bins = {_DATED[kind]}"
    if found is not None:
        # What could be no edges is refused here, not by whoever fills the gap.
        Attribute.binned(name, found[1], quantity=found[0])
        ask = f"edges from {known[0]} to {known[1]}, as in bins = {_DATED[kind]}"
    return Gap(name, "bins", ask, about, True, missing)
