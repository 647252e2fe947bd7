"""``dp-audit stability``: the map of a transformation, beside the distances of its outputs."""

from __future__ import annotations

import argparse

from audit.auditors.sensitivity.isolated import SECONDS
from audit.auditors.stability.examine import EXAMPLES, RECORDS
from audit.cli import common, streams
from dp_audit.stabilities import stability


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "transformation",
        metavar="module:attribute",
        help="a transformation of OpenDP, an object with its attributes, or a function without "
        "parameters that makes one",
    )
    parser.add_argument(
        "--distance", metavar="D", help="of inputs, by the transformation's metric (default: 1)"
    )
    parser.add_argument(
        "--values",
        metavar="LIST",
        help="what inputs are made of, as Python: \"['a', 'b']\" (default: by the domain)",
    )
    parser.add_argument(
        "--records", metavar="N", help=f"tables of at most N records, all of them ({RECORDS})"
    )
    parser.add_argument(
        "--examples", metavar="K", help=f"larger tables that are made up ({EXAMPLES})"
    )
    parser.add_argument("--seed", metavar="S", help="of these (default: 0)")
    common.add_python(parser)
    common.add_limits(parser, f"{SECONDS:g}")
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the finding; 1 where outputs lie farther apart than the map says."""
    common.require_writable(flags.json, flags.html)
    result = stability(**common.arguments(stability, flags))
    streams.deliver(result, flags)
    return result.exit_code
