"""``dp-audit domain``: a draft of a domain file, from what is publicly known."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from audit.cli import common, streams
from dp_audit.domains import domain
from synthesizers.errors import InputError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "columns",
        nargs="*",
        metavar="NAME:TYPE",
        help="a column: number, category, boolean, date, datetime, time or id",
    )
    parser.add_argument(
        "--from-schema",
        metavar="FILE",
        help="a schema of SDNist, SDV or SDMetrics, Frictionless Data or DeID2 (JSON)",
    )
    parser.add_argument(
        "--from-public-table", metavar="FILE", help="a public or synthetic table: CSV or Parquet"
    )
    parser.add_argument(
        "--from-confidential-table",
        metavar="FILE",
        help="the confidential table: says what the draft gives away",
    )
    parser.add_argument("--table", metavar="NAME", help="the table that is meant, of several")
    parser.add_argument(
        "--bins",
        action="append",
        metavar="[COLUMN=]K",
        help="bins of columns of numbers: at percentiles of a table, of equal width by a schema",
    )
    parser.add_argument(
        "--apart",
        action="append",
        metavar="COLUMN=CODE",
        help="a number that is a code, with a bin of its own; repeat",
    )
    parser.add_argument(
        "--id", dest="individual", metavar="COLUMN", help="the column that says whose record it is"
    )
    parser.add_argument("--out", metavar="FILE", help="write the draft; without it, it is printed")
    common.add_output(parser)


def run(flags: argparse.Namespace) -> int:
    """Write or print the draft, and say what it leaves open; exit code 0."""
    tables = (flags.from_public_table, flags.from_confidential_table)
    common.require_writable(flags.out, flags.json, inputs=(flags.from_schema, *tables))
    if flags.out is not None and Path(flags.out).exists():
        raise InputError(f"{flags.out} is there already; choose another --out, or remove it")
    printed = flags.out is None and flags.json in (None, "-")
    if flags.from_confidential_table is not None and printed:
        raise InputError("a draft of the confidential table holds values of it: give --out FILE")
    result = domain(**common.arguments(domain, flags))
    streams.deliver(result, flags, {flags.out: result.toml}, printed=flags.out is not None)
    if flags.out is None and flags.json != "-":
        _print(result.toml)
        streams.talk_console(flags.quiet).print(result.lines(), soft_wrap=True)
    return result.exit_code


def _print(toml: str) -> None:
    """Put the file out as it would be written: TOML is UTF-8, whatever the terminal's letters."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")
    sys.stdout.write(toml)
