"""What a release under a certificate may ask: the questions that were analysed, and no other.

A program could ask otherwise on the day of the release than it did in the analysis. The curator
of the release therefore keeps to what the certificate rests on: a ledger, the same in every run; a
tree, the next question for all answers so far; or the budget alone, where the theorem is the
budget's and holds whatever is asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.auditors import exhaustive, factorised, proof
from audit.auditors.deciding import decide
from audit.channels.enumerate import Enumerated, Tree, channel_of, instance
from audit.statements.certificate import digest
from audit.statements.certificate_json import decode
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, Verdict
from audit.subjects.subject import ProgramSubject
from proofs.ledger.programs import fixed_ledger
from synthesizers.arithmetic import OutcomesAlone
from synthesizers.budget import Budget
from synthesizers.curator import Admission, Setting, Transcript, keep_to
from synthesizers.enumeration import Listing, leaves
from synthesizers.errors import InputError, ProtocolError
from synthesizers.events import Draw, Event
from synthesizers.neighbours import describe
from synthesizers.questions_json import budget_from_json, question_from_json, question_to_json


def certified_questions(
    subject: ProgramSubject,
    setting: Setting,
    evidence: Sequence[Evidence],
    enumerated: Enumerated | None,
) -> dict[str, Any] | None:
    """What a release may ask, as plain data; None for our own programs, which keep to themselves.

    ``enumerated``: the claim's own instance, where it was enumerated whole.
    """
    if subject.built_in:
        return None
    whole = evidence[0].auditor == "exhaustive" and evidence[0].whole and enumerated is not None
    budget = subject.budget(setting)
    certified: dict[str, Any] = {"budget": budget.to_json()}
    ledgers = None
    if whole and enumerated is not None and enumerated.complete:
        ledgers = enumerated.ledgers
    ledger = fixed_ledger(subject.program, budget, setting, ledgers, ours=False)
    if ledger is not None:
        events = [question_to_json(event) for event in ledger]
        return {"kind": "ledger", "events": events, **certified}
    exact = any(one.whole and one.auditor == "exhaustive" for one in evidence)
    if exact and enumerated is not None and evidence[0].decision is Decision.HOLDS:
        tree = question_tree(subject, setting, int(enumerated.channel.databases.sum(axis=1).max()))
        digest, transcripts = tree_digest(tree), enumerated.transcripts
        return {"kind": "tree", "digest": digest, "transcripts": transcripts, **certified}
    return {"kind": "budget", **certified}


def question_tree(subject: ProgramSubject, setting: Setting, size: int) -> Tree:
    """Every question of an enumerated instance, by the answers before it; draws included."""
    tree: Tree = {}
    databases = instance(setting, size)
    listing = Listing(
        subject.program, setting, databases, OutcomesAlone(), subject.budget(setting), replays=0
    )
    for leaf in leaves(listing):
        for place, event in enumerate(leaf.ledger):
            tree[leaf.outcomes[:place]] = event
    return tree


def tree_digest(tree: Tree) -> str:
    """The SHA-256 of a tree's questions, in the order of the answers before them."""
    digest = hashlib.sha256()
    for answers in sorted(tree):
        line = json.dumps([answers, question_to_json(tree[answers])], sort_keys=True)
        digest.update(line.encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def admission(
    questions: Mapping[str, Any], subject: ProgramSubject, setting: Setting, claim: Claim
) -> Admission | None:
    """What the curator of a release lets through; None where its budget says all.

    Raises InputError where the claim does not follow from what the program asks today, or that is
    not what was analysed.

    Guarantee
    ---------
    The claim holds of every release through the curator of this admission, with the program's
    budget and declared ledger of today: it is concluded anew from them. Backed by
    ``tests/audit/test_questions.py`` and ``tests/hostile/test_hostile_programs.py``.
    """
    match questions:
        case {"kind": "budget"}:
            if not _follows(subject, setting, claim, None):
                raise InputError(CHANGED)
            return None
        case {"kind": "ledger", "events": list() as events}:
            ledger = tuple(question_from_json(event, setting.domain) for event in events)
            kept = keep_to(ledger)
            if _follows(subject, setting, claim, frozenset({ledger})):
                return kept
            return _both(kept, _within(_conclude_tree(subject, setting, claim)))
        case {"kind": "tree", "digest": str() as digest}:
            tree = _conclude_tree(subject, setting, claim)
            if tree_digest(tree) != digest:
                raise InputError(CHANGED)
            return _within(tree)
    raise InputError("the certificate does not say what a release under it may ask")


CHANGED = "the program does not ask what it asked when it was certified: certify it again"


def _follows(
    subject: ProgramSubject,
    setting: Setting,
    claim: Claim,
    ledgers: frozenset[tuple[Event, ...]] | None,
) -> bool:
    """Whether the claim follows from the program's budget, or from the ledger that is kept to."""
    evidence = (
        auditor.conclude(subject, claim, setting, ledgers) for auditor in (proof, factorised)
    )
    return any(one is not None and one.decision is Decision.HOLDS for one in evidence)


def _both(first: Admission, second: Admission) -> Admission:
    def admit(transcript: Transcript, event: Event) -> None:
        first(transcript, event)
        second(transcript, event)

    return admit


def _conclude_tree(subject: ProgramSubject, setting: Setting, claim: Claim) -> Tree:
    """All questions of one enumeration that shows the claim; InputError where it does not."""
    size = setting.require_rows() if claim.records is None else claim.records
    part = exhaustive.Instance(subject, claim, setting, size)
    found = channel_of(
        subject.program,
        setting,
        released=claim.released,
        exact=part.products() <= exhaustive.RETRY_EXACT,
        databases=part.databases,
        budget=subject.budget(setting),
        tree=True,
    )
    assert found.tree is not None
    # Where n is private, the table of the release may be larger than all that was enumerated.
    whole = setting.records is not None
    shown = whole and decide(found.channel, claim.guarantee).decision is Decision.HOLDS
    if not shown and not _follows(subject, setting, claim, None):
        raise InputError(CHANGED)
    return found.tree


@dataclass(frozen=True)
class Leave:
    """What the curator of a release opens with: its budget, and what else it lets through."""

    budget: Budget
    admit: Admission | None


def leave_of_certificate(
    document: Mapping[str, Any], subject: ProgramSubject, setting: Setting
) -> Leave:
    """What a release under a certificate may cost and ask.

    Raises InputError unless the certificate is PROVED or EXACT, about this program as it is now,
    and about the public constants of the release.

    Guarantee
    ---------
    The budget is the certified one, which the program declares today as well. Backed by
    ``tests/audit/test_questions.py``.
    """
    if document["verdict"] not in (Verdict.PROVED.value, Verdict.EXACT.value):
        raise InputError(
            f"the certificate says {document['verdict']}; a release needs PROVED or EXACT"
        )
    if document["digest"] != digest(document):
        raise InputError("the certificate was changed after it was written: certify again")
    claim = decode(dict(document)).about
    about = {**subject.to_json(), "rows": setting.rows}
    differs = _list_differences(about, document["subject"])
    if differs:
        raise InputError(f"the certificate is not about this release: {'; '.join(differs)}")
    if claim.require_domain().attributes != setting.domain.attributes:
        raise InputError("the certificate is about another domain than the release")
    if claim.neighbours != setting.neighbours:
        raise InputError(
            "the certificate is about other neighbours, or another unit: it is about "
            f"'{describe(claim.neighbours)}', and the release about "
            f"'{describe(setting.neighbours)}'"
        )
    if setting.records is not None and claim.records != setting.records:
        raise InputError("the certificate is about another public number of records")
    if setting.records is None and document["verdict"] == Verdict.EXACT.value:
        raise InputError(
            "the certificate is EXACT for databases of so many records and no more, and here their "
            "number is private: a release needs PROVED"
        )
    if subject.built_in:
        return Leave(subject.budget(setting), None)
    questions = document.get("questions")
    if not isinstance(questions, dict) or "budget" not in questions:
        raise InputError("the certificate does not say what a release under it may ask and spend")
    budget = budget_from_json(questions["budget"])
    if subject.budget(setting) != budget:
        raise InputError(
            "the program declares another budget than the certified one: certify it again"
        )
    return Leave(budget, admission(questions, subject, setting, claim))


def _list_differences(released: Mapping[str, Any], certified: Mapping[str, Any]) -> list[str]:
    """What differs, one by one; of numbers and short names also how.

    Text of the certificate may be a stranger's: it is shown as a literal of ASCII.
    """
    differences = []
    for key in sorted({*released, *certified}):
        here, there = released.get(key), certified.get(key)
        if here == there:
            continue
        if isinstance(here, Mapping) and isinstance(there, Mapping):
            # One that is stated as null differs from one that is missing: then no part is named.
            differences += _list_differences(here, there) or [f"{_spell(key)} differs"]
        elif _is_short(here) and _is_short(there):
            words = f"is {_spell(here)} here and {_spell(there)} in the certificate"
            differences.append(f"{_spell(key)} {words}")
        else:
            differences.append(f"{_spell(key)} differs")
    return differences


_MOST_SHOWN = 40
"""The most characters of a value that is shown; longer ones are digests, and say nothing."""


def _is_short(value: object) -> bool:
    return isinstance(value, int | str) and len(str(value)) <= _MOST_SHOWN


def _spell(value: object) -> str:
    return ascii(value).strip("'")


def _within(tree: Tree) -> Admission:
    def admit(transcript: Transcript, event: Event) -> None:
        answers = tuple(outcome for _, outcome in transcript)
        if tree.get(answers) == event or _is_seed(event):
            return
        raise ProtocolError(
            "the program asked a question that the certificate does not have after these answers"
        )

    return admit


def _is_seed(event: Event) -> bool:
    return isinstance(event, Draw) and event.law.name == "seed"
