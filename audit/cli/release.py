"""``dp-audit release``: run a program on real data and write what it returns."""

from __future__ import annotations

import argparse
from pathlib import Path

from audit.cli import common, streams
from audit.report.json_text import json_text
from dp_audit.arguments import process_count
from dp_audit.releases import release


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "program", help="a built-in name (see list), module:attribute or command:PATH"
    )
    parser.add_argument("--data", required=True, metavar="FILE", help="CSV or Parquet")
    parser.add_argument("--domain", required=True, metavar="FILE", help="a domain file (TOML)")
    parser.add_argument("--out", required=True, metavar="SYNTH.csv", help="the synthetic table")
    parser.add_argument("--ledger", metavar="LEDGER.json", help="what was asked, and its cost")
    parser.add_argument(
        "--certificate",
        metavar="CERT.json",
        help="keep to the questions and the budget of this certificate about the program",
    )
    parser.add_argument(
        "--trust-subject",
        action="store_true",
        help="run a program of a module even where nothing here can keep it from the data",
    )
    parser.add_argument(
        "--drop",
        action="append",
        metavar="COLUMN",
        help="leave out a column that the domain does not declare; repeat",
    )
    parser.add_argument(
        "--numbers-within-bins",
        action="store_true",
        help="put out a number for each bin, drawn within it by public randomness",
    )
    parser.add_argument(
        "--rows",
        metavar="M",
        help="public output size; needed where n is private, and best near the number of records "
        "that you expect: geometric-sanitizer cuts every count off there",
    )
    common.add_relation(parser, required=False)
    common.add_settings(parser)
    common.add_jobs(parser)
    common.add_output(parser)
    common.add_as_program(parser)


def run(flags: argparse.Namespace) -> int:
    """Write the synthetic table and the ledger; exit code 0."""
    outputs = (flags.out, flags.ledger, flags.json)
    common.require_writable(*outputs, inputs=(flags.data, flags.domain))
    # No question takes several processes yet; a word that is no number is refused all the same.
    process_count(flags.jobs)
    talk = streams.talk_console(flags.quiet)
    with streams.follow(talk) as progress:
        result = release(**common.arguments(release, flags), progress=progress)
    if flags.ledger and Path(flags.ledger).exists():
        talk.print(
            f"{flags.ledger} takes the place of an earlier release's ledger; that release still "
            "counts, and costs add up",
            markup=False,
        )
    result.write_table(flags.out)
    ledger = json_text(result.ledger())
    streams.deliver(result, flags, {flags.ledger: ledger}, printed=False)
    for line in result.described(flags.out):
        talk.print(line, markup=False)
    return result.exit_code
