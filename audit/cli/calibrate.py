"""``dp-audit calibrate``: the least noise for a claim, with the theorem that it suffices."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.accounts import calibrate
from proofs.ledger.least_noise import MORE_NOISE_IS_LARGER


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("noise", metavar="NOISE", help=", ".join(MORE_NOISE_IS_LARGER))
    parser.add_argument("--claim", required=True, help="such as 'epsilon=1, delta=1e-6'")
    parser.add_argument("--count", default="1", metavar="K", help="runs in all (default: 1)")
    parser.add_argument(
        "--sensitivity",
        default="1",
        metavar="S",
        help="of one run, under the stated neighbours (default: 1)",
    )
    common.add_relation(parser, required=True)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the noise; exit code 0."""
    common.require_writable(flags.json, flags.html)
    result = calibrate(**common.arguments(calibrate, flags))
    streams.deliver(result, flags)
    return result.exit_code
