"""What is attacked of each kind of subject: a program's release, a box, outputs already drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from audit.auditors.attack.auditor import AttackedBox, attack_box
from audit.auditors.effort import Effort
from audit.statements.claim import Claim
from audit.statements.evidence import CONTRADICTING, Evidence
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
    target = AttackedBox(Drawing(box, Seeds(attack.seed, attack.look), effort.share), box)
    yield attack_box(target, claim, attack, effort.watch)


def examine_box(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """A function, an estimator or a command by its outputs in repeated runs."""
    attack, box = effort.require_attack(), cast(BlackBox, subject.box)
    target = AttackedBox(Drawing(box, Seeds(attack.seed, attack.look), effort.share), box)
    yield attack_box(target, claim, attack, effort.watch)


def examine_outputs(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """Outputs that somebody drew, on two databases that nobody shows."""
    attack, box = effort.require_attack(), cast(OutputsBox, subject.box)
    attack = replace(attack, pair=box.pair, runs=min(attack.runs, box.runs // 2))
    target = AttackedBox(GivenRuns(box, Seeds(attack.seed, attack.look)), None)
    yield attack_box(target, claim, attack, effort.watch)
