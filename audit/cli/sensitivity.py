"""``dp-audit sensitivity``: the largest change of a function between neighbours, beside a claim."""

from __future__ import annotations

import argparse

from audit.auditors.sensitivity.isolated import SECONDS
from audit.auditors.sensitivity.search import EXAMPLES
from audit.cli import common, streams
from dp_audit.arguments import optional_number, whole_number
from dp_audit.sensitivities import sensitivity


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "function",
        metavar="module:function",
        help="f(records) -> a number or numbers; a record maps attributes to values",
    )
    parser.add_argument(
        "--declared", required=True, metavar="BOUNDS", help="'l1=1', 'l2_squared=2, linf=1', …"
    )
    common.add_domain(parser)
    parser.add_argument(
        "--floats",
        metavar="NAME=LOW..HIGH",
        help="records of one attribute, a float within bounds, instead of a domain",
    )
    parser.add_argument(
        "--records",
        nargs="+",
        metavar="N",
        help="databases of N records, 0 to N where n is private; several (default: of any size)",
    )
    parser.add_argument(
        "--examples", metavar="K", help=f"pairs that a search makes up (default: {EXAMPLES})"
    )
    parser.add_argument("--seed", metavar="S", help="of the search (default: 0)")
    common.add_limits(parser, f"{SECONDS:g}")
    common.add_relation(parser, required=True)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the findings; 1 where the declaration is exceeded."""
    common.require_writable(flags.json, flags.html, inputs=(flags.domain,))
    records = flags.records
    result = sensitivity(
        flags.function,
        flags.declared,
        neighbours=flags.neighbours,
        unit=flags.unit,
        max_records=flags.max_records,
        cells=flags.cells,
        domain=flags.domain,
        floats=flags.floats,
        records=records and [whole_number(text, "--records", 1) for text in records],
        examples=optional_number(flags.examples, "--examples"),
        seed=optional_number(flags.seed, "--seed"),
        seconds=optional_number(flags.seconds, "--seconds", 1),
        megabytes=optional_number(flags.megabytes, "--megabytes", 1),
    )
    streams.deliver(result, flags)
    return result.exit_code
