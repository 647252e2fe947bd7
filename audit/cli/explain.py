"""``dp-audit explain``: a proof as text that a person can follow."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from rich.text import Text

from audit.cli import streams
from audit.report.certificate.proof import proof_lines
from audit.report.words import clean
from audit.statements import strict_json
from proofs.derivation import replayed
from synthesizers.errors import InputError

EXPECTED = "a certificate, or what account or calibrate wrote with --json"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "document", metavar="CERT.json", help="a certificate or accounting, or - for standard input"
    )


def run(flags: argparse.Namespace) -> int:
    """Print the proof, made again by the kernel; exit code 0."""
    if flags.document == "-":
        document = strict_json.parse(strict_json.read_input(), "standard input", EXPECTED)
    else:
        text = strict_json.read_text(flags.document)
        document = strict_json.parse(text, flags.document, EXPECTED)
    data = _derivation(document)
    # Nothing of a stranger's proof is printed that does not follow.
    replayed(data)
    console = streams.output_console()
    for line in proof_lines(data):
        console.print(Text(clean(line)), soft_wrap=True)
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
