"""An audit: subject, claim and auditors make evidence, evidence makes a certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from audit.auditors import exhaustive, proof
from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.auditors.effort import Attack, Enumeration
from audit.auditors.effort import Effort as Effort
from audit.auditors.registry import LeftOut, Registered, choose
from audit.channels.channel_certificates import certify_channel
from audit.channels.enumerate import Enumerated
from audit.questions import certified_questions
from audit.statements.assumptions import OF_CHANNEL, ON_YOUR_WORD, of_program
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence
from audit.statements.finding import Finding
from audit.statements.shares import attack_alarm
from audit.subjects.pair import Pair
from audit.subjects.subject import BlackBoxSubject, ChannelSubject, ProgramSubject, Subject
from synthesizers.curator import Setting
from synthesizers.errors import InputError, ProtocolError, TooLargeError
from synthesizers.events import Databases

if TYPE_CHECKING:
    from audit.subjects.split_release import ReleaseSubject
    from audit.subjects.training import TrainingSubject

SMALLER = 3_000_000
SMALLER_TRANSCRIPTS = 100_000
"""Products, and transcripts, up to which a smaller instance is enumerated as side evidence: some
seconds."""

EXACT = ("exhaustive", "factorised", "proof")
"""The auditors of a program's law, which work together: two read what the first enumerated."""


@dataclass(frozen=True)
class Audit:
    """A certificate, and the channel behind it where one was enumerated.

    ``left_out``: the auditors that were not run, and why.
    """

    certificate: Certificate
    enumerated: Enumerated | None = None
    left_out: Mapping[str, str] | None = None


def certify(subject: Subject, claim: Claim, effort: Effort, reproduce: str) -> Audit:
    """Run the auditors that the user named, otherwise each that fits the subject and is quick.

    Raises InputError or ProtocolError.
    """
    auditors, left_out = choose(subject.category, effort.auditors, effort.attack is not None)
    attacked = any(auditor.name == "attack" for auditor in auditors)
    if subject.category == "program" and effort.attack is not None and not attacked:
        raise InputError("--runs goes with the attack auditor: name it in --auditors, too")
    # What was enumerated in another audit is not about this one.
    effort = replace(effort, enumeration=Enumeration())
    audit = _AUDITS[subject.category](subject, claim, effort, auditors, reproduce)
    return replace(audit, left_out={**left_out, **(audit.left_out or {})})


def _of_box(
    subject: BlackBoxSubject,
    claim: Claim,
    effort: Effort,
    auditors: Sequence[Registered],
    reproduce: str,
) -> Audit:
    # Here, not above: tables come with it, and a proof needs none.
    from audit.subjects.kept_runs import KeptBox

    pair = effort.require_attack().pair
    on_trust = pair is not None and not pair.verified and subject.category == "black box"
    assumptions = (*subject.assumptions, ON_YOUR_WORD) if on_trust else subject.assumptions
    evidence: list[Evidence] = []
    left_out: dict[str, str] = {}
    box = subject.box
    # Only an attack's runs are kept: others look at the subject's own process.
    own = replace(subject, box=box.box) if isinstance(box, KeptBox) else subject
    names = [auditor.name for auditor in auditors]
    if subject.category == "black box" and len(names) > 1 and "attack" in names:
        try:
            effort = _start_and_plan(box, claim, effort, names)
        except KeyboardInterrupt:
            left_out |= {name: "interrupted" for name in names if name != "attack"}
            effort = replace(effort, share=_interrupt, planned=True)
    for auditor in auditors:
        part, last = effort, auditor.name == "attack"
        if "interrupted" in left_out.values() and not last:
            left_out[auditor.name] = "interrupted"
            continue
        if last and len(auditors) > 1:
            part = replace(effort, attack=attack_beside(effort.require_attack(), claim, evidence))
        try:
            evidence += auditor.examine(subject if last else own, claim, part)
        except LeftOut as reason:
            left_out[auditor.name] = str(reason)
        except KeyboardInterrupt:
            if last:
                raise
            # The attack, which comes last, says what an interrupted audit found.
            left_out[auditor.name] = "interrupted"
            effort = replace(effort, share=_interrupt)
    if not evidence:
        if "interrupted" in left_out.values():
            raise KeyboardInterrupt
        raise LeftOut("; ".join(f"{name}: {why}" for name, why in left_out.items()))
    plain, apart = subject.to_json(), subject.isolation
    made = Certificate(plain, claim, tuple(evidence), assumptions, reproduce, isolation=apart)
    return Audit(made, left_out=left_out)


