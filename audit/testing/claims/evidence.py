"""The evidence of a certificate as findings, beside those of auditors of single properties."""

from __future__ import annotations

from typing import Any

from audit.report.words import decisive_value, enclosure_text
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Evidence, SampledWitness, Side, Witness
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.databases import records_of_histogram


def of_certificate(certificate: Certificate, alarm: float | None = None) -> tuple[Finding, ...]:
    """One finding for each piece of evidence that decides something; ``alarm``: of an attack."""
    decisive = (Decision.HOLDS, Decision.VIOLATED, Decision.UNSEEN)
    return tuple(
        _finding(evidence, certificate.claim, alarm)
        for evidence in certificate.evidence
        if evidence.decision in decisive
    )


def _finding(evidence: Evidence, claim: Claim, alarm: float | None) -> Finding:
    sampled = evidence.auditor == "attack"
    exactly = "transcript" if claim.released == "transcript" else "channel"
    return Finding(
        auditor="attack" if sampled else exactly,
        about=f"the claim {claim.guarantee} ({claim.neighbours.name})",
        decision=evidence.decision,
        declared=str(claim.guarantee),
        found=_finding_text(evidence),
        rigour=Rigour.STATISTICAL if sampled else Rigour.EXACT,
        covers=evidence.covers,
        again="run this test again: its seed is fixed" if sampled else "run this test again",
        pair=_show(evidence, claim),
        responsible=_responsible(evidence),
        error=alarm if sampled else None,
    )


def _finding_text(evidence: Evidence) -> str:
    if evidence.bound is None:
        return evidence.finding
    symbol, ends = decisive_value(evidence.bound)
    if evidence.bound.side is Side.FLOOR:
        return f"{symbol} is at least {enclosure_text(Enclosure(ends.lower, ends.lower))}"
    if evidence.bound.side is Side.CEILING:
        return f"{symbol} is at most {enclosure_text(Enclosure(ends.upper, ends.upper))}"
    return f"{symbol} = {enclosure_text(ends)}"


def _show(evidence: Evidence, claim: Claim) -> Shown | None:
    witness = evidence.witness
    if evidence.decision is not Decision.VIOLATED or witness is None:
        return None
    if isinstance(witness, SampledWitness):
        return Shown(witness.pair.first, witness.pair.second)
    return Shown(*(_records(counts, claim) for counts in (witness.source, witness.target)))


def _records(counts: tuple[int, ...], claim: Claim) -> Any:
    domain = claim.domain
    return counts if domain is None else records_of_histogram(counts, domain)


def _responsible(evidence: Evidence) -> str | None:
    witness = evidence.witness
    if evidence.decision is not Decision.VIOLATED or not isinstance(witness, Witness):
        return None
    return f"output {list(witness.event[0])}" if len(witness.event) == 1 else None
