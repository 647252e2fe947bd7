"""What a program asks: its different questions, for auditors that look at one question alone."""

from __future__ import annotations

from audit.auditors.composition.recount import Unrefused, recount
from audit.auditors.effort import Effort
from audit.auditors.exhaustive import Instance
from audit.statements.claim import Claim
from audit.subjects.subject import ProgramSubject
from proofs.ledger.programs import fixed_ledger
from synthesizers.events import Event


def questions_of(subject: ProgramSubject, claim: Claim, effort: Effort) -> tuple[Event, ...]:
    """Each private question once: of its ledger where that is fixed, else of every transcript.

    Raises TooLargeError where the transcripts are too many.
    """
    part = Instance.of(subject, claim, effort)
    setting, budget = part.setting, subject.budget(part.setting)
    seen = effort.ledgers(subject, claim)
    ledger = fixed_ledger(subject.program, budget, setting, seen, ours=subject.built_in)
    if ledger is not None:
        return tuple(dict.fromkeys(ledger))
    unrefused = Unrefused.of(subject, setting)
    return tuple(recount(unrefused, setting, part.databases, setting.neighbours).questions)
