"""Auditors of single properties, on subjects that they can look at with nothing else declared."""

from __future__ import annotations

from typing import Any

from audit.auditors.effort import Attack, Effort
from audit.auditors.registry import LeftOut, choose
from audit.channels.enumerate import instance
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.forked import call_forked
from audit.subjects.program_process import RUN_SECONDS
from audit.subjects.subject import BlackBoxSubject, ProgramSubject
from audit.testing.claims.asked import Asked
from dp_audit.arguments import probability
from synthesizers.curator import Program, Setting
from synthesizers.errors import CannotFork, DPAuditError, ProtocolError
from synthesizers.plan import plan

MOST_EXPLAINED = 64
"""Transcripts up to which a ledger is recounted beside a violation (a
second, where Hypothesis asks for dozens of examples)."""


def of_ledger(subject: ProgramSubject, claim: Claim, setting: Setting) -> tuple[Finding, ...]:
    """What the ledger adds up to, and which question passes the claim or the budget.

    Beside a violation, for whoever looks for its cause: where the claim is kept it says nothing
    more. Nothing where the instance is too large, or the program answers nothing at all.
    """
    # Each auditor is loaded where it is needed: a test that succeeds does not wait for this one.
    from audit.auditors import composition

    try:
        databases = instance(setting, claim.records or 0)
        if plan(subject.program, setting, databases).transcripts > MOST_EXPLAINED:
            return ()
        effort = composition.Effort(rows=setting.rows)
        return tuple(composition.examine(subject, claim, effort))
    except DPAuditError:
        return ()


def of_program(
    name: str, program: Program, claim: Claim, setting: Setting, asked: Asked
) -> tuple[Finding, ...]:
    """What depends on the data beside the answers of the curator.

    The auditor looks on from within, so that it runs with the program: in a copy of this process,
    where it can be copied.
    """
    from audit.auditors import data_independence

    alarm = float(probability(asked.alarm, "--alarm"))
    effort = data_independence.Effort(rows=setting.rows, seed=asked.seed, alarm=alarm)
    subject = ProgramSubject(name, program, False)

    def examine() -> list[dict[str, Any]]:
        try:
            findings = data_independence.examine_program(subject, claim, effort)
            return [finding.to_report_json() for finding in findings]
        except DPAuditError:
            # What a program's certificate says of such an error stands already.
            return []

    try:
        plain = call_forked(examine, RUN_SECONDS)
    except CannotFork:
        plain = examine()
    except ProtocolError:
        return ()
    return tuple(map(Finding.from_report_json, plain))


def of_box(subject: BlackBoxSubject, claim: Claim, attack: Attack) -> tuple[Finding, ...]:
    """What the auditors find that look at a black box before it is attacked."""
    auditors, _ = choose(subject.category, None, True)
    found: list[Finding] = []
    for auditor in auditors:
        if auditor.name == "attack":
            continue
        try:
            examined = auditor.examine(subject, claim, Effort(attack=attack))
            found += [one for one in examined if isinstance(one, Finding)]
        except LeftOut:
            continue
    return tuple(found)
