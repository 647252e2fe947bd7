"""Aspects of a certificate: what a comparison lays beside each other, each as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from audit.report.words import above, bound_text, guarantee_words, number, plural
from audit.review.comparison.revisions import code_digests, detectable_leak, hypotheses
from audit.review.rereading import Reread
from audit.statements.checks import Status
from audit.statements.evidence import AttackReplay, Evidence, OneRunReplay, Side
from synthesizers.neighbours import describe

NOTHING = "–"

PARTS = ("Subject", "Claim", "Evidence")


def subject_aspects(entry: Reread) -> dict[str, str]:
    """What was audited, and by which code."""
    subject = entry.document.subject
    return {
        "subject": str(subject["name"]),
        "kind": ", ".join(str(subject[key]) for key in ("kind", "form") if subject.get(key)),
        "parameters": _settings(subject.get("parameters")),
        "rows": str(subject["rows"]) if subject.get("rows") is not None else NOTHING,
        "code": ", ".join(digest[:12] for digest in code_digests(entry)) or "built in",
        "made with": ", ".join(program_versions(entry)) or NOTHING,
    }


def claim_aspects(entry: Reread) -> dict[str, str]:
    """What is claimed of it, and relative to what."""
    claim = entry.certificate.claim
    return {
        "claim": guarantee_words(claim.guarantee),
        "neighbours": describe(claim.neighbours),
        "released": claim.released,
        "databases": claim.covers,
        "domain": NOTHING if claim.domain is None else ", ".join(claim.domain.names),
    }


def evidence_aspects(entry: Reread) -> dict[str, str]:
    """What was found, how sure it is, and what it rests on."""
    document, isolation = entry.document, entry.document.isolation
    return {
        "verdict": _verdict(entry),
        "read again": entry.fault or _reading(entry),
        "floor": _bound(entry, Side.FLOOR),
        "exact value": _bound(entry, Side.EXACT),
        "ceiling": _bound(entry, Side.CEILING),
        "power": _power(entry),
        "cause": ", ".join(causes(entry)) or NOTHING,
        "isolation": NOTHING if isolation is None else isolation.describe(),
        "auditors": ", ".join(dict.fromkeys(one.auditor for one in document.evidence)) or NOTHING,
        "runs and error": "; ".join(_runs(document.evidence)) or NOTHING,
        "hypotheses": ", ".join(hypotheses(entry)) or NOTHING,
        "assumptions": " ".join(document.assumptions) or NOTHING,
    }


def aspects(entry: Reread) -> dict[str, dict[str, str]]:
    """All of them, by the part of a certificate that they are of."""
    made = (subject_aspects(entry), claim_aspects(entry), evidence_aspects(entry))
    return dict(zip(PARTS, made, strict=True))


def causes(entry: Reread) -> tuple[str, ...]:
    """The classes of the refutations, by name, each once."""
    named = (one.cause.name for one in entry.document.evidence if one.cause is not None)
    return tuple(dict.fromkeys(named))


def program_versions(entry: Reread) -> tuple[str, ...]:
    """The versions that a certificate names: of what its attacks were run with, of its self-test.

    That is its maker's word; a certificate without an attack names none.
    """
    attacked = [one.replay for one in entry.document.evidence]
    named = [
        f"{name} {version}"
        for replay in attacked
        if isinstance(replay, AttackReplay)
        for name, version in sorted(replay.versions.items())
    ]
    tested = entry.document.self_test
    named += [] if tested is None else [f"self-test of {tested['version']}"]
    return tuple(dict.fromkeys(named))


def _verdict(entry: Reread) -> str:
    stated, found = entry.document.verdict, entry.certificate.verdict
    if entry.fault is not None:
        return f"{stated.value}, which is not believed"
    if stated is found:
        return stated.value
    return f"{found.value} (stated {stated.value}, before an isolation was)"


def _reading(entry: Reread) -> str:
    if entry.proof is None:
        return "agrees with itself; no proof to check"
    if entry.proof.status is Status.CONFIRMED:
        return "agrees with itself; the independent checker confirms its proof or channel"
    return "agrees with itself; the independent checker sees its proof or channel in part only"


def _bound(entry: Reread, side: Side) -> str:
    bound = entry.certificate.bound(side)
    if bound is None:
        return NOTHING
    source = next(one for one in entry.document.evidence if one.bound == bound)
    part = "all of the claim" if source.whole else "a part of the claim"
    sure = bound.rigour if source.confidence is None else f"{bound.rigour} at {source.confidence}"
    return f"{bound_text(bound)} ({sure}, by {source.auditor}; covers {bound.covers}, {part})"


def _power(entry: Reread) -> str:
    seen = detectable_leak(entry)
    if seen is None:
        return NOTHING
    if math.isinf(seen):
        return "no leak would have been seen"
    return f"a leak of {above(Fraction(str(seen)), 3)} would have been seen"


def _runs(evidence: tuple[Evidence, ...]) -> Iterator[str]:
    for one in evidence:
        replay = one.replay
        if isinstance(replay, AttackReplay):
            count = f"{plural(replay.runs, 'run')} a database"
        elif isinstance(replay, OneRunReplay):
            canaries = plural(replay.canaries, "canary", "canaries")
            count = f"{plural(len(replay.runs), 'run')} of {canaries}"
        else:
            continue
        yield f"{count}, error {number(replay.error)}, alarm {number(replay.alarm, 2)}"


def _settings(parameters: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{key} = {value}" for key, value in (parameters or {}).items()) or NOTHING
