"""Views: a certificate as the strings that every form of report lays out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.report.certificate.agencies import Agencies, beside_agencies
from audit.report.certificate.answers import Answers, answers_of
from audit.report.certificate.attack import AttackStory, attack_story
from audit.report.certificate.causes import tell_cause
from audit.report.certificate.power import unseen_text
from audit.report.certificate.proof import proof_lines
from audit.report.certificate.spending import state_blame
from audit.report.certificate.verdict import explain_verdict, head_verdict, state_rests
from audit.report.certificate.witness import Story, story
from audit.report.ruler import Mark, Scale, bound_marks, claim_mark, common_scale, power_marks
from audit.report.words import (
    DECISIONS,
    RELEASED,
    bound_text,
    decisive_value,
    guarantee_words,
    in_full,
    is_wide,
    plural,
    short,
    shorten_numbers,
)
from audit.statements.certificate import Certificate
from audit.statements.certificate_json import VERSION, encode
from audit.statements.evidence import (
    AttackReplay,
    Decision,
    Evidence,
    SampledWitness,
    Side,
    Verdict,
    Witness,
)
from synthesizers.neighbours import describe


@dataclass(frozen=True)
class EvidenceRow:
    """One finding.

    ``unseen``: what an attack could not have seen; empty for other findings. ``cause``: what kind
    of leak it found, and what mends it. ``replay``: what a second run needs, as pairs of text.
    """

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
    unseen: str
    cause: str
    replay: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CertificateView:
    """A certificate in words.

    ``verdict``: as the box is headed. ``tone``: its name for a stylesheet. ``meaning``, ``rests``:
    what it means, and what it rests on (`audit.report.certificate.verdict`). ``answers``: its
    first screen. ``claimed``: of what what is claimed, in a sentence. ``caution``: what has to be
    known with the verdict, or empty. ``no_bounds``: why there are none. ``proof``: the theorem's
    derivation, line by line; empty without one. ``agencies``: what agencies' methods reach beside
    what it shows; None where it shows no bound.
    """

    verdict: str
    tone: str
    meaning: str
    rests: str
    answers: Answers
    claimed: str
    caution: str
    facts: tuple[tuple[str, str], ...]
    claim: Mark
    bounds: tuple[Mark, ...]
    scale: Scale
    no_bounds: str
    evidence: tuple[EvidenceRow, ...]
    witnesses: tuple[tuple[str, Story | AttackStory], ...]
    assumptions: tuple[str, ...]
    proof: tuple[str, ...]
    agencies: Agencies | None
    reproduce: str
    digest: str
    schema: str


def certificate_view(certificate: Certificate) -> CertificateView:
    """The certificate as text."""
    verdict = certificate.verdict
    scale = common_scale([certificate])
    return CertificateView(
        head_verdict(certificate),
        verdict.name.lower().replace("_", "-"),
        explain_verdict(certificate),
        state_rests(certificate),
        answers_of(certificate),
        _claimed(certificate),
        note_interruption(certificate),
        _facts(certificate),
        claim_mark(certificate),
        (*bound_marks(certificate), *power_marks(certificate)),
        scale,
        no_bounds(scale.symbol, verdict),
        tuple(_evidence_row(evidence, certificate) for evidence in certificate.evidence),
        _witnesses(certificate),
        certificate.assumptions,
        () if certificate.proof is None else tuple(proof_lines(certificate.proof["derivation"])),
        beside_agencies(certificate),
        certificate.reproduce,
        certificate.to_json()["digest"],
        VERSION,
    )


def subject_name(subject: Mapping[str, Any]) -> str:
    """The subject's name, or its kind where it has none."""
    return str(subject.get("name") or subject.get("kind") or "unnamed subject")


def _claimed(certificate: Certificate) -> str:
    claim = certificate.claim
    return (
        f"{subject_name(certificate.subject)} is claimed to have "
        f"{guarantee_words(claim.guarantee)} ({claim.neighbours.name}, {claim.covers})."
    )