def _of_coins(
    subject: TrainingSubject | ReleaseSubject,
    claim: Claim,
    effort: Effort,
    auditors: Sequence[Registered],
    reproduce: str,
) -> Audit:
    evidence = tuple(one for auditor in auditors for one in auditor.examine(subject, claim, effort))
    plain, apart = subject.to_json(), subject.isolation
    rests_on = subject.assumptions
    return Audit(Certificate(plain, claim, evidence, rests_on, reproduce, isolation=apart))


def _start_and_plan(box: Any, claim: Claim, effort: Effort, names: Sequence[str]) -> Effort:
    """The effort, once the first runs are made and all others are told of."""
    # Here, not above: as where a box is audited.
    from audit.auditors.attack.beginning import start_and_plan

    start_and_plan(box, claim, effort.require_attack(), effort, names)
    return replace(effort, planned=True)


def _interrupt(*_: object) -> NoReturn:
    """In place of the runs of an audit that was interrupted."""
    raise KeyboardInterrupt


def attack_beside(attack: Attack, claim: Claim, found: Sequence[Evidence]) -> Attack:
    """An attack after others have looked: its share of the alarm, and the pairs they saw it on.

    These stand before the candidates that it has.
    """
    shown = {str(one.pair): one for one in found if isinstance(one, Finding) and one.pair}
    pairs = [] if attack.pair is not None else [_candidate(one, claim) for one in shown.values()]
    candidates = (*filter(None, pairs), *attack.candidates)
    return replace(attack, alarm=attack_alarm(attack.alarm), candidates=candidates)


def _candidate(finding: Finding, claim: Claim) -> Pair | None:
    """The pair of a finding, if its databases are neighbours under the claim."""
    assert finding.pair is not None
    first, second = finding.pair.first, finding.pair.second
    try:
        pair = given_pair(first, second, claim.neighbours, claim.domain, records=claim.records)
    except InputError:
        return None
    return replace(pair, pattern=f"that of {finding.auditor}")


def _of_channel(
    subject: ChannelSubject,
    claim: Claim,
    effort: Effort,
    auditors: Sequence[Registered],
    reproduce: str,
) -> Audit:
    evidence = tuple(one for auditor in auditors for one in auditor.examine(subject, claim, effort))
    channel = certify_channel(subject.channel, claim)
    return Audit(Certificate(subject.to_json(), claim, evidence, OF_CHANNEL, reproduce, channel))


def _of_program(
    subject: ProgramSubject,
    claim: Claim,
    effort: Effort,
    auditors: Sequence[Registered],
    reproduce: str,
) -> Audit:
    setting = effort.setting(claim)
    exact = [auditor for auditor in auditors if auditor.name in EXACT]
    others = [auditor for auditor in auditors if auditor.name not in EXACT]
    try:
        evidence, enumerated = _exact_evidence(subject, claim, effort, exact)
    except TooLargeError:
        if not others:
            raise
        evidence, enumerated = (), None
    evidence += tuple(one for other in others for one in other.examine(subject, claim, effort))
    if not evidence:
        names = ", ".join(auditor.name for auditor in auditors)
        raise InputError(f"{subject.name} has nothing that these auditors can examine: {names}")
    own = enumerated is not None and _is_of_claim(evidence)
    certificate = Certificate(
        {**subject.to_json(), "rows": setting.rows},
        claim,
        evidence,
        assumptions_of(subject, setting, effort.trusted),
        reproduce,
        certify_channel(enumerated.channel, claim) if own and enumerated is not None else None,
        isolation=subject.isolation,
        trusted=effort.trusted,
        questions=certified_questions(subject, setting, evidence, enumerated),
        unproved=_why_unproved(subject, claim, effort, evidence, auditors),
    )
    return Audit(certificate, enumerated)


def _why_unproved(
    subject: ProgramSubject,
    claim: Claim,
    effort: Effort,
    evidence: Sequence[Evidence],
    auditors: Sequence[Registered],
) -> str | None:
    """Why no theorem stands beside an exact finding that covers the whole claim."""
    exact = _is_of_claim(evidence) and evidence[0].decision is Decision.HOLDS
    if not exact or any(one.auditor == "proof" for one in evidence):
        return None
    if all(auditor.name != "proof" for auditor in auditors):
        return "the audit was not asked for a proof (--auditors proof)"
    ledgers = effort.ledgers(subject, claim)
    return proof.explain_refusal(subject, claim, effort.setting(claim), ledgers) or None


_AUDITS: Mapping[str, Callable[..., Audit]] = {
    "program": _of_program,
    "channel": _of_channel,
    "black box": _of_box,
    "outputs": _of_box,
    "training": _of_coins,
    "release": _of_coins,
}
"""What a certificate of each kind of subject has beside its evidence."""


