"""What is certified, and what a certificate was found to be when it was checked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from audit.report.page import Page, TableSection
from dp_audit.results.result import Result, page_of

if TYPE_CHECKING:
    import pandas as pd

    from audit.statements.certificate import Certificate
    from audit.statements.checks import Verification


@dataclass(frozen=True, repr=False)
class CertificateResult(Result):
    """What `dp_audit.certify` returns: a certificate."""

    certificate: Certificate
    left_out: Mapping[str, str] = field(default_factory=dict)
    """The auditors that were not run, and why."""

    @property
    def verdict(self) -> str:
        """PROVED, EXACT, NOT REFUTED, REFUTED, UNDECIDED, INVALID RUN or CONTRADICTION."""
        return self.certificate.verdict.value

    @property
    def exit_code(self) -> int:
        """That of the verdict."""
        return self.certificate.verdict.exit_code

    @property
    def partial(self) -> bool:
        """Whether an attack was interrupted: it reports the runs made until then."""
        return any(evidence.partial for evidence in self.certificate.evidence)

    @property
    def power(self) -> float | None:
        """The smallest leak that an attack would have refuted with a chance of 90 %.

        In the claim's own parameter, on the pair and by the rule that were tested; infinite if
        none, None where nothing was attacked, or the claim is refuted.
        """
        found = [one.power for one in self.certificate.evidence if one.power is not None]
        return found[0].detectable if found else None

    def summary(self) -> str:
        """The verdict, the subject and the claim."""
        claim, name = self.certificate.claim, self.certificate.subject["name"]
        return f"{self.verdict}: {name}, {claim.guarantee} ({claim.neighbours.name})"

    def lines(self) -> RenderableType:
        """The certificate in full."""
        from audit.report.certificate.terminal import certificate_lines

        return certificate_lines(self.certificate)

    def to_json(self) -> dict[str, Any]:
        """The certificate, with its digest."""
        return self.certificate.to_json()

    def json_text(self) -> str:
        """The certificate's own text, which `dp_audit.verify` reads."""
        from audit.report.certificate.document import certificate_text

        return certificate_text(self.certificate)

    def page(self) -> Page:
        """The certificate's page."""
        from audit.report.page import CertificateSection

        title = f"Is {self.certificate.subject['name']} as private as it claims?"
        return page_of(
            title,
            "What was claimed, what was found, and how to check it without trusting this report.",
            CertificateSection(title, self.certificate),
        )


@dataclass(frozen=True, repr=False)
class VerificationResult(Result):
    """What `dp_audit.verify` returns: every statement of a certificate, and what came of it."""

    verification: Verification

    @property
    def exit_code(self) -> int:
        """0, 1 where something is false or altered, 3 where something was not re-checked."""
        return self.verification.exit_code

    @property
    def confirmed(self) -> bool:
        """Whether nothing is false, and nothing was left unchecked."""
        return self.exit_code == 0

    def summary(self) -> str:
        """How many statements, and what came of them."""
        states = [check.status.value for check in self.verification.checks]
        counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
        return f"{len(states)} statements: {', '.join(counts)}"

    def _rows(self) -> list[tuple[str, str, str]]:
        checks = self.verification.checks
        return [(check.statement, check.status.value, check.note) for check in checks]

    def lines(self) -> RenderableType:
        """The statements as a table."""
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("statement", "result", "note"):
            table.add_column(heading, overflow="fold")
        for row in self._rows():
            # A stranger's text: no markup, no control sequences, no broken characters.
            table.add_row(
                *(Text("".join(c if c.isprintable() else "?" for c in text)) for text in row)
            )
        return table

    def to_json(self) -> dict[str, Any]:
        """The statements, what came of each, and the exit code."""
        keys = ("statement", "result", "note")
        checks = [dict(zip(keys, row, strict=True)) for row in self._rows()]
        return {"exit_code": self.exit_code, "checks": checks}

    def to_frame(self) -> pd.DataFrame:
        """The statements: a row each."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=["statement", "result", "note"])

    def page(self) -> Page:
        """The statements as a page."""
        rows = TableSection("Statements", ("statement", "result", "note"), tuple(self._rows()))
        return page_of("A certificate, re-checked", self.summary(), rows)
