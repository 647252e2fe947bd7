"""What is promised of a synthetic table: its certificate's claim, or its ledger's budget."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.review.rereading import reread_file
from audit.statements import strict_json
from audit.utility.results import Promise
from proofs.ledger.files import SCHEMA as LEDGER
from proofs.ledger.files import of_release
from synthesizers.errors import InputError


def read_promise(path: str | Path) -> Promise:
    """The promise that a certificate or a ledger of `release` states.

    Raises ``InputError`` for another document, and for a certificate whose text was changed, whose
    verdict its own evidence does not entail, or whose proof the independent checker rejects.
    """
    document = strict_json.parse(strict_json.read_text(str(path)), str(path), "a JSON document")
    name = Path(path).name
    if document.get("schema") == LEDGER:
        of_release(document)
        protects = _relation(document["neighbours"], document.get("max_records"))
        return Promise(f"{_budget(document['budget'])}, {protects}", f"ledger {name}")
    read = reread_file(path)
    read.require_believed("promises nothing")
    relation = read.certificate.claim.neighbours
    unit = relation.unit
    most = None if unit.is_record else unit.max_records
    guarantee = f"{read.document.claim}, {_relation(relation.name, most)}"
    return Promise(guarantee, f"certificate {name}: {read.certificate.verdict.value}")


def _budget(budget: Mapping[str, Any]) -> str:
    """A budget as the claim that it amounts to."""
    for name in ("epsilon", "rho"):
        if name in budget:
            return f"{name}={budget[name]}"
    raise InputError("the ledger's budget is of a kind that dp-audit account states, not utility")


def _relation(neighbours: str, most: int | None) -> str:
    """The neighbours, with the records of a person where these are the unit."""
    unit = "" if most is None else f", persons of at most {most} records"
    return f"{neighbours}{unit}"