def _is_of_claim(evidence: Sequence[Evidence]) -> bool:
    """Whether the claim's own instance was enumerated."""
    return bool(evidence) and evidence[0].auditor == "exhaustive" and evidence[0].whole


def _exact_evidence(
    subject: ProgramSubject, claim: Claim, effort: Effort, auditors: Sequence[Registered]
) -> tuple[tuple[Evidence, ...], Enumerated | None]:
    """The evidence of the auditors of a program's law, and the channel behind it."""
    instance = exhaustive.Instance.of(subject, claim, effort)
    evidence: list[Evidence] = []
    refusal = None
    for auditor in auditors:
        try:
            evidence += auditor.examine(subject, claim, effort)
        except TooLargeError as error:
            if auditor.name != "exhaustive":
                raise
            refusal = error
    if refusal is not None:
        return _beyond_enumeration(instance, evidence, refusal)
    enumerated = effort.enumeration.enumerated
    settled = any(one.decision is Decision.HOLDS for one in evidence)
    if enumerated is not None and evidence[0].decision is Decision.UNDECIDED and not settled:
        sharper = exhaustive.sharpen(instance, exhaustive.Examined(evidence[0], enumerated))
        evidence[0], enumerated = sharper.evidence, sharper.enumerated
    return tuple(evidence), enumerated


def _beyond_enumeration(
    instance: exhaustive.Instance, general: Sequence[Evidence], refusal: TooLargeError
) -> tuple[tuple[Evidence, ...], Enumerated | None]:
    """Evidence on an instance too large to enumerate; TooLargeError where there is none.

    ``general``: what covers databases of any size.
    """
    try:
        smaller = _smaller(instance)
    except ProtocolError:
        if not general:
            raise
        smaller = None
    found = [part for part in (_telling_pair(instance), smaller) if part is not None]
    if not general and not found:
        raise TooLargeError(f"{refusal}; and no instance of fewer records can be enumerated either")
    evidence = [*general, *(part.evidence for part in found)]
    return tuple(evidence), found[-1].enumerated if found else None


def _telling_pair(instance: exhaustive.Instance) -> exhaustive.Examined | None:
    """A violation between two databases of the claim's own size: one record apart from all others.

    That is where a record shows if it shows at all. Without a violation it says
    little, and nothing is returned.
    """
    cells, size = instance.setting.domain.size, instance.size
    if cells < 2 or size < 1:
        return None
    # Cells at either end: a coarser domain keeps them apart if it keeps any two.
    public = instance.setting.records is not None
    rows = np.zeros((2, cells), np.int64)
    rows[:, 0] = [size if public else size - 1, size - 1]
    rows[:, -1] = [0 if public else 1, int(public)]
    pair = replace(instance, chosen=Databases(instance.setting.domain, rows), progress=None)
    try:
        if not _is_quick(pair):
            return None
        found = exhaustive.examine_program(pair)
    except TooLargeError:
        return None
    return found if found.evidence.decision is Decision.VIOLATED else None


def _smaller(instance: exhaustive.Instance) -> exhaustive.Examined | None:
    """The largest instance of few records that is quickly enumerated, beside the claim's own.

    With n private, it is a part of the claim's databases where the public
    constants can stay as they are. Otherwise they differ, and it decides nothing.
    Raises ProtocolError where the program answers at no size that was tried.
    """
    failure: ProtocolError | None = None
    domain, relation = instance.setting.domain, instance.setting.neighbours
    for size in (4, 3, 2, 1):
        if size >= instance.size:
            continue
        same = [instance.setting] if instance.setting.records is None else []
        for setting in (*same, Setting.of(domain, relation, size)):
            part = replace(instance, setting=setting, size=size, progress=None)
            try:
                if not _is_quick(part):
                    continue
                found = exhaustive.examine_program(part)
            except InputError:
                # A program may refuse public constants that the claim does not have.
                continue
            except ProtocolError as error:
                failure = error
                continue
            evidence = replace(found.evidence, whole=False)
            if setting is not instance.setting:
                evidence = replace(evidence, decision=Decision.SILENT)
            return exhaustive.Examined(evidence, found.enumerated)
    if failure is not None:
        raise failure
    return None


def _is_quick(part: exhaustive.Instance) -> bool:
    work = part.plan()
    return work.products <= SMALLER and work.transcripts <= SMALLER_TRANSCRIPTS


def assumptions_of(
    subject: ProgramSubject, setting: Setting, trusted: bool = False
) -> tuple[str, ...]:
    """What a verdict about a program rests on and does not show.

    ``trusted``: the user takes its word where nothing keeps it apart.
    """
    isolation = None if subject.built_in else subject.isolation
    return of_program(setting, subject.kind, isolation, trusted)
