"""What is said of a release to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.attestation.document import attestation_json
from audit.report.attestation.entry import make_entry, write_yaml
from audit.report.attestation.label import label_lines, make_label
from audit.review.attestations.attestation import Attestation
from audit.review.attestations.in_toto import state_test_result, state_verification
from dp_audit.results.result import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class AttestationResult(Result):
    """What `dp_audit.attest` returns: a label, and what else is made of the certificate."""

    attestation: Attestation

    @property
    def verdict(self) -> str:
        """The certificate's, which follows from its evidence."""
        return self.attestation.reread.certificate.verdict.value

    @property
    def exit_code(self) -> int:
        """That of the verdict, so that nothing is published unseen of a claim that failed."""
        return self.attestation.reread.certificate.verdict.exit_code

    @property
    def entry(self) -> dict[str, Any]:
        """The registry entry; raises ``ValueError`` where there is none."""
        return make_entry(self.attestation)

    @property
    def yaml(self) -> str:
        """The registry entry as a file."""
        return write_yaml(self.entry)

    @property
    def test_result(self) -> dict[str, Any]:
        """The Statement of in-toto whose predicate is a test result."""
        return state_test_result(self.attestation)

    @property
    def verification(self) -> dict[str, Any]:
        """That whose predicate is a verification result; ``ValueError`` where nothing is shown."""
        return state_verification(self.attestation)

    def summary(self) -> str:
        """The verdict, the subject and the claim."""
        certificate = self.attestation.reread.certificate
        name, claim = certificate.subject.get("name"), certificate.claim
        return f"{self.verdict}: {name}, {claim.guarantee} ({claim.neighbours.name})"

    def lines(self) -> RenderableType:
        """The label."""
        return label_lines(make_label(self.attestation))

    def to_json(self) -> dict[str, Any]:
        """What is attested, each field of an entry with how it is known."""
        return attestation_json(self.attestation)

    def to_frame(self) -> pd.DataFrame:
        """The fields of an entry: a row for each thing that is said."""
        import pandas as pd

        return pd.DataFrame(self.to_json()["fields"], columns=["field", "mark", "value"])

    def html(self) -> str:
        """The label as an HTML file that prints on one page."""
        from audit.report.html import render_label

        return render_label(make_label(self.attestation))
