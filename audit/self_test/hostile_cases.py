"""Programs in processes of their own as cases: what is concluded of one that attacks."""

from __future__ import annotations

from dataclasses import dataclass

from audit.certify import Effort, certify
from audit.self_test.case import Detector
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Verdict
from audit.statements.finding import Finding, Rigour
from audit.subjects.synthesizer import program_subject
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.neighbours import ReplaceOne

CLAIM = "epsilon=1"
RECORDS = 2
PROGRAMS = "audit.self_test.hostile_programs"


@dataclass(frozen=True)
class HostileCase:
    """A program of `audit.self_test.hostile_programs`, run in a box as a stranger's is.

    The claim is that of the honest one. Whatever is not PROVED or EXACT speaks against the case; a
    verdict that rests on isolation that this machine lacks is taken, and the finding says so.
    """

    name: str
    attribute: str
    detectors: tuple[Detector, ...] = (Detector.BOUNDARY,)

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What the one detector finds."""
        subject = program_subject(f"{PROGRAMS}:{self.attribute}", {})
        claim = Claim(
            parse_guarantee(CLAIM), ReplaceOne(), "output", Domain.from_cells("2"), RECORDS
        )
        apart = subject.isolation
        try:
            verdict = certify(subject, claim, Effort(trusted=True), "").certificate.verdict
            accused, found = verdict not in (Verdict.PROVED, Verdict.EXACT), verdict.value
        except ProtocolError:
            accused, found = True, "it broke the curator's protocol"
        finally:
            subject.end()
        where = "" if apart.sufficient else "; nothing on this machine kept it apart"
        return (
            Finding(
                auditor=detector,
                about="what is concluded of a program in a process of its own",
                decision=Decision.of_declaration(accused),
                declared=CLAIM,
                found=found + where,
                rigour=Rigour.EXACT,
                covers=f"databases of {RECORDS} records over 2 cells",
                again=f"dp-audit self-test --only {self.name!r}",
            ),
        )
