"""``dp-audit release``: run a program on real data and write what it returns."""

from __future__ import annotations

import argparse
import json

from rich.markup import escape

from audit.cli import common, streams
from audit.release import Wanted, ledger_json, release
from synthesizers.events import Event, is_seed
from synthesizers.neighbours import ReplaceOne, describe
from synthesizers.plan import describe as describe_event
from synthesizers.schemas import load_domain
from synthesizers.tables import write_table


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
    parser.add_argument("--rows", metavar="M", help="public output size; needed where n is private")
    common.add_relation(parser, required=False)
    common.add_settings(parser)
    common.add_as_program(parser)


def run(flags: argparse.Namespace) -> int:
    """Write the synthetic table and the ledger; exit code 0."""
    common.require_writable(flags.out, flags.ledger, inputs=(flags.data, flags.domain))
    if flags.neighbours is None:
        flags.neighbours = ReplaceOne.name
    relation = common.relation(flags)
    wanted = Wanted(
        flags.program,
        flags.data,
        load_domain(flags.domain),
        relation,
        common.settings(flags.set),
        common.optional_number(flags.rows, "--rows"),
        flags.certificate,
        flags.trust_subject,
    )
    talk = streams.talk_console(flags.quiet)
    with talk.status("asking") as status:

        def progress(asked: int, event: Event) -> None:
            generating = "; generating" if is_seed(event) else ""
            status.update(escape(f"question {asked}: {describe_event(event)}{generating}"))

        made = release(wanted, progress)
    write_table(made.table, flags.out)
    if flags.ledger:
        document = ledger_json(made.subject, made.setting, made.budget, made.run)
        common.write_text(flags.ledger, json.dumps(document, indent=1) + "\n")
    talk.print(
        f"{flags.out}: {made.table.records} synthetic records ({describe(relation)})", markup=False
    )
    talk.print(made.guarantee, markup=False)
    return 0
