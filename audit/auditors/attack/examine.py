"""What is attacked of each kind of subject: a program's release, a box, outputs already drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.beginning import begin, report_interruption
from audit.auditors.attack.following import Following
from audit.auditors.attack.next_attacks import plan_next
from audit.auditors.attack.plan import make_plan
from audit.auditors.effort import Attack, Effort
from audit.statements.claim import Claim
from audit.statements.evidence import CONTRADICTING, Decision, Evidence
from audit.subjects.black_box import BlackBox
from audit.subjects.outputs import GivenRuns, OutputsBox
from audit.subjects.programs import ProgramBox
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import BlackBoxSubject, ProgramSubject


def examine_program(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """A program by what it releases in repeated runs."""
    attack = effort.require_attack()
    if subject.built_in:
        # Where both are ours, a violation found by chance would be a contradiction.
        attack = replace(attack, alarm=min(attack.alarm, CONTRADICTING))
    box = ProgramBox(subject, effort.setting(claim), claim.released)
    effort.tell(make_plan(claim, attack, None).words())
    yield from _attack_in_turn(box, claim, attack, effort)


def examine_box(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """A function, an estimator or a command by its outputs in repeated runs.

    After what its attacks found, what it seems to read of its input, if it is not all.
    """
    attack, box = effort.require_attack(), cast(BlackBox, subject.box)
    try:
        seen = begin(box, claim, attack, effort)
    except KeyboardInterrupt:
        yield report_interruption(claim, attack)
        return
    found = []
    for evidence in _attack_in_turn(box, claim, attack, effort):
        found.append(evidence)
        yield evidence
    refuted = any(evidence.violated for evidence in found)
    if seen is not None and not (refuted and seen.decision is Decision.UNDECIDED):
        yield seen


def examine_outputs(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """Outputs that somebody drew, on two databases that nobody shows.

    There are no more of them: behind what is known from the start they are looked at once more, as
    what is hidden was chosen without them, and behind what they show they are not.
    """
    attack, box = effort.require_attack(), cast(OutputsBox, subject.box)
    attack = replace(attack, pair=box.pair, runs=min(attack.runs, box.runs // 2))
    target = AttackedBox(GivenRuns(box, Seeds(attack.seed, attack.look)), None)
    evidence = attack_box(target, claim, replace(attack, beyond=()), effort.watch)
    yield evidence
    again = plan_next(attack, replace(attack, beyond=()), replace(evidence, cause=None), claim, 1)
    if again is not None:
        behind = replace(again, seed=attack.seed)
        yield attack_box(target, claim, behind, effort.watch)


def _attack_in_turn(
    box: BlackBox, claim: Claim, asked: Attack, effort: Effort
) -> Iterator[Evidence]:
    """The evidence of an attack, and of those behind what it and they found, as they are made.

    Guarantee
    ---------
    Of a box that keeps the claim, some evidence is VIOLATED with probability at most the alarm: an
    attack behind known leaks is only made where the one before has refuted the claim. Backed by
    ``tests/audit/auditors/attack/test_next_attacks.py``.
    """
    current: Attack | None = replace(asked, beyond=())
    number = 0
    while current is not None:
        following = Following(effort.share, effort.watch, 2 * current.runs)
        target = AttackedBox(Drawing(box, Seeds(current.seed, current.look), following.share), box)
        evidence = attack_box(target, claim, current, following.watch)
        yield evidence
        number += 1
        current = plan_next(asked, current, evidence, claim, number)
