"""``dp-audit channel``: the exact channel of a program on a small domain."""

from __future__ import annotations

import argparse
import contextlib
import json

from audit.auditors.exhaustive import ALWAYS_EXACT
from audit.channels.analysis import Analysis, Wishes, analyse, analyse_streamed
from audit.channels.channel import Channel
from audit.channels.enumerate import MAX_ENTRIES, channel_of, instance
from audit.channels.measures.attacker import EVENS
from audit.channels.streamed import streamed_channel
from audit.cli import common, streams
from audit.report.channel.document import to_json
from audit.report.channel.terminal import analysis_lines
from audit.report.html import render
from audit.report.page import AnalysisSection, Page
from audit.subjects.matrix import write_channel
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from synthesizers.curator import Setting
from synthesizers.errors import InputError, TooLargeError
from synthesizers.events import Databases
from synthesizers.exact import parse_rational
from synthesizers.neighbours import ReplaceOne, describe
from synthesizers.plan import plan


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "program", help="a built-in name (see list), module:attribute or command:PATH"
    )
    parser.add_argument("--cells", metavar="K", help="cells of the domain: 4, or 2x3")
    parser.add_argument("--domain", metavar="FILE", help="a domain file instead of --cells")
    parser.add_argument("--records", required=True, metavar="N", help="records of the databases")
    parser.add_argument("--rows", metavar="M", help="public output size (default: N)")
    parser.add_argument("--epsilon", action="append", metavar="E", help="for delta; repeat")
    parser.add_argument(
        "--prior", metavar="P", help="what the attacker thinks of one of two databases (1/2)"
    )
    parser.add_argument(
        "--optimum", metavar="E", help="epsilon of the optimum (default: the program's own)"
    )
    parser.add_argument("--exact", action="store_true", help="fractions and certified enclosures")
    for name in ("json", "csv", "html"):
        parser.add_argument(f"--{name}", metavar="FILE", help=f"write {name.upper()}")
    common.add_relation(parser, required=False)
    common.add_released(parser)
    common.add_settings(parser)
    common.add_as_program(parser)


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
    wishes = _wishes(flags)
    subject = program_subject(flags.program, common.settings(flags.set))
    talk = streams.talk_console(flags.quiet)
    talk.print(describe(relation), markup=False)
    analysis = _analysis(flags, subject, setting, instance(setting, size), wishes)
    if flags.json:
        common.write_text(flags.json, json.dumps(to_json(analysis, flags.exact), indent=1) + "\n")
    if flags.csv:
        _write_csv(analysis, flags.csv, flags.exact)
    if flags.html:
        title = f"{subject.name}: {size} records, {domain.size} cells"
        section = AnalysisSection(title, analysis)
        lead = "The exact law of every output under every database, and what follows from it."
        common.write_text(flags.html, render(Page(title, lead, (section,))))
    streams.output_console().print(analysis_lines(analysis))
    return 0


def _wishes(flags: argparse.Namespace) -> Wishes:
    epsilons = common.epsilons(flags.epsilon)
    prior, optimum = EVENS, None
    if flags.prior is not None:
        prior = parse_rational(flags.prior, "--prior")
        if not 0 < prior < 1:
            raise InputError(f"--prior is a probability between 0 and 1, found {flags.prior!r}")
    if flags.optimum is not None:
        optimum = parse_rational(flags.optimum, "--optimum")
        if optimum < 0:
            raise InputError(f"--optimum must not be negative, found {flags.optimum!r}")
    return Wishes(epsilons, prior, optimum)


def _analysis(
    flags: argparse.Namespace,
    subject: ProgramSubject,
    setting: Setting,
    databases: Databases,
    wishes: Wishes,
) -> Analysis:
    """The analysis of the channel held whole, or streamed where that alone is affordable."""
    talk, jobs = streams.talk_console(flags.quiet), common.jobs(flags.jobs)
    products = plan(subject.program, setting, databases).products
    streamed = None
    if products > MAX_ENTRIES and not flags.exact:
        # What several answers lead to may still be few enough to hold.
        with contextlib.suppress(TooLargeError):
            streamed = streamed_channel(subject.program, setting, databases, flags.released)
    if streamed is not None:
        if flags.csv:
            raise InputError("the channel is too large to be written; leave --csv out")
        with streams.progress_bar(talk, "measuring", *streams.TRANSCRIPTS) as progress:
            return analyse_streamed(streamed, wishes, jobs, progress)
    with streams.progress_bar(talk, "enumerating", *streams.TRANSCRIPTS) as progress:
        channel = channel_of(
            subject.program,
            setting,
            databases=databases,
            released=flags.released,
            exact=flags.exact or products <= ALWAYS_EXACT,
            jobs=jobs,
            progress=progress,
        ).channel
    talk.print(f"measuring {len(channel.pairs)} pairs of neighbours", markup=False)
    return analyse(channel, wishes)


def _write_csv(analysis: Analysis, path: str, exact: bool) -> None:
    assert isinstance(analysis.channel, Channel)
    write_channel(analysis.channel, path, exact)
