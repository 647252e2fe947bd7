"""Reports: documents of dp-audit that criteria are decided by, and of which kind each is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from audit.review.rereading import Reread, reread
from audit.statements import strict_json
from audit.statements.certificate_json import VERSION
from synthesizers.errors import InputError

SCHEMAS = Path(strict_json.__file__).with_name("schema") / "1"
"""The published forms, each named for its command."""


@dataclass(frozen=True)
class Report:
    """A document of dp-audit.

    ``kind``: the name of its published form. ``certificate``: of a certificate, as it was read
    again; None for every other kind.
    """

    name: str
    kind: str
    document: Mapping[str, Any]
    certificate: Reread | None = None


def read_report(path: str | Path, name: str) -> Report:
    """The report of a file, called ``name``; raises InputError for another document."""
    text = strict_json.read_text(str(path))
    document = strict_json.parse(text, str(path), "a report of dp-audit, as --json writes it")
    return make_report(name, document)


def make_report(name: str, document: Mapping[str, Any]) -> Report:
    """The report of plain data; raises InputError for what has no published form."""
    if document.get("schema") == VERSION:
        return Report(name, "certificate", document, reread(name, document))
    kind = find_kind(document)
    if kind is None:
        raise InputError(
            f"{name} is no report that dp-audit writes: its keys are those of no published form. "
            "Hand over a certificate, or what a command wrote with --json"
        )
    return Report(name, kind, document)


def find_kind(document: Mapping[str, Any]) -> str | None:
    """The published form whose keys a document has; None where none or several fit."""
    keys = set(document)
    kinds = [
        kind for kind, (required, known) in _forms().items() if required <= keys and keys <= known
    ]
    return kinds[0] if len(kinds) == 1 else None


@cache
def _forms() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """The keys that each form must have, and those that it may have; open forms have no mark."""
    forms = {}
    for path in sorted(SCHEMAS.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        if schema.get("additionalProperties") is False and path.stem != "certificate":
            required = frozenset(schema["required"])
            forms[path.stem] = (required, frozenset(schema["properties"]))
    return forms