def _facts(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    claim = certificate.claim
    subject = [
        (str(key).replace("_", " ").capitalize(), _plain(value))
        for key, value in certificate.subject.items()
        if key not in ("name", "matrix")
        and value not in (None, {}, [], "")
        # What is run as what it is called needs no second line.
        and not (key == "form" and value == certificate.subject.get("kind"))
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
    if domain is None:
        return "none declared"
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


def note_interruption(certificate: Certificate) -> str:
    """What has to be known where an attack was cut short."""
    if not any(evidence.partial for evidence in certificate.evidence):
        return ""
    return (
        "Interrupted: this rests on the runs that had been made by then, fewer than were asked for."
    )


def no_bounds(symbol: str, verdict: Verdict | None = None) -> str:
    """Why nothing bounds a parameter."""
    if verdict is Verdict.INVALID_RUN:
        return (
            f"There is none: from runs that are no independent draws nothing follows for {symbol}."
        )
    return f"No finding bounds {symbol} from either side."


def _evidence_row(evidence: Evidence, certificate: Certificate) -> EvidenceRow:
    bound = evidence.bound
    direction = ""
    if bound is not None:
        exact = "enclosure" if is_wide(decisive_value(bound)[1]) else "exact value"
        side = exact if bound.side is Side.EXACT else bound.side.value
        rigour = "" if bound.side is Side.EXACT and bound.rigour == "exact" else bound.rigour
        direction = ", ".join(part for part in (side, rigour) if part)
    return EvidenceRow(
        evidence.auditor,
        _tell(evidence),
        DECISIONS[evidence.decision],
        evidence.decision.value.replace(" ", "-"),
        evidence.covers,
        _part(evidence),
        evidence.confidence or "–",
        "–" if bound is None else bound_text(bound),
        direction,
        "" if bound is None or bound.rigour == "statistical" else in_full(decisive_value(bound)[1]),
        unseen_text(evidence, certificate.claim.guarantee),
        tell_cause(evidence),
        tuple(
            (str(key), short(_plain(value), 400)) for key, value in encode(evidence.replay).items()
        ),
    )


def _tell(evidence: Evidence) -> str:
    """The finding, with the question at fault where one is; its decision is said above it."""
    spending, said = evidence.spending, f"{evidence.decision.value}: "
    finding = shorten_numbers(evidence.finding.replace(said, "", 1))
    return finding if spending is None else f"{finding}. {state_blame(spending)}"


def _part(evidence: Evidence) -> str:
    """How much of the claim a finding is about."""
    if evidence.decision in (Decision.KEPT, Decision.ROUNDED, Decision.EXCEEDED):
        return "beside the claim"
    return "the whole claim" if evidence.whole else "part of the claim"


def _witnesses(certificate: Certificate) -> tuple[tuple[str, Story | AttackStory], ...]:
    """The witnesses with their auditors, those that violate the claim first."""
    numbered = list(enumerate(certificate.evidence, start=1))
    numbered.sort(key=lambda entry: entry[1].decision is not Decision.VIOLATED)
    found = ((evidence.auditor, _story(evidence, k, certificate)) for k, evidence in numbered)
    return tuple((auditor, told) for auditor, told in found if told is not None)


def _story(evidence: Evidence, place: int, certificate: Certificate) -> Story | AttackStory | None:
    claim = certificate.claim
    match evidence.witness:
        case Witness() as witness:
            return story(witness, claim.require_domain(), claim.guarantee, evidence.decision)
        case SampledWitness() as witness:
            stated = encode(evidence.replay).get("command")
            rules = sum(isinstance(e.witness, SampledWitness) for e in certificate.evidence)
            if stated is None or (rules > 1 and stated == AttackReplay.command):
                stated = f"{AttackReplay.command} --evidence {place}"
            search, numbers = (getattr(evidence.replay, k, None) for k in ("search", "numbers"))
            decision = evidence.decision
            return attack_story(witness, claim.guarantee, decision, str(stated), search, numbers)
        case None:
            return None
