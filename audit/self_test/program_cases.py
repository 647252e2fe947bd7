"""Programs of a curator as cases: enumerated, recounted, and attacked."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.auditors import composition
from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.rechecking.replaying import ALARM
from audit.auditors.effort import Attack
from audit.certify import Effort, certify
from audit.parallel import here
from audit.self_test.altered import Altered, Instead, Place
from audit.self_test.case import BugClass, Detector, Liar
from audit.statements.claim import Claim
from audit.statements.decimals import decimal_below
from audit.statements.evidence import Decision, Evidence, SampledWitness, Side, Witness
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.black_box import BlackBox
from audit.subjects.programs import ProgramBox
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ApproxDP, parse_guarantee
from synthesizers.curator import Program, Setting
from synthesizers.domain import Domain
from synthesizers.intervals import exp_interval
from synthesizers.neighbours import Neighbours

SHOWN = 5
"""Significant digits of a found value in the table, rounded towards the honest side."""


SEED = 20_260_101
"""Of every sampled examination of the self-test, so that it finds the same each time."""

ATTACK_RUNS = 2000
"""Runs a database of an attack of the self-test (some seconds)."""


@dataclass(frozen=True)
class ProgramCase:
    """A program, its claim, and the small instance on which it is enumerated.

    ``records``: of a database where n is public, the most of one otherwise; ``rows``: the public
    size, the same unless given.
    """

    name: str
    program: Program
    claim: str
    neighbours: Neighbours
    cells: str
    records: int
    rows: int | None = None
    detectors: tuple[Detector, ...] = (
        Detector.CHANNEL,
        Detector.TRANSCRIPT,
        Detector.COMPOSITION,
        Detector.ATTACK,
    )

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What one of its detectors finds."""
        subject = ProgramSubject(self.name, self.program, built_in=False)
        claim = self._claim("transcript" if detector is Detector.TRANSCRIPT else "output")
        if detector is Detector.ATTACK:
            box = ProgramBox(subject, self._setting(), "output")
            return (attack_case(self.name, box, claim),)
        if detector is Detector.COMPOSITION:
            return tuple(composition.examine(subject, claim, Effort(self.rows)))
        certificate = certify(subject, claim, Effort(self.rows, trusted=True), "").certificate
        return tuple(
            _finding(detector, claim, evidence, self.name) for evidence in certificate.evidence
        )

    def _domain(self) -> Domain:
        domain = Domain.from_cells(self.cells)
        return domain if self.neighbours.unit.is_record else replace(domain, individual="person")

    def _claim(self, released: str) -> Claim:
        domain = self._domain()
        guarantee = parse_guarantee(self.claim)
        return Claim(guarantee, self.neighbours, released, domain, self.records)

    def _setting(self) -> Setting:
        public = self.records if self.neighbours.records_public else None
        rows = self.records if self.rows is None else self.rows
        return Setting(self._domain(), self.neighbours, public, rows)


def attack_case(case_name: str, box: BlackBox, claim: Claim) -> Finding:
    """What an attack on a black box finds; at the error of REFUTED."""
    attack = Attack(ATTACK_RUNS, SEED, Fraction(1, 20), Fraction(ALARM))
    target = AttackedBox(Drawing(box, Seeds(SEED), here), box)
    evidence = attack_box(target, claim, attack)
    return replace(_finding(Detector.ATTACK, claim, evidence, case_name), error=ALARM)


def _finding(detector: Detector, claim: Claim, evidence: Evidence, name: str) -> Finding:
    witness = evidence.witness
    pair = responsible = None
    if isinstance(witness, Witness):
        pair = Shown(witness.source, witness.target)
        responsible = f"{claim.released} {_event(witness)}"
    elif isinstance(witness, SampledWitness):
        pair = Shown(witness.pair.first, witness.pair.second)
        responsible = "; ".join(witness.event)
    return Finding(
        auditor=detector,
        about=f"{evidence.auditor}: the {claim.released}'s law",
        decision=Decision.of_declaration(evidence.decision is Decision.VIOLATED),
        declared=str(claim.guarantee),
        found=_decisive_value(claim, evidence),
        rigour=_rigour(evidence),
        covers=evidence.covers,
        again=f"dp-audit self-test --only {name}",
        pair=pair,
        responsible=responsible,
    )


def _rigour(evidence: Evidence) -> Rigour:
    if isinstance(evidence.witness, SampledWitness):
        return Rigour.STATISTICAL
    exact = evidence.bound is not None and evidence.bound.side is Side.EXACT
    return Rigour.EXACT if exact else Rigour.FLOOR


def _decisive_value(claim: Claim, evidence: Evidence) -> str:
    """The value in the claim's language; where no ε will do at its δ, the δ at its ε."""
    bound, guarantee = evidence.bound, claim.guarantee
    if bound is None:
        return evidence.decision.value
    if bound.parameter is not None:
        name, ends = bound.parameter
        return f"{name} = {decimal_below(ends.lower, SHOWN)}"
    witness = evidence.witness
    nothing = bound.epsilon.lower == math.inf and isinstance(witness, Witness)
    if nothing and isinstance(guarantee, ApproxDP) and guarantee.delta > 0:
        assert isinstance(witness, Witness)
        delta = _delta(witness, guarantee.epsilon)
        return f"delta = {decimal_below(delta, SHOWN)} at epsilon = {guarantee.epsilon}"
    return f"epsilon = {decimal_below(bound.epsilon.lower, SHOWN)}"


def _delta(witness: Witness, epsilon: Fraction) -> Fraction:
    """P[event | from] - e^ε · P[event | to], or less: what δ must be at least."""
    source, target = witness.probabilities
    assert isinstance(source.lower, Fraction) and isinstance(target.upper, Fraction)
    return source.lower - exp_interval(epsilon).upper * target.upper


def _event(witness: Witness) -> str:
    shown = ", ".join(str(output) for output in witness.event[:2])
    return shown if len(witness.event) <= 2 else f"{shown}, … ({len(witness.event)} in all)"


def program_liar(
    honest: ProgramCase,
    bug_class: BugClass,
    name: str,
    bug: str,
    place: Place,
    instead: Instead,
    *,
    quick: bool = False,
) -> Liar:
    """The liar that a program becomes by one replacement, with the honest program's claim.

    ``place``: which events are replaced; ``instead``: what is asked in their place.
    """
    program = Altered(honest.program, place, instead)
    return Liar(name, bug_class, bug, honest, replace(honest, name=name, program=program), quick)
