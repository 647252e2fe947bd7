"""What a check of a subject found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.statements.finding import Finding, violations
from audit.testing.shrinking import Smallest


@dataclass(frozen=True, eq=False)
class Checked:
    """A subject, its claim, and what was found.

    ``certificate``: None where the subject broke its protocol before there was one; ``trouble``
    says how. ``findings``: those of the certificate, and of auditors of single properties.
    ``smallest``: of a program, the smallest violation. ``code``: the smallest pair as a test of
    its own, in Python. ``accepted``: the verdicts that the test accepts.
    """

    name: str
    claim: Claim
    certificate: Certificate | None
    findings: tuple[Finding, ...]
    accepted: tuple[Verdict, ...]
    smallest: Smallest | None = None
    pair: tuple[Any, Any] | None = None
    code: str = ""
    trouble: str = ""

    @property
    def verdict(self) -> Verdict | None:
        """The certificate's, if there is one."""
        return None if self.certificate is None else self.certificate.verdict

    @property
    def violations(self) -> tuple[Finding, ...]:
        """The findings that speak against the claim or what the subject declares."""
        return violations(self.findings)

    @property
    def kept(self) -> bool:
        """Whether the test succeeds: an accepted verdict, and no violation."""
        return self.verdict in self.accepted and not self.violations


class ClaimRefuted(AssertionError):
    """A claim does not hold, or was not shown as required; ``checked`` says what was found."""

    def __init__(self, message: str, checked: Checked) -> None:
        super().__init__(message)
        self.checked = checked
