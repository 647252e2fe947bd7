"""Column schemas in JSON (``column_schemas``); those that say it all are domain files already."""

from __future__ import annotations

from synthesizers.column_schemas import INCIDENTS, RAW, column_attribute, incident_attributes
from synthesizers.drafts.draft import Bins, Column, Complete, Draft, Gap
from synthesizers.drafts.entries import Document, objects, text_at


def is_column_schema(document: Document) -> bool:
    """Whether it is a column schema."""
    typed = all("type" in entry for entry in objects(document)) and bool(objects(document))
    return document.keys() == INCIDENTS or typed


def draft_column_schema(document: Document, name: str, bins: Bins, table: str | None) -> Draft:
    """The draft of a column schema; ``InputError`` for an entry that is none."""
    if document.keys() == INCIDENTS:
        columns: tuple[Column, ...] = tuple(map(Complete, incident_attributes(document)))
    else:
        columns = tuple(_column(column, entry) for column, entry in document.items())
    return Draft(name, "a column schema", columns)


def _column(name: str, entry: object) -> Complete | Gap:
    about = text_at(entry, "description") if isinstance(entry, dict) else ""
    if isinstance(entry, dict) and entry.get("type") == RAW:
        return Gap(name, "values", "the values that can occur, or bins", about)
    return Complete(column_attribute(name, entry), about)
