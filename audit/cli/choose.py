"""``dp-audit choose``: which of several tables is nearest to private data, at a stated epsilon."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from audit.report.json_text import json_text
from dp_audit.choices import choose


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "candidates",
        nargs="+",
        metavar="SYNTH.csv",
        help="public tables, or releases of their own: what they cost is not counted here",
    )
    parser.add_argument("--data", required=True, metavar="FILE", help="the private table")
    parser.add_argument("--domain", required=True, metavar="FILE", help="a domain file (TOML)")
    parser.add_argument("--epsilon", required=True, metavar="E", help="what all of it may cost")
    parser.add_argument(
        "--column",
        dest="columns",
        action="append",
        metavar="NAME",
        help="compare marginals of these columns alone; repeat; default: all of the domain",
    )
    parser.add_argument("--degree", metavar="K", help="the most columns of a marginal (2)")
    parser.add_argument(
        "--telling",
        metavar="SHARE",
        help="the share of epsilon that tells how near the chosen table is (1/2); 0: not told",
    )
    parser.add_argument(
        "--error", metavar="P", help="the chance that it is not as near as it is told (1/20)"
    )
    parser.add_argument(
        "--rows", metavar="M", help="the public number of records, needed where n is private"
    )
    parser.add_argument(
        "--drop",
        action="append",
        metavar="COLUMN",
        help="leave out a column that the domain does not declare; repeat",
    )
    parser.add_argument("--ledger", metavar="LEDGER.json", help="what was asked, and its cost")
    common.add_relation(parser, required=False)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the choice and write its ledger; exit code 0."""
    outputs = (flags.json, flags.html, flags.ledger)
    common.require_writable(*outputs, inputs=(*flags.candidates, flags.data, flags.domain))
    result = choose(**common.arguments(choose, flags))
    streams.deliver(result, flags, {flags.ledger: json_text(result.ledger())})
    return result.exit_code
