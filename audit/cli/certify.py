"""``dp-audit certify``: a subject and a claim make a certificate."""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from audit.auditors.registry import AUDITORS
from audit.cli import common, streams
from dp_audit.certification import certify
from dp_audit.request import ALARM, CONFIDENCE, REACHED


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "subject",
        help="a built-in name, module:attribute, command:PATH, outputs:A,B, or a channel file "
        "(.csv, .parquet, .json)",
    )
    parser.add_argument(
        "--claim",
        required=True,
        help="'epsilon=1', 'epsilon=1, delta=1e-6', 'rho=0.5', 'mu=1' or 'alpha=8, rdp=2'",
    )
    common.add_domain(parser)
    parser.add_argument("--records", metavar="N", help="records; 0 to N where n is private")
    parser.add_argument(
        "--rows", metavar="M", help="public output size (default: N); needed without it"
    )
    parser.add_argument("--data", metavar="FILE", help="the table of a planned release")
    parser.add_argument(
        "--rounded", action="store_true", help="a channel file's decimals are rounded"
    )
    parser.add_argument(
        "--trust-subject",
        action="store_true",
        help="take a program's word where nothing here can keep it apart",
    )
    parser.add_argument(
        "--auditors",
        metavar="NAME,…",
        help="run these and no others: "
        + ", ".join(auditor.flag for auditor in AUDITORS.values())
        + " (default: each that fits and is quick)",
    )
    parser.add_argument("--require", choices=tuple(REACHED), help="exit 3 without it")
    parser.add_argument(
        "--self-test",
        metavar="FILE",
        help="carry the result of dp-audit self-test --json FILE in the certificate",
    )
    parser.add_argument("--out", metavar="CERT.json", help="write the certificate")
    common.add_relation(parser, required=True)
    common.add_released(parser)
    common.add_settings(parser)
    common.add_jobs(parser)
    common.add_output(parser, html=True)
    _add_attack(parser)


def _add_attack(parser: argparse.ArgumentParser) -> None:
    """The flags of whatever can only be run."""
    parser.add_argument(
        "--as",
        dest="form",
        choices=("program", "function", "estimator"),
        help="what module:attribute is (default: by its type and parameters)",
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="another environment's Python, which runs module:attribute",
    )
    parser.add_argument(
        "--warm", action="store_true", help="import what a command's Python script imports once"
    )
    parser.add_argument(
        "--pair",
        nargs=2,
        type=Path,
        metavar=("A.json", "B.json"),
        help="two neighbouring databases",
    )
    parser.add_argument(
        "--runs", metavar="N", help="runs a database, learning included; attacks a program, too"
    )
    parser.add_argument(
        "--confidence", metavar="P", default=CONFIDENCE, help=f"of the floor ({CONFIDENCE})"
    )
    parser.add_argument(
        "--alarm", metavar="P", default=ALARM, help=f"the error that REFUTED may have ({ALARM})"
    )
    parser.add_argument(
        "--until-decided", action="store_true", help="stop as soon as the claim is refuted"
    )
    parser.add_argument(
        "--stop-early",
        action="store_true",
        help="stop once it is refuted, or further runs are not expected to refute it",
    )
    parser.add_argument(
        "--detect", metavar="X", help="the leak that the runs must be able to see, else exit 3"
    )
    parser.add_argument(
        "--beyond", metavar="CAUSE,…", default="", help="look behind leaks of these known causes"
    )
    parser.add_argument(
        "--min-records", metavar="N", help="the fewest records of a database that is searched"
    )
    parser.add_argument(
        "--data-is-public",
        action="store_true",
        help="show what failing runs say, also of given databases",
    )
    parser.add_argument(
        "--cache", metavar="FOLDER", help="keep the runs: go on after Ctrl-C, and count the looks"
    )
    parser.add_argument("--look", metavar="K", help="the number of the look, without --cache")
    parser.add_argument(
        "--one-run",
        action="store_true",
        help="run a training among many canaries once; see docs/explanation/one-run.md",
    )
    parser.add_argument(
        "--canaries",
        metavar="N|module:function",
        help="of one run: so many made up, or what gives their records",
    )
    parser.add_argument(
        "--score", metavar="module:function", help="of one run: score(output, canary)"
    )
    parser.add_argument("--guesses", metavar="R", help="of one run: how many coins are guessed")
    parser.add_argument(
        "--split", metavar="split.json", help="the split that outputs:FILE.csv was made from"
    )
    parser.add_argument("--seed", metavar="S", help="the audit's random numbers (default: fresh)")
    common.add_limits(parser, "60")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask cluster that makes the runs")


def run(flags: argparse.Namespace) -> int:
    """Print the certificate, write the files asked for; the verdict's exit code."""
    inputs = (flags.data, flags.domain, flags.subject, flags.self_test)
    common.require_writable(flags.out, flags.json, flags.html, inputs=inputs)
    talk = streams.talk_console(flags.quiet)
    with streams.follow(talk) as progress:
        result = certify(**common.arguments(certify, flags), progress=progress)
    for reason, names in itertools.groupby(result.left_out, key=lambda name: result.left_out[name]):
        talk.print(f"not run: {', '.join(names)} ({reason})", markup=False)
    streams.deliver(result, flags, {flags.out: result.json_text()})
    if result.exit_code in (0, 3) and result.partial:
        talk.print("interrupted: the report is that of the runs made until then", markup=False)
        return 130
    reached = REACHED.get(flags.require)
    if result.exit_code == 0 and reached and result.certificate.verdict not in reached:
        talk.print(f"required evidence not reached: {flags.require}", markup=False)
        return 3
    return result.exit_code
