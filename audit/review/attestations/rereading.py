"""A certificate read again, so that others can be told of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from audit.statements.certificate import Certificate, digest
from audit.statements.certificate_json import decode
from audit.statements.checks import Check, Status
from audit.statements.evidence import Verdict
from audit.statements.reproduce import contradiction
from audit.verify import read_certificate, recheck_proof
from synthesizers.errors import InputError

SHOWING = (Verdict.PROVED, Verdict.EXACT)
"""The verdicts under which something is shown."""


@dataclass(frozen=True)
class Reread:
    """A certificate whose text, evidence and proof agree.

    ``name``: of its file; ``sha256``: of the file's bytes, in hexadecimal digits; ``digest``: the
    one that the certificate states of itself. ``proof``: what the independent checker says of its
    proof, None where it has none. ``command``: the one that makes it again, empty where that says
    otherwise than the certificate.
    """

    name: str
    sha256: str
    digest: str
    certificate: Certificate
    proof: Check | None
    command: str

    @property
    def shown(self) -> bool:
        """Whether its claim is shown, and not only stated."""
        return self.certificate.verdict in SHOWING

    @property
    def rechecked(self) -> bool:
        """Whether the independent checker found the claim in its proof."""
        return self.proof is not None and self.proof.status is Status.CONFIRMED


def reread(text: str, name: str) -> Reread:
    """A certificate of its text; ``name``: of its file.

    Raises InputError for another document, and for a certificate whose text was changed, whose
    verdict its own evidence does not entail, or whose proof the independent checker rejects.

    Guarantee
    ---------
    The verdict is the one that follows from the evidence that the text holds, and no proof was
    rejected. The audit is not run again: that the evidence is true is left to `audit.verify`.
    Backed by ``tests/audit/review/attestations/test_rereading.py``.
    """
    plain = read_certificate(text, name)
    document = decode(plain)
    certificate = Certificate.of(document)
    fault = None
    proof = None
    if document.digest != digest(plain):
        fault = "its text was changed after it was written"
    elif certificate.verdict is not document.verdict:
        found = certificate.verdict.value
        fault = f"its evidence entails {found}, and it states {document.verdict.value}"
    else:
        proof = recheck_proof(plain)
    if proof is not None and proof.status is Status.FALSE:
        fault = f"the independent checker rejects its proof ({proof.note})"
    if fault is not None:
        raise InputError(
            f"{name} is not attested: {fault}. Make the certificate again with dp-audit certify"
        )
    command = "" if contradiction(document) else document.reproduce
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Reread(name, sha256, document.digest, certificate, proof, command)
