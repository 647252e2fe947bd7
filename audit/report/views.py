"""Views: a certificate or a comparison as the strings that every form of report lays out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.certificate import SCHEMA, Certificate
from audit.evidence import Decision, Evidence, Side, Witness
from audit.report.proof_text import proof_lines
from audit.report.ruler import Mark, Scale, bound_marks, claim_mark, common_scale
from audit.report.witness import Story, story
from audit.report.words import (
    DECISIONS,
    MEANINGS,
    RELEASED,
    bound_text,
    claimed,
    decided_on,
    guarantee_words,
    in_full,
    plural,
    short,
)
from proofs.guarantees import ApproxDP, RenyiDP
from synthesizers.neighbours import describe


@dataclass(frozen=True)
class EvidenceRow:
    """One finding. ``replay``: what a second run needs, as pairs of text."""

    auditor: str
    finding: str
    decision: str
    tone: str
    covers: str
    whole: str
    confidence: str
    bound: str
    direction: str
    in_full: str
    replay: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CertificateView:
    """A certificate in words.

    ``tone``: the verdict's name for a stylesheet. ``proof``: the theorem's derivation, line by
    line; empty without one.
    """

    verdict: str
    tone: str
    meaning: str
    subject: str
    facts: tuple[tuple[str, str], ...]
    claim: Mark
    bounds: tuple[Mark, ...]
    scale: Scale
    evidence: tuple[EvidenceRow, ...]
    witnesses: tuple[tuple[str, Story], ...]
    assumptions: tuple[str, ...]
    proof: tuple[str, ...]
    reproduce: str
    digest: str
    schema: str


@dataclass(frozen=True)
class ComparisonRow:
    """One certificate of a comparison."""

    name: str
    verdict: str
    tone: str
    claim: str
    relative_to: str
    claim_mark: Mark
    bounds: tuple[Mark, ...]

    def bound(self, kind: str) -> str:
        """The text of a side's bound, or a dash."""
        return next((mark.text for mark in self.bounds if mark.kind == kind), "–")


@dataclass(frozen=True)
class ComparisonView:
    """Certificates side by side.

    ``groups``: those whose claims bound the same parameter, on its axis; ``caution``: in what
    the certificates are not alike, or empty.
    """

    rows: tuple[ComparisonRow, ...]
    groups: tuple[tuple[Scale, tuple[ComparisonRow, ...]], ...]
    caution: str


def certificate_view(certificate: Certificate) -> CertificateView:
    """The certificate as text."""
    verdict = certificate.verdict
    return CertificateView(
        verdict.value,
        verdict.name.lower().replace("_", "-"),
        MEANINGS[verdict],
        subject_name(certificate.subject),
        _facts(certificate),
        claim_mark(certificate),
        bound_marks(certificate),
        common_scale([certificate]),
        tuple(_evidence_row(evidence) for evidence in certificate.evidence),
        _witnesses(certificate),
        certificate.assumptions,
        () if certificate.proof is None else tuple(proof_lines(certificate.proof["derivation"])),
        certificate.reproduce,
        certificate.to_json()["digest"],
        SCHEMA,
    )


def comparison_view(entries: Sequence[tuple[str, Certificate]]) -> ComparisonView:
    """Several certificates, on one scale for each parameter that their claims bound."""
    rows = []
    alike: dict[str, list[int]] = {}
    for place, (name, certificate) in enumerate(entries):
        claim = certificate.claim
        verdict = certificate.verdict
        alike.setdefault(claimed(claim.guarantee)[0], []).append(place)
        rows.append(
            ComparisonRow(
                name,
                verdict.value,
                verdict.name.lower().replace("_", "-"),
                str(claim.guarantee),
                f"{claim.neighbours.name}, {claim.released}, {claim.covers}",
                claim_mark(certificate),
                bound_marks(certificate),
            )
        )
    groups = tuple(
        (common_scale([entries[k][1] for k in places]), tuple(rows[k] for k in places))
        for places in alike.values()
    )
    return ComparisonView(tuple(rows), groups, _caution(entries))


def subject_name(subject: Mapping[str, Any]) -> str:
    """The subject's name, or its kind where it has none."""
    return str(subject.get("name") or subject.get("kind") or "unnamed subject")


def _caution(entries: Sequence[tuple[str, Certificate]]) -> str:
    aspects = {
        "neighbours": [describe(c.claim.neighbours) for _, c in entries],
        "what is released": [c.claim.released for _, c in entries],
        "the databases covered": [c.claim.covers for _, c in entries],
        "the kind of guarantee": [type(c.claim.guarantee).__name__ for _, c in entries],
        "δ": [
            str(c.claim.guarantee.delta)
            for _, c in entries
            if isinstance(c.claim.guarantee, ApproxDP)
        ],
        "the order α": [
            str(c.claim.guarantee.alpha)
            for _, c in entries
            if isinstance(c.claim.guarantee, RenyiDP)
        ],
    }
    unlike = [name for name, values in aspects.items() if len(set(values)) > 1]
    if not unlike:
        return ""
    return (
        f"These certificates differ in {', '.join(unlike)}: their bounds answer different "
        "questions, and the smaller is not for that reason the more private."
    )


def _facts(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    claim = certificate.claim
    subject = [
        (str(key).replace("_", " ").capitalize(), _plain(value))
        for key, value in certificate.subject.items()
        if key not in ("name", "matrix") and value not in (None, {}, [], "")
    ]
    return (
        ("Claim", guarantee_words(claim.guarantee)),
        ("Subject", subject_name(certificate.subject)),
        *subject,
        ("Neighbours", describe(claim.neighbours)),
        ("Released", RELEASED[claim.released]),
        ("Databases", claim.covers),
        ("Domain", _domain(certificate)),
    )


def _domain(certificate: Certificate) -> str:
    domain = certificate.claim.domain
    parts = [
        f"{attribute.name} ({plural(attribute.size, 'value')})" for attribute in domain.attributes
    ]
    listed = ", ".join(parts[:8]) + (f" and {len(parts) - 8} more" if len(parts) > 8 else "")
    return f"{domain.name}: {listed}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _evidence_row(evidence: Evidence) -> EvidenceRow:
    bound = evidence.bound
    direction = ""
    if bound is not None:
        side = "exact value" if bound.side is Side.EXACT else bound.side.value
        rigour = "" if bound.side is Side.EXACT and bound.rigour == "exact" else bound.rigour
        direction = ", ".join(part for part in (side, rigour) if part)
    return EvidenceRow(
        evidence.auditor,
        evidence.finding,
        DECISIONS[evidence.decision],
        evidence.decision.value.replace(" ", "-"),
        evidence.covers,
        "the whole claim" if evidence.whole else "part of the claim",
        evidence.confidence or "–",
        "–" if bound is None else bound_text(bound),
        direction,
        "" if bound is None else in_full(decided_on(bound)[1]),
        tuple((str(key), short(_plain(value), 400)) for key, value in evidence.replay.items()),
    )


def _witnesses(certificate: Certificate) -> tuple[tuple[str, Story], ...]:
    """The witnesses with their auditors, those that violate the claim first."""
    found = sorted(certificate.evidence, key=lambda e: e.decision is not Decision.VIOLATED)
    claim = certificate.claim
    return tuple(
        (e.auditor, story(e.witness, claim.domain, claim.guarantee, e.decision))
        for e in found
        if isinstance(e.witness, Witness)
    )
