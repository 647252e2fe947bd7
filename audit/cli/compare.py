"""``dp-audit compare``: certificates side by side."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.comparisons import compare


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "certificates", nargs="+", metavar="CERT.json", help="two certificates or more"
    )
    parser.add_argument("--csv", metavar="FILE", help="write what is compared, a certificate a row")
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the comparison, write the files asked for; exit code 0."""
    common.require_writable(flags.json, flags.html, flags.csv, inputs=flags.certificates)
    result = compare(*flags.certificates)
    table = "" if flags.csv is None else result.csv_text()
    streams.deliver(result, flags, {flags.csv: table})
    return result.exit_code
