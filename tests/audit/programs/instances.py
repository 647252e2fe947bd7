"""Small instances of programs: certified whole, with the exact value beside the proved one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.effort import Attack
from audit.certify import Effort, certify
from audit.parallel import here
from audit.statements.certificate import Verdict
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence
from audit.subjects.programs import ProgramBox
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import parse_guarantee
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours
from synthesizers.programs import BuiltIn

SEED = 20_261_123
ALARM = Fraction(1, 10**6)
TWO = Domain.from_cells("2x2")
PEOPLE = Domain("people", Domain.from_cells("2x1").attributes, individual="person")


@dataclass(frozen=True)
class Instance:
    """A built-in program with its nominal claim, on a domain small enough to be enumerated."""

    program: BuiltIn
    claim: str
    neighbours: Neighbours
    domain: Domain
    records: int
    rows: int | None = None
    released: str = "transcript"

    @property
    def subject(self) -> ProgramSubject:
        return ProgramSubject(type(self.program).__name__, self.program, built_in=True)

    @property
    def claimed(self) -> Claim:
        guarantee = parse_guarantee(self.claim)
        return Claim(guarantee, self.neighbours, self.released, self.domain, self.records)

    @property
    def setting(self) -> Setting:
        public = self.records if self.neighbours.records_public else None
        rows = self.records if self.rows is None else self.rows
        return Setting(self.domain, self.neighbours, public, rows)


def require_proved_and_exact(instance: Instance) -> tuple[Evidence, Evidence]:
    """Certify an instance: PROVED, and the exact value of all its databases at most the proved one.

    Returns the exhaustive evidence and the theorem's.
    """
    effort = Effort(instance.rows)
    certificate = certify(instance.subject, instance.claimed, effort, "").certificate
    assert certificate.verdict is Verdict.PROVED, certificate.verdict
    found = {evidence.auditor: evidence for evidence in certificate.evidence}
    exact, proof = found["exhaustive"], found["proof"]
    assert exact.whole and exact.decision is Decision.HOLDS, exact.finding
    assert exact.bound is not None and proof.bound is not None
    own = exact.bound.parameter or ("epsilon", exact.bound.epsilon)
    theirs = proof.bound.parameter or ("epsilon", proof.bound.epsilon)
    assert own[0] == theirs[0] and own[1].lower <= theirs[1].upper, (own, theirs)
    return exact, proof


def require_not_refuted(instance: Instance, runs: int = 1000) -> Evidence:
    """Attack an instance as a black box; an honest one is refuted with chance 1e-6 at most."""
    box = ProgramBox(instance.subject, instance.setting, instance.released)
    attack = Attack(runs, SEED, Fraction(1, 20), ALARM)
    target = AttackedBox(Drawing(box, Seeds(SEED), here), box)
    evidence = attack_box(target, instance.claimed, attack)
    assert evidence.decision is not Decision.VIOLATED, evidence.finding
    return evidence


def renamed(cells: str, *names: str) -> Domain:
    """A domain of the given shape, its attributes called as given."""
    domain = Domain.from_cells(cells)
    attributes = [
        replace(attribute, name=name)
        for attribute, name in zip(domain.attributes, names, strict=True)
    ]
    return replace(domain, attributes=tuple(attributes))
