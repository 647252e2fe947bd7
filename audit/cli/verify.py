"""``dp-audit verify``: re-check a certificate without trusting whoever wrote it."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.verification import verify


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("certificate", help="a certificate file, or - for standard input")
    parser.add_argument(
        "--subject",
        metavar="NAME",
        help="the certificate's, if it can only be run and lies outside its folder",
    )
    common.add_folder(parser)
    common.add_python(parser)
    common.add_jobs(parser)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print what was re-checked; 0, 1 (false or altered) or 3 (not re-checked)."""
    common.require_writable(flags.json, flags.html, inputs=(flags.certificate,))
    result = verify(**common.arguments(verify, flags))
    streams.deliver(result, flags)
    return result.exit_code
