"""What is promised of a synthetic table: its certificate's claim, or its ledger's budget."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.review.rereading import find_fault
from audit.statements import strict_json
from audit.utility.results import Promise
from audit.verify import load_certificate, recheck_proof
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
        return Promise(f"{_budget(document['budget'])}, {_relation(document)}", f"ledger {name}")
    certificate = load_certificate(str(path))
    _require_sound(certificate, name)
    verdict = certificate["verdict"]
    guarantee = f"{certificate['claim']}, {_relation(certificate)}"
    return Promise(guarantee, f"certificate {name}: {verdict}")


def _require_sound(plain: Mapping[str, Any], name: str) -> None:
    """Raise InputError for a certificate that contradicts itself."""
    fault = find_fault(plain, recheck_proof(plain))
    if fault is not None:
        raise InputError(f"{name} promises nothing: {fault}")


def _budget(budget: Mapping[str, Any]) -> str:
    """A budget as the claim that it amounts to."""
    for name in ("epsilon", "rho"):
        if name in budget:
            return f"{name}={budget[name]}"
    raise InputError("the ledger's budget is of a kind that dp-audit account states, not utility")


def _relation(document: Mapping[str, Any]) -> str:
    """The neighbours, with the records of a person where these are the unit."""
    most = document.get("max_records")
    unit = "" if most is None else f", persons of at most {most} records"
    return f"{document['neighbours']}{unit}"
