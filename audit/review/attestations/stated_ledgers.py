"""The ledger of a release beside its certificate: whether both speak of one release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.statements.certificate import Certificate
from audit.statements.published import Place, Schema
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import neighbours_from

NAMED = ("kind", "name", "parameters")
"""What a ledger says of every program; of one that is not ours it has the digest of its code."""


def require_ledger(ledger: Mapping[str, Any], name: str, certificate: Certificate) -> None:
    """Raise InputError unless a ledger is of a release that a certificate speaks of.

    Whoever holds a ledger can write another: what it says is stated, and not shown.

    Guarantee
    ---------
    What is let through has the certificate's program with its parameters, its neighbours and unit,
    its attributes, its rows, and no number of records that the claim does not cover. Backed by
    ``tests/audit/review/attestations/test_stated_ledgers.py``.
    """
    schema, place = Schema.load("1/ledger.json"), Place()
    try:
        schema.check(schema.content, ledger, place)
        place.require_ordinary()
    except InputError as error:
        raise InputError(f"{name} is no ledger of dp-audit release --ledger: {error}") from None
    mismatch = _find_mismatch(ledger, certificate)
    if mismatch is not None:
        raise InputError(
            f"{name} is not of a release that the certificate speaks of: {mismatch}. Certify the "
            "program as it was released"
        )


def _find_mismatch(ledger: Mapping[str, Any], certificate: Certificate) -> str | None:
    subject, claim = certificate.subject, certificate.claim
    program = ledger["program"]
    stated = {key: value for key, value in subject.items() if key in {*NAMED, *program}}
    if dict(program) != stated:
        return "its program, or a parameter of it, is another than the certificate's"
    relation = neighbours_from(ledger["neighbours"], ledger["unit"], ledger["max_records"])
    if relation != claim.neighbours:
        return "its neighbours or its unit are others"
    domain = Domain.from_json(ledger["domain"])
    if claim.domain is None or domain.attributes != claim.domain.attributes:
        return "its domain has other attributes"
    if "rows" in subject and ledger.get("rows") != subject["rows"]:
        return "it has another number of rows"
    records = ledger.get("records")
    if relation.records_public and claim.records is not None and records != claim.records:
        return f"the claim is about {claim.covers}, and the release's table is not one of them"
    return None
