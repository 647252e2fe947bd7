"""``dp-audit disclosure``: what attacks on one release gain from its records."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.disclosures import disclosure
from synthesizers.errors import InputError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("real", metavar="REAL", help="the table that the release was made from")
    parser.add_argument("synthetic", metavar="SYNTH", help="the release")
    parser.add_argument("--domain", required=True, metavar="FILE", help="a domain file")
    parser.add_argument(
        "--holdout",
        metavar="FILE",
        help="records of the same source, set aside at random before the release was made",
    )
    parser.add_argument(
        "--split",
        metavar="split.json",
        help="in place of --holdout: the record of dp-audit split; REAL is its training half",
    )
    parser.add_argument(
        "--quasi-identifiers",
        metavar="A,B,…",
        help="columns that others know (default: all but the one that is guessed)",
    )
    parser.add_argument(
        "--secret",
        dest="secrets",
        action="append",
        metavar="COLUMN",
        help="a column that is guessed; repeat (default: each other one)",
    )
    parser.add_argument(
        "--link",
        action="append",
        metavar="A,B,…",
        help="columns of one source; twice (default: both halves of the columns)",
    )
    parser.add_argument(
        "--certificate",
        dest="certificates",
        action="append",
        metavar="CERT.json",
        help="a certificate of the program that made the release; repeat",
    )
    parser.add_argument("--confidence", metavar="P", help="of the intervals (0.95)")
    parser.add_argument("--seed", metavar="S", help="of all that is drawn (0)")
    parser.add_argument(
        "--outside",
        default="refuse",
        choices=("refuse", "cell"),
        help="values that the domain does not declare: an error, or a cell of their own",
    )
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print what was found, write the files asked for; exit code 0."""
    inputs = (
        *(flags.real, flags.synthetic, flags.domain, flags.holdout, flags.split),
        *(flags.certificates or ()),
    )
    common.require_writable(flags.json, flags.html, inputs=inputs)
    if inputs.count("-"):
        raise InputError("name the tables: each is read more than once, and standard input is not")
    with streams.follow(streams.talk_console(flags.quiet)) as progress:
        result = disclosure(**common.arguments(disclosure, flags), progress=progress)
    streams.deliver(result, flags)
    return result.exit_code
