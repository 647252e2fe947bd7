"""Certificates read again, before anybody compares them, decides by them or tells others of them.

Nothing is run: the text, what the evidence entails and the proof are looked at. What only another
audit would show is left to `audit.verify.verify`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from audit.statements import strict_json
from audit.statements.certificate import Certificate, digest
from audit.statements.certificate_json import Document, decode
from audit.statements.checks import Check, Status
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Decision, Side, Verdict
from audit.statements.reproduce import contradiction
from audit.verify import find_contradictions, read_certificate, recheck_proof
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import InputError

SHOWING = (Verdict.PROVED, Verdict.EXACT)
"""The verdicts under which something is shown."""


@dataclass(frozen=True)
class Reread:
    """A certificate that was read again.

    ``name``: by which reports call it. ``document``: as its file states it. ``certificate``: the
    same with the verdict and bounds that its evidence entails. ``proof``: what the independent
    checker says of its proof or channel; None without one. ``fault``: why nothing that it states
    is believed, in words; None for one that agrees with itself.
    """

    name: str
    document: Document
    certificate: Certificate
    proof: Check | None
    fault: str | None

    @property
    def is_shown(self) -> bool:
        """Whether its claim is shown, and not only stated."""
        return self.fault is None and self.certificate.verdict in SHOWING

    @property
    def is_rechecked(self) -> bool:
        """Whether the independent checker found the claim in its proof."""
        return self.proof is not None and self.proof.status is Status.CONFIRMED

    @property
    def command(self) -> str:
        """The command that makes it again; empty where that says otherwise than the certificate."""
        return "" if contradiction(self.document) else self.document.reproduce

    def require_believed(self, otherwise: str) -> None:
        """Raise InputError for one with a fault; ``otherwise``: what does not come of it then."""
        if self.fault is not None:
            raise InputError(f"{self.name} {otherwise}: {self.fault}")


def reread(name: str, plain: Mapping[str, Any]) -> Reread:
    """The plain data of a certificate, read again; raises InputError for what is none.

    Guarantee
    ---------
    There is no fault only if the text has its digest, the verdict and the bounds are those that
    the evidence entails, with nothing shown by other people's code that nothing kept apart, no
    finding decides against its own bound, and the independent checker did not reject the proof.
    Backed by ``tests/audit/review/test_rereading.py``.
    """
    try:
        document = decode(plain)
    except InputError as error:
        raise InputError(f"{name} is no certificate that can be read again: {error}") from None
    certificate, proof = Certificate.of(document), recheck_proof(plain)
    fault = "its text was changed after it was written"
    if document.digest == digest(plain):
        fault = next(_list_faults(document, certificate, proof), "")
    return Reread(name, document, certificate, proof, fault or None)


def reread_text(name: str, text: str) -> Reread:
    """The same of the text of a file."""
    return reread(name, read_certificate(text, name))


def reread_file(path: str | Path, name: str | None = None) -> Reread:
    """The same of a file, called by its own name if no other is given."""
    return reread_text(name or Path(path).name, strict_json.read_text(str(path)))


def _list_faults(
    document: Document, certificate: Certificate, proof: Check | None
) -> Iterator[str]:
    for check in find_contradictions(document):
        yield f"its {check.statement} does not follow from its evidence ({check.note})"
    if document.verdict is not certificate.verdict:
        # Older ones state no isolation; an audit of theirs is made again, a text is only read.
        yield (
            "it states no isolation of the program, so that its evidence entails "
            f"{certificate.verdict.value}, and it states {document.verdict.value}. Make the "
            "certificate again with dp-audit certify"
        )
    for finding in document.evidence:
        if finding.bound is not None and _contradicts(
            finding.decision, finding.bound, document.claim
        ):
            said = finding.decision.value
            yield f"the bound of a finding by {finding.auditor} contradicts its decision, {said!r}"
    if proof is not None and proof.status is Status.FALSE:
        yield f"the independent checker rejects its proof ({proof.note})"


def _contradicts(decision: Decision, bound: Bound, guarantee: Guarantee) -> bool:
    """Whether a bound shows the opposite of what the finding says of the claim."""
    name, most = claimed_parameter(guarantee)
    ends = bounded_parameter(bound, name)
    if ends is None:
        return False
    if decision is Decision.HOLDS:
        return bound.side is not Side.CEILING and ends.lower > most
    return decision is Decision.VIOLATED and bound.side is not Side.FLOOR and ends.upper < most


def claimed_parameter(guarantee: Guarantee) -> tuple[str, Fraction]:
    """What a guarantee bounds, as certificates name it, and the most that it allows."""
    match guarantee:
        case ApproxDP(epsilon=most):
            return "epsilon", most
        case ZCDP(rho=most):
            return "rho", most
        case GaussianDP(mu=most):
            return "mu", most
        case RenyiDP(epsilon=most):
            return "rdp", most


def bounded_parameter(bound: Bound, name: str) -> Enclosure | None:
    """What a bound says of a parameter; None where it speaks of another."""
    if bound.parameter is None:
        return bound.epsilon if name == "epsilon" else None
    own, ends = bound.parameter
    return ends if own == name else None
