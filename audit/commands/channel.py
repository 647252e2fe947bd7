"""``dp-audit channel``: the exact channel of a program on a small domain."""

from __future__ import annotations

import argparse
import json

from audit.adapters.matrix import write_channel
from audit.adapters.synthesizer import program_subject
from audit.analysis import analyse, to_json
from audit.auditors.exhaustive import ALWAYS_EXACT
from audit.commands import common
from audit.enumerate import channel_of, instance
from audit.report.html import render
from audit.report.page import AnalysisSection, Page
from audit.report.terminal import analysis_lines
from synthesizers.curator import Setting
from synthesizers.neighbours import ReplaceOne, describe
from synthesizers.plan import plan


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's flags."""
    parser = commands.add_parser("channel", help="Pr[output | database] for every small database")
    parser.add_argument("program", help="a built-in name (see list) or module:attribute")
    parser.add_argument("--cells", metavar="K", help="cells of the domain: 4, or 2x3")
    parser.add_argument("--domain", metavar="FILE", help="a domain file instead of --cells")
    parser.add_argument("--records", required=True, metavar="N", help="records of the databases")
    parser.add_argument("--rows", metavar="M", help="public output size (default: N)")
    parser.add_argument("--epsilon", action="append", metavar="E", help="for delta; repeat")
    parser.add_argument("--exact", action="store_true", help="fractions and certified enclosures")
    for name in ("json", "csv", "html"):
        parser.add_argument(f"--{name}", metavar="FILE", help=f"write {name.upper()}")
    common.add_relation(parser, required=False)
    common.add_released(parser)
    common.add_settings(parser)
    parser.set_defaults(run=run)


def run(flags: argparse.Namespace) -> int:
    """Print the channel and its measures, write the files asked for; exit code 0."""
    common.require_writable(flags.json, flags.csv, flags.html, inputs=(flags.domain,))
    domain = common.domain(flags)
    if flags.neighbours is None:
        flags.neighbours = ReplaceOne.name
    relation = common.relation(flags)
    size = common.whole_number(flags.records, "--records")
    rows = common.optional_number(flags.rows, "--rows")
    public = size if relation.records_public else None
    setting = Setting(domain, relation, public, size if rows is None else rows)
    epsilons = common.epsilons(flags.epsilon)
    subject = program_subject(flags.program, common.settings(flags.set))
    talk = common.talk_console(flags.quiet)
    talk.print(describe(relation), markup=False)
    small = plan(subject.program, setting, instance(setting, size)).products <= ALWAYS_EXACT
    with common.progress_bar(talk, "enumerating") as progress:
        channel = channel_of(
            subject.program,
            setting,
            size=size,
            released=flags.released,
            exact=flags.exact or small,
            jobs=common.jobs(flags.jobs),
            progress=progress,
        ).channel
    analysis = analyse(channel, epsilons)
    if flags.json:
        common.write_text(flags.json, json.dumps(to_json(analysis, flags.exact), indent=1) + "\n")
    if flags.csv:
        write_channel(channel, flags.csv, flags.exact)
    if flags.html:
        title = f"{subject.name}: {size} records, {domain.size} cells"
        section = AnalysisSection(title, analysis)
        lead = "The exact law of every output under every database, and what follows from it."
        common.write_text(flags.html, render(Page(title, lead, (section,))))
    common.output_console().print(analysis_lines(analysis))
    return 0
