"""``dp-audit calibrate``: the least noise for a claim, with the theorem that it suffices."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from audit.cli import common, streams
from audit.report.accounting import DIGITS, relation_json, rests_on
from audit.report.words import above
from audit.statements.decimals import decimal_above
from proofs.derivation import derivation
from proofs.guarantees import parse_guarantee
from proofs.search.noise import MORE_NOISE_IS_LARGER, calibrated
from synthesizers.exact import parse_rational
from synthesizers.neighbours import describe
from synthesizers.numerals import number_text


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("noise", metavar="NOISE", help=", ".join(MORE_NOISE_IS_LARGER))
    parser.add_argument("--claim", required=True, help="such as 'epsilon=1, delta=1e-6'")
    parser.add_argument("--count", default="1", metavar="K", help="runs in all (default: 1)")
    parser.add_argument(
        "--sensitivity",
        default="1",
        metavar="S",
        help="of one run, under the stated neighbours (default: 1)",
    )
    parser.add_argument("--json", metavar="FILE", help="write the parameter and the proof")
    common.add_relation(parser, required=False, default="add-remove")


def run(flags: argparse.Namespace) -> int:
    """Print the noise; exit code 0."""
    common.require_writable(flags.json)
    claimed = parse_guarantee(flags.claim)
    if flags.neighbours is None:
        flags.neighbours = "add-remove"
    neighbours = common.relation(flags)
    count = common.whole_number(flags.count, "--count", 1)
    sensitivity = parse_rational(flags.sensitivity, "--sensitivity")
    name = flags.noise.replace("-", "_")
    found = calibrated(name, claimed, count, sensitivity, neighbours)
    if flags.json:
        document = {
            "noise": name,
            found.parameter: str(found.value),
            "count": count,
            "sensitivity": str(sensitivity),
            "claim": str(claimed),
            **relation_json(neighbours),
            "rule": found.offer.rule,
            "reached": decimal_above(found.offer.value, DIGITS),
            "kernel_only": found.offer.kernel_only,
            "proof": {"derivation": derivation(found.offer.theorem)},
        }
        common.write_text(flags.json, json.dumps(document, indent=1) + "\n")
    console = streams.output_console()
    lines = [
        str(found.term),
        f"{found.parameter} = {number_text(found.value)} keeps {claimed} ({describe(neighbours)})",
        f"by {found.offer.rule}: at most {above(found.offer.value, DIGITS)}"
        + ("  (kernel only)" if found.offer.kernel_only else ""),
        "",
        *rests_on(found.offer.theorem),
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    return 0
