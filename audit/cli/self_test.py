"""``dp-audit self-test``: the auditors on liars and honest controls."""

from __future__ import annotations

import argparse
import json
import sys

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from audit.cli import common
from audit.parallel import local
from audit.report.certificate.self_test import self_test_lines
from audit.self_test.run import Unexamined, chosen, self_test
from synthesizers.errors import InputError

BROKEN = 70
"""The exit code where a liar goes free or an honest case is accused: a fault of ours."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's flags."""
    parser = commands.add_parser(
        "self-test", help="run every auditor on programs that lie, and on honest ones"
    )
    parser.add_argument("--quick", action="store_true", help="the short form, within a minute")
    parser.add_argument("--only", metavar="NAME", help="one liar, or those of one honest case")
    parser.add_argument("--jobs", metavar="N", help="processes (default: the cores)")
    parser.add_argument("--json", metavar="FILE", help="write all findings")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    parser.set_defaults(run=run)


def run(flags: argparse.Namespace) -> int:
    """Print the table; 0 if every liar was caught and nobody honest accused."""
    common.require_writable(flags.json)
    if flags.quick and flags.only is not None:
        raise InputError("--quick and --only both choose liars: give one of them")
    liars = chosen(flags.quick, flags.only)
    form = "quick" if flags.quick else "whole" if flags.only is None else "chosen"
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
    )
    talk = common.talk_console(flags.quiet)
    with Progress(*columns, console=talk, transient=True) as bar:
        task = bar.add_task("examining", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        try:
            found = self_test(liars, form, local(common.jobs(flags.jobs)), report)
        except Unexamined as error:
            # Said even with --quiet: it is no talk.
            print(f"dp-audit: {error}", file=sys.stderr)
            return BROKEN
    if flags.json is not None:
        common.write_text(flags.json, json.dumps(found.to_json(), indent=2) + "\n")
    console = common.output_console()
    for line in self_test_lines(found):
        console.print(line)
    return 0 if found.ok else BROKEN
