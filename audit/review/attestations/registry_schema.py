"""The schema of a public registry of deployments of differential privacy.

``registry/deployments-schema.json`` is that of the OpenDP deployments registry, its YAML written as
JSON and otherwise unchanged, under the licence beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from audit.statements.published import Place, Schema

Field = tuple[str, ...]
"""The keys that lead to a field of an entry."""


@cache
def registry_schema() -> Schema:
    """The schema, in the form in which documents are checked here."""
    path = Path(__file__).with_name("registry") / "deployments-schema.json"
    return Schema(_spell(json.loads(path.read_text(encoding="utf-8"))))


def part_of(field: Field) -> Mapping[str, Any]:
    """What the schema says of one field; raises KeyError for a field that it does not have."""
    part = registry_schema().content
    for key in field:
        part = part["properties"][key]
    return part


def require_value(field: Field, value: object) -> None:
    """Raise InputError unless the schema takes a value for a field."""
    place = Place(".".join(field))
    part = part_of(field)
    registry_schema().check(part, value, place)
    place.require_ordinary()
    if part.get("format") == "date":
        _require_date(value, place)


def require_entry(entry: Mapping[str, Any]) -> None:
    """Raise InputError, with the place, unless an entry fits the schema.

    Guarantee
    ---------
    What is let through is valid by the schema, formats of dates included. Backed by
    ``tests/audit/review/attestations/test_registry_schema.py``, which asks jsonschema.
    """
    place = Place()
    registry_schema().check(registry_schema().content, entry, place)
    place.require_ordinary()
    published = ("deployment", "basic", "publication_date")
    _require_date(entry["deployment"]["basic"]["publication_date"], Place(".".join(published)))


def _require_date(value: object, place: Place) -> None:
    try:
        right = date.fromisoformat(str(value)).isoformat() == value
    except ValueError:
        right = False
    if not right:
        place.refuse("a date such as 2026-01-31")


def _spell(part: Any) -> Any:
    """Several types of one value as several forms, as `Schema` reads them."""
    if isinstance(part, list):
        return [_spell(one) for one in part]
    if not isinstance(part, dict):
        return part
    spelled = {key: _spell(value) for key, value in part.items()}
    if isinstance(part.get("type"), list):
        del spelled["type"]
        spelled["oneOf"] = [{"type": one} for one in part["type"]]
    return spelled
