"""An attestation as JSON, in a published form."""

from __future__ import annotations

from typing import Any

from audit.report.attestation.entry import list_facts
from audit.report.attestation.facts import MARKS
from audit.report.attestation.guessing import most_right
from audit.review.attestations.attestation import Attestation, NamedFile
from audit.statements.decimals import decimal_above


def attestation_json(attestation: Attestation) -> dict[str, Any]:
    """What is attested, and each field of an entry with how it is known."""
    reread = attestation.reread
    certificate = reread.certificate
    claim, proof = certificate.claim, reread.proof
    unit = claim.neighbours.unit
    shown = reread.is_shown
    return {
        "verdict": certificate.verdict.value,
        "subject": str(certificate.subject.get("name")),
        "claim": str(claim.guarantee),
        "neighbours": claim.neighbours.name,
        "unit": {"name": unit.name, "max_records": unit.max_records},
        "released": claim.released,
        "databases": claim.covers,
        "certificate": {**_file(attestation.file), "digest": reread.document.digest},
        "table": None if attestation.table is None else _file(attestation.table),
        "time": attestation.timestamp,
        "version": attestation.version,
        "proof": None if proof is None else proof.status.value,
        "right_guesses": {
            "shown": shown,
            "before": "0.5",
            "at_most": decimal_above(most_right(claim.guarantee)) if shown else None,
        },
        "assumptions": list(certificate.assumptions),
        "marks": dict(MARKS),
        "fields": [
            {"field": ".".join(one.field), "mark": one.mark, "value": one.text}
            for one in list_facts(attestation)
        ],
    }


def _file(one: NamedFile) -> dict[str, str]:
    return {"name": one.name, "sha256": one.sha256}
