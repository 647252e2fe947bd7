"""``dp-audit verify``: re-check a certificate without trusting whoever wrote it."""

from __future__ import annotations

import argparse
import sys

from rich.table import Table
from rich.text import Text

from audit.cli import common, streams
from audit.parallel import local
from audit.statements import strict_json
from audit.statements.strict_json import MAX_BYTES
from audit.verify import read_certificate, verify


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("certificate", help="a certificate file, or - for standard input")
    parser.add_argument(
        "--subject",
        metavar="NAME",
        help="the certificate's, if it can only be run and lies outside this folder",
    )
    parser.add_argument("--jobs", metavar="N", help="processes (default: all cores)")


def run(flags: argparse.Namespace) -> int:
    """Print what was re-checked; 0, 1 (false or altered) or 3 (not re-checked)."""
    if flags.certificate == "-":
        document = read_certificate(sys.stdin.read(MAX_BYTES + 1), "standard input")
    else:
        text = strict_json.read_text(flags.certificate)
        document = read_certificate(text, flags.certificate)
    verification = verify(document, flags.subject, local(common.jobs(flags.jobs)))
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("statement", "result", "note"):
        table.add_column(heading, overflow="fold")
    for check in verification.checks:
        table.add_row(*map(_plain, (check.statement, check.status.value, check.note)))
    streams.output_console().print(table)
    return verification.exit_code


def _plain(text: str) -> Text:
    """Text of a stranger's document: no markup, no control sequences, no broken characters."""
    return Text("".join(c if c.isprintable() else "?" for c in text))
