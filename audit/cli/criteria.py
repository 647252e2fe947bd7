"""``dp-audit criteria``: what a board asks of reports, and whether it is so."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.acceptance import criteria


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("asked", metavar="CRITERIA.toml", help="the file of criteria")
    parser.add_argument(
        "reports",
        nargs="+",
        metavar="REPORT.json",
        help="a certificate, or what a command wrote with --json",
    )
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the decision; 0 if all is met, 1 if something is not, 3 if something is open."""
    common.require_writable(flags.json, flags.html, inputs=(flags.asked, *flags.reports))
    result = criteria(flags.asked, *flags.reports)
    streams.deliver(result, flags)
    return result.exit_code
