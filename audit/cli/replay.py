"""``dp-audit replay``: the frozen rule of a certificate, tested on fresh runs."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from audit.auditors.attack.given_pairs import read_database
from audit.auditors.attack.replaying import frozen_test, retest
from audit.cli import common, streams
from audit.parallel import local
from audit.report.certificate.replay import replay_lines
from audit.report.words import clean
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.subjects.black_box import BlackBox
from audit.subjects.stated_subjects import box_of, obstacle
from audit.verify import load_certificate
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

ABSENT = 3
"""The exit code where the subject is not here, or is another."""

Boxes = Callable[[Mapping[str, Any], Claim], BlackBox]
"""The black box of a certificate's subject; raises InputError where it can't be made."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("certificate", metavar="CERT.json", help="a certificate of an attack")
    parser.add_argument(
        "--runs", metavar="N", help="runs a database (default: as many as tested the rule)"
    )
    parser.add_argument("--seed", metavar="S", help="the replay's random numbers (default: fresh)")
    parser.add_argument(
        "--alarm", metavar="P", help="refuted at this error (default: the certificate's, or 1e-6)"
    )
    parser.add_argument(
        "--evidence", metavar="K", help="the number of the finding (default: the first violation)"
    )
    parser.add_argument(
        "--pair",
        nargs=2,
        metavar=("A.json", "B.json"),
        help="the databases, where the certificate states digests of them",
    )
    parser.add_argument(
        "--subject", metavar="NAME", help="the certificate's, if it lies outside this folder"
    )
    parser.add_argument("--jobs", metavar="N", help="processes (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="no talk")


def run(flags: argparse.Namespace, boxes: Boxes = box_of) -> int:
    """Print what fresh runs say; 1 where they refute the claim, 3 where there can be none."""
    runs = common.optional_number(flags.runs, "--runs", 1)
    seed = common.optional_number(flags.seed, "--seed")
    number = common.optional_number(flags.evidence, "--evidence", 1)
    document = load_certificate(flags.certificate)
    test = frozen_test(document, number, _databases(flags.pair))
    alarm = test.alarm if flags.alarm is None else _chance(flags.alarm)
    subject = document["subject"]
    if not isinstance(subject, dict):
        raise InputError("the certificate's subject is malformed")
    box, hindrance = _box(subject, test.claim, flags.subject, boxes)
    talk = streams.talk_console(flags.quiet)
    if box is None:
        talk.print(clean(hindrance), markup=False)
        return ABSENT
    seed = secrets.randbits(48) if seed is None else seed
    total = test.runs if runs is None else 2 * runs
    talk.print(clean(f"{box.name}: {total:,} fresh runs"), markup=False)
    found = retest(test, box, total, seed, local(common.jobs(flags.jobs)), alarm)
    streams.output_console().print(replay_lines(test, found, alarm, box.name, seed))
    if not found.valid:
        return Verdict.INVALID_RUN.exit_code
    return Verdict.REFUTED.exit_code if found.refutes(alarm) else 0


def _box(
    subject: dict[str, Any], claim: Claim, meant: str | None, boxes: Boxes
) -> tuple[BlackBox | None, str]:
    """The subject as something that can be run, or what stands in the way."""
    hindrance = obstacle(subject, meant)
    if hindrance:
        return None, hindrance
    try:
        return boxes(subject, claim), ""
    except InputError as error:
        return None, f"the subject can't be run: {error}"


def _databases(paths: list[str] | None) -> tuple[Any, Any] | None:
    return None if paths is None else (read_database(paths[0]), read_database(paths[1]))


def _chance(text: str) -> float:
    value = parse_rational(text, "--alarm")
    if not 0 < value < 1:
        raise InputError(f"--alarm must lie strictly between 0 and 1, found {text[:40]!r}")
    return float(value)
