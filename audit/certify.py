"""An audit: subject, claim and auditors make evidence, evidence makes a certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from audit.auditors import exhaustive, factorised, proof
from audit.auditors.attack.auditor import Target, Watch, attack_box
from audit.auditors.attack.evidence import Attack
from audit.channels.channel_certificates import carried
from audit.channels.enumerate import Enumerated, Progress
from audit.parallel import Map, here
from audit.questions import certified_questions
from audit.statements.assumptions import OF_CHANNEL, ON_YOUR_WORD, of_program
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import CONTRADICTING, Decision, Evidence
from audit.subjects.outputs import GivenRuns, OutputsBox
from audit.subjects.programs import ProgramBox
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import BlackBoxSubject, ChannelSubject, ProgramSubject, Subject
from synthesizers.curator import Setting
from synthesizers.errors import InputError, ProtocolError, TooLargeError
from synthesizers.events import Databases

SMALLER = 3_000_000
SMALLER_TRANSCRIPTS = 100_000
"""Products, and transcripts, up to which a smaller instance is enumerated as side evidence: some
seconds."""


@dataclass(frozen=True)
class Effort:
    """How much an audit may do.

    ``rows``: the public number of rows that outputs and bounds use, where the
    claim's own number of records does not say it. ``jobs``: processes. ``attack``: how a black box
    is attacked, and a program beside its analysis; its runs are made by ``share``, and ``watch``
    is told of them. ``trusted``: the user takes a program's word where nothing keeps it apart.
    """

    rows: int | None = None
    jobs: int = 1
    attack: Attack | None = None
    share: Map = here
    watch: Watch | None = None
    trusted: bool = False


@dataclass(frozen=True)
class Audit:
    """A certificate, and the channel behind it where one was enumerated."""

    certificate: Certificate
    enumerated: Enumerated | None


def certify(
    subject: Subject,
    claim: Claim,
    effort: Effort,
    reproduce: str,
    progress: Progress | None = None,
) -> Audit:
    """Run every auditor that fits the subject; raises InputError or ProtocolError."""
    if isinstance(subject, BlackBoxSubject):
        return Audit(_attacked(subject, claim, effort, reproduce), None)
    if isinstance(subject, ChannelSubject):
        found = (exhaustive.examine_channel(subject, claim),)
        channel = carried(subject.channel, claim)
        whole = Certificate(subject.to_json(), claim, found, OF_CHANNEL, reproduce, channel)
        return Audit(whole, None)
    rows = claim.records if effort.rows is None else effort.rows
    if claim.neighbours.records_public and claim.records is None:
        raise InputError("under replace-one the number of records is public: give --records N")
    if rows is None:
        raise InputError(
            "the number of records is private, so the program needs a public number of rows: "
            "give --records N (databases of 0 to N records) or --rows M"
        )
    public = claim.records if claim.neighbours.records_public else None
    setting = Setting(claim.require_domain(), claim.neighbours, public, rows)
    if effort.attack is None:
        evidence, enumerated = _examine(subject, claim, setting, effort, progress)
    else:
        evidence, enumerated = _beside_attack(subject, claim, setting, effort, progress)
    own = enumerated is not None and evidence[0].auditor == "exhaustive" and evidence[0].whole
    certificate = Certificate(
        {**subject.to_json(), "rows": rows},
        claim,
        evidence,
        assumptions_of(subject, setting, effort.trusted),
        reproduce,
        carried(enumerated.channel, claim) if own and enumerated is not None else None,
        isolation=subject.isolation,
        trusted=effort.trusted,
        questions=certified_questions(subject, setting, evidence, enumerated),
    )
    return Audit(certificate, enumerated)


def _attacked(
    subject: BlackBoxSubject, claim: Claim, effort: Effort, reproduce: str
) -> Certificate:
    """The certificate of a black box: an attack is all that can be made on it."""
    attack = effort.attack
    if attack is None:
        raise InputError("a black box can only be attacked: say how")
    assumptions = subject.assumptions
    if isinstance(subject.box, OutputsBox):
        runs = min(attack.runs, subject.box.runs // 2)
        attack = replace(attack, pair=subject.box.pair, runs=runs)
        target = Target(GivenRuns(subject.box, Seeds(attack.seed)), None)
    else:
        target = Target(Drawing(subject.box, Seeds(attack.seed), effort.share), subject.box)
        if attack.pair is not None and not attack.pair.verified:
            assumptions = (*assumptions, ON_YOUR_WORD)
    evidence = attack_box(target, claim, attack, effort.watch)
    return Certificate(
        subject.to_json(), claim, (evidence,), assumptions, reproduce, isolation=subject.isolation
    )


def _beside_attack(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    effort: Effort,
    progress: Progress | None,
) -> tuple[tuple[Evidence, ...], Enumerated | None]:
    """The analysis of a program, where it can be made, and an attack on it as a black box."""
    attack = effort.attack
    assert attack is not None
    try:
        evidence, enumerated = _examine(subject, claim, setting, effort, progress)
    except TooLargeError:
        evidence, enumerated = (), None
    if subject.built_in:
        # Where both are ours, a violation found by chance would be a contradiction.
        attack = replace(attack, alarm=min(attack.alarm, CONTRADICTING))
    box = ProgramBox(subject, setting, claim.released)
    target = Target(Drawing(box, Seeds(attack.seed), effort.share), box)
    return (*evidence, attack_box(target, claim, attack, effort.watch)), enumerated


def _examine(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    effort: Effort,
    progress: Progress | None,
) -> tuple[tuple[Evidence, ...], Enumerated | None]:
    size = setting.require_rows() if claim.records is None else claim.records
    instance = exhaustive.Instance(subject, claim, setting, size, effort.jobs, progress)
    try:
        found = exhaustive.examine_program(instance)
    except TooLargeError as refusal:
        return _beyond_enumeration(instance, refusal)
    ledgers = found.enumerated.ledgers if found.enumerated.complete else None
    cells = factorised.examine(subject, claim, setting, ledgers)
    theorem = proof.examine(subject, claim, setting, ledgers)
    settled = any(e is not None and e.decision is Decision.HOLDS for e in (cells, theorem))
    if found.evidence.decision is Decision.UNDECIDED and not settled:
        found = exhaustive.sharpen(instance, found)
    evidence = [e for e in (found.evidence, cells, theorem) if e is not None]
    return tuple(evidence), found.enumerated


def _beyond_enumeration(
    instance: exhaustive.Instance, refusal: TooLargeError
) -> tuple[tuple[Evidence, ...], Enumerated | None]:
    """Evidence on an instance too large to enumerate; TooLargeError where there is none."""
    about = instance.subject, instance.claim, instance.setting
    general = [
        evidence
        for evidence in (factorised.examine(*about, None), proof.examine(*about, None))
        if evidence is not None
    ]
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
