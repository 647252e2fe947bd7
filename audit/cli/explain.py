"""``dp-audit explain``: a proof as text that a person can follow."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Group

from audit.cli import common, streams
from audit.report.certificate.proof import proof_lines
from audit.report.words import clean
from audit.statements import strict_json
from dp_audit.results import Result, plain_lines
from proofs.derivation import replay
from proofs.older import translate
from synthesizers.errors import InputError

EXPECTED = "a certificate, or what account or calibrate wrote with --json"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "document", metavar="CERT.json", help="a certificate or accounting, or - for standard input"
    )
    common.add_output(parser)


@dataclass(frozen=True, repr=False)
class ProofResult(Result):
    """A proof, made again by the kernel."""

    derivation: Mapping[str, Any]
    soft_wrap = True

    def summary(self) -> str:
        """What is proved."""
        return clean(list(proof_lines(self.derivation))[-1])

    def lines(self) -> Group:
        """Its steps."""
        return plain_lines(list(proof_lines(self.derivation)))

    def to_json(self) -> dict[str, Any]:
        """Its steps as text, and as data."""
        steps = [clean(line) for line in proof_lines(self.derivation)]
        return {"steps": steps, "derivation": dict(self.derivation)}


def run(flags: argparse.Namespace) -> int:
    """Print the proof, made again by the kernel; exit code 0."""
    common.require_writable(flags.json, inputs=(flags.document,))
    if flags.document == "-":
        document = strict_json.parse(strict_json.read_input(), "standard input", EXPECTED)
    else:
        text = strict_json.read_text(flags.document)
        document = strict_json.parse(text, flags.document, EXPECTED)
    data = translate(_derivation(document))
    # Nothing of a stranger's proof is printed that does not follow.
    replay(data)
    streams.deliver(ProofResult(data), flags)
    return 0


def _derivation(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The derivation that a document carries, or is."""
    proof = document.get("proof", {"derivation": document} if "steps" in document else None)
    if isinstance(proof, Mapping) and isinstance(proof.get("derivation"), Mapping):
        found: Mapping[str, Any] = proof["derivation"]
        return found
    if "verdict" in document:
        raise InputError(
            f"the certificate carries no proof: its verdict is {str(document['verdict'])[:40]}, by "
            "other evidence"
        )
    raise InputError(f"there is no proof in it; expected {EXPECTED}")
