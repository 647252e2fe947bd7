"""``dp-audit self-test``: the auditors on liars and honest controls."""

from __future__ import annotations

import argparse
import json
import sys

from audit.cli import common, streams
from audit.parallel import local
from audit.report.certificate.self_test import self_test_lines
from audit.self_test.run import Unexamined, chosen, self_test
from synthesizers.errors import InputError

BROKEN = 70
"""The exit code where a liar goes free or an honest case is accused: a fault of ours."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("--quick", action="store_true", help="the short form, within a minute")
    parser.add_argument("--only", metavar="NAME", help="one liar, or those of one honest case")
    parser.add_argument("--jobs", metavar="N", help="processes (default: the cores)")
    parser.add_argument("--json", metavar="FILE", help="write all findings")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")


def run(flags: argparse.Namespace) -> int:
    """Print the table; 0 if every liar was caught and nobody honest accused."""
    common.require_writable(flags.json)
    if flags.quick and flags.only is not None:
        raise InputError("--quick and --only both choose liars: give one of them")
    liars = chosen(flags.quick, flags.only)
    form = "quick" if flags.quick else "whole" if flags.only is None else "chosen"
    talk = streams.talk_console(flags.quiet)
    with streams.progress_bar(talk, "examining", "cases") as report:
        try:
            found = self_test(liars, form, local(common.jobs(flags.jobs)), report)
        except Unexamined as error:
            # Said even with --quiet: it is no talk.
            print(f"dp-audit: {error}", file=sys.stderr)
            return BROKEN
    if flags.json is not None:
        common.write_text(flags.json, json.dumps(found.to_json(), indent=2) + "\n")
    console = streams.output_console()
    for line in self_test_lines(found):
        console.print(line)
    return 0 if found.ok else BROKEN
