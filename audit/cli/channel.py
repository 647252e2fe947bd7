"""``dp-audit channel``: the exact channel of a program on a small domain, or of a file."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.arguments import relation
from dp_audit.channels import channel
from synthesizers.neighbours import ReplaceOne, describe


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "program",
        help="a built-in name (see list), module:attribute, command:PATH, or a channel file (.csv, "
        ".parquet, .json)",
    )
    common.add_domain(parser)
    parser.add_argument("--records", metavar="N", help="records of the databases")
    parser.add_argument("--rows", metavar="M", help="public output size (default: N)")
    parser.add_argument(
        "--epsilon", dest="epsilons", action="append", metavar="E", help="for delta; repeat"
    )
    parser.add_argument(
        "--prior", metavar="P", help="what the attacker thinks of one of two databases (1/2)"
    )
    parser.add_argument(
        "--optimum", metavar="E", help="epsilon of the optimum (default: the program's own)"
    )
    parser.add_argument("--exact", action="store_true", help="fractions and certified enclosures")
    parser.add_argument(
        "--rounded", action="store_true", help="a channel file's decimals are rounded"
    )
    parser.add_argument("--csv", metavar="FILE", help="write the channel as CSV")
    common.add_relation(parser, required=False)
    common.add_released(parser)
    common.add_settings(parser)
    common.add_jobs(parser)
    common.add_output(parser, html=True)
    common.add_as_program(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the channel and its measures, write the files asked for; exit code 0."""
    inputs = (flags.domain, flags.program)
    common.require_writable(flags.json, flags.csv, flags.html, inputs=inputs)
    neighbours = flags.neighbours or ReplaceOne.name
    talk = streams.talk_console(flags.quiet)
    talk.print(describe(relation(neighbours, flags.unit, flags.max_records)), markup=False)
    with streams.follow(talk) as progress:
        whole = flags.csv is not None
        result = channel(**common.arguments(channel, flags), whole=whole, progress=progress)
    texts = {} if flags.csv is None else {flags.csv: result.csv_text()}
    streams.deliver(result, flags, texts)
    return result.exit_code
