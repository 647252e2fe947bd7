"""``dp-audit split``: a confidential table in two halves, by a coin for each record."""

from __future__ import annotations

import argparse

from audit.cli import streams
from audit.subjects.splits import HOLDOUT, RECORD, TRAINING, write_split


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("table", help="the confidential table (.csv)")
    parser.add_argument("--out", required=True, metavar="DIR", help="where the three files go")
    parser.add_argument("--quiet", action="store_true", help="no talk")


def run(flags: argparse.Namespace) -> int:
    """Write both halves and the record, and print the record's digest; exit code 0."""
    digest = write_split(flags.table, flags.out)
    print(f"sha256:{digest}")
    streams.talk_console(flags.quiet).print(
        f"train on {TRAINING}; keep {HOLDOUT} and {RECORD} from whoever trains; publish the digest "
        "now, so that the split is known to be older than the release",
        markup=False,
    )
    return 0
