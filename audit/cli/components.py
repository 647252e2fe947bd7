"""``dp-audit components``: the calls of noise inside a function, line by line, beside a claim."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from audit.statements.limits import Limits
from dp_audit.component_mode import components


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "subject",
        metavar="module:function",
        help="f(database, rng), f(database, rng, runs), or an estimator with fit and sample",
    )
    parser.add_argument(
        "--declared", required=True, metavar="CLAIM", help="'epsilon=1', 'rho=0.5', 'mu=1', …"
    )
    common.add_domain(parser)
    parser.add_argument(
        "--floats",
        metavar="NAME=LOW..HIGH",
        help="records of one attribute, a float within bounds, instead of a domain",
    )
    parser.add_argument("--records", metavar="N", help="of a database, at most; exactly, if public")
    parser.add_argument("--rows", metavar="M", help="an estimator's public number of rows")
    parser.add_argument(
        "--record",
        action="append",
        metavar="module:attribute",
        help="a function that is recorded as one call of noise; with =laplace(scale=b) its law",
    )
    common.add_settings(parser)
    common.add_python(parser)
    parser.add_argument(
        "--doubles",
        action="store_true",
        default=None,
        help="count what the low bits of floats tell (default: the claim is of real numbers)",
    )
    parser.add_argument("--seed", metavar="S", help="of the recorded runs (default: 0)")
    common.add_limits(parser, f"{Limits().seconds:g}")
    common.add_relation(parser, required=True)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the findings; 1 where something is violated, 3 where something is left open."""
    common.require_writable(flags.json, flags.html, inputs=(flags.domain,))
    result = components(**common.arguments(components, flags))
    streams.deliver(result, flags)
    return result.exit_code
