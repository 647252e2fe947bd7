"""``dp-audit self-test``: the auditors on liars and honest controls."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

from rich.console import Group

from audit.cli import common, streams
from audit.parallel import local
from audit.report.certificate.self_test import self_test_lines
from audit.self_test.run import SelfTest, Unexamined, choose_liars, self_test
from dp_audit.arguments import process_count
from dp_audit.results import Result
from synthesizers.errors import InputError

BROKEN = 70
"""The exit code where a liar goes free or an honest case is accused: a fault of ours."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("--quick", action="store_true", help="the short form, within a minute")
    parser.add_argument("--only", metavar="NAME", help="one liar, or those of one honest case")
    common.add_jobs(parser)
    common.add_output(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the table; 0 if every liar was caught and nobody honest accused."""
    common.require_writable(flags.json)
    if flags.quick and flags.only is not None:
        raise InputError("--quick and --only both choose liars: give one of them")
    liars = choose_liars(flags.quick, flags.only)
    form = "quick" if flags.quick else "whole" if flags.only is None else "chosen"
    with streams.follow(streams.talk_console(flags.quiet)) as progress:
        try:
            found = self_test(
                liars,
                form,
                local(process_count(flags.jobs)),
                lambda done, total: progress("examining", done, total, ""),
            )
        except Unexamined as error:
            # Said even with --quiet: it is no talk.
            print(f"dp-audit: {error}", file=sys.stderr)
            return BROKEN
    result = SelfTestResult(found)
    streams.deliver(result, flags)
    return result.exit_code


@dataclass(frozen=True, repr=False)
class SelfTestResult(Result):
    """The auditors on liars and on honest controls."""

    table: SelfTest

    @property
    def exit_code(self) -> int:
        """0 if every liar was caught and nobody honest accused."""
        return 0 if self.table.ok else BROKEN

    def summary(self) -> str:
        """Whether the auditors are sound, and see what they should."""
        return f"{len(self.table.liars)} liars: {'all' if self.table.ok else 'not all'} as expected"

    def lines(self) -> Group:
        """The table."""
        return Group(*self_test_lines(self.table))

    def to_json(self) -> dict[str, Any]:
        """The table, with the code that it was made by."""
        return self.table.to_json()
