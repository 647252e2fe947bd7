"""A comparison as JSON, in a published form, and as a table for spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import Any

from audit.report.channel.document import finite
from audit.report.comparison.aspects import aspects, causes, program_versions
from audit.report.words import clean
from audit.review.comparison.comparing import Comparison, Group
from audit.review.comparison.revisions import (
    Revision,
    code_digests,
    detectable_leak,
    hypotheses,
)
from audit.review.rereading import Reread
from audit.statements.certificate_json import Apart, encode
from audit.statements.checks import Check, Status
from audit.statements.evidence import AttackReplay, OneRunReplay

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With what a cell begins that a spreadsheet would compute; the wide signs count as the others."""


def comparison_json(found: Comparison) -> dict[str, Any]:
    """The certificates, their groups, what differs, and the versions."""
    texts = [aspects(entry) for entry in found.entries]
    return {
        "certificates": [_entry(entry) for entry in found.entries],
        "groups": [_group(group) for group in found.groups],
        "differences": [
            {"part": part, "aspect": name, "values": values}
            for part in texts[0]
            for name in texts[0][part]
            if len(set(values := [one[part][name] for one in texts])) > 1
        ],
        "revisions": [_revision(revision) for revision in found.revisions],
    }


def comparison_csv(found: Comparison) -> str:
    """The aspects as CSV, a certificate a row.

    Guarantee
    ---------
    No field begins with a sign that makes spreadsheets compute it: an apostrophe stands before it.
    Backed by ``tests/audit/report/comparison/test_document.py``.
    """
    texts = [aspects(entry) for entry in found.entries]
    header = ["certificate", *(name for part in texts[0].values() for name in part)]
    rows = [
        [entry.name, *(value for part in one.values() for value in part.values())]
        for entry, one in zip(found.entries, texts, strict=True)
    ]
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerows([[_quote(value) for value in row] for row in (header, *rows)])
    return page.getvalue()


def _quote(value: str) -> str:
    formula = value.lstrip(" ").startswith(FORMULAS)
    return f"'{clean(value)}" if formula else clean(value)


def _entry(entry: Reread) -> dict[str, Any]:
    plain = encode(entry.document)
    isolation = entry.document.isolation
    proof = entry.proof
    return {
        "name": entry.name,
        "fault": entry.fault,
        "proof": None if proof is None else _proof(proof),
        "stated_verdict": entry.document.verdict.value,
        "verdict": None if entry.fault is not None else entry.certificate.verdict.value,
        **{key: plain[key] for key in ("claim", "neighbours", "unit", "released", "bounds")},
        "covers": entry.certificate.claim.covers,
        "subject": {key: plain["subject"].get(key) for key in ("kind", "name", "parameters")},
        "sources": list(code_digests(entry)),
        "versions": list(program_versions(entry)),
        "detectable": None if (leak := detectable_leak(entry)) is None else finite(leak),
        "causes": list(causes(entry)),
        "isolation": None if isolation is None else _isolation(isolation),
        "attacks": [
            {
                "auditor": one.auditor,
                "runs": one.replay.runs if isinstance(one.replay, AttackReplay) else None,
                "canaries": one.replay.canaries if isinstance(one.replay, OneRunReplay) else None,
                "error": str(one.replay.error),
                "alarm": str(one.replay.alarm),
            }
            for one in entry.document.evidence
            if isinstance(one.replay, AttackReplay | OneRunReplay)
        ],
        "hypotheses": list(hypotheses(entry)),
        "assumptions": list(entry.document.assumptions),
        "digest": entry.document.digest,
    }


def _proof(proof: Check) -> dict[str, Any]:
    return {"confirmed": proof.status is Status.CONFIRMED, "note": proof.note}


def _isolation(isolation: Apart) -> dict[str, Any]:
    return {**isolation.to_json(), "trusted": isolation.trusted}


def _group(group: Group) -> dict[str, Any]:
    stick = group.yardstick
    unit = stick.neighbours.unit
    return {
        "kind": stick.kind,
        "at": None if stick.at is None else str(stick.at),
        "neighbours": stick.neighbours.name,
        "unit": {"name": unit.name, "max_records": unit.max_records},
        "certificates": [entry.name for entry in group.entries],
    }


def _revision(revision: Revision) -> dict[str, Any]:
    return {
        "before": revision.before.name,
        "after": revision.after.name,
        "changes": [
            {"statement": one.statement, "became": one.turn.value, "why": one.why}
            for one in revision.changes
        ],
    }
