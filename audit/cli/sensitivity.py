"""``dp-audit sensitivity``: the largest change of a function between neighbours, beside a claim."""

from __future__ import annotations

import argparse

from audit.auditors.sensitivity.isolated import SECONDS
from audit.auditors.sensitivity.search import EXAMPLES
from audit.cli import common, streams
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
    parser.add_argument(
        "--tolerance",
        metavar="T",
        help="the share of what is declared that is forgiven beyond it (default: what rounding "
        "can do, by the same function on exact numbers, or to a sum; at most a billionth)",
    )
    common.add_limits(parser, f"{SECONDS:g}")
    common.add_relation(parser, required=True)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the findings; 1 where the declaration is exceeded by more than rounding."""
    common.require_writable(flags.json, flags.html, inputs=(flags.domain,))
    result = sensitivity(**common.arguments(sensitivity, flags))
    streams.deliver(result, flags)
    return result.exit_code
