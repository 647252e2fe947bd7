"""``dp-audit account``: what a composition costs, by every rule that applies."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.accounts import account


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "ledgers",
        nargs="+",
        metavar="LEDGER",
        help="an expression such as '1000 * gaussian(sigma=30)' or 'best_of(laplace(scale=1), "
        "expected=10)', a list of them (.toml), or what release --ledger wrote (.json); several "
        "add up; - reads an expression",
    )
    parser.add_argument("--delta", metavar="D", help="give epsilon at this delta")
    parser.add_argument("--epsilon", metavar="E", help="give delta at this epsilon instead")
    common.add_relation(parser, required=False, default="that of the ledgers")
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print both ends and what every rule gives; exit code 0."""
    files = [ledger for ledger in flags.ledgers if ledger.endswith((".json", ".toml"))]
    common.require_writable(flags.json, flags.html, inputs=files)
    result = account(*flags.ledgers, **common.arguments(account, flags))
    streams.deliver(result, flags)
    return result.exit_code
