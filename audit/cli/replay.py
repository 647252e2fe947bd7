"""``dp-audit replay``: the frozen rule of a certificate, tested on fresh runs."""

from __future__ import annotations

import argparse
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.console import RenderableType

from audit.auditors.attack.pairs.given_pairs import read_database
from audit.auditors.attack.rechecking.replaying import FrozenTest, Retest, frozen_test, retest
from audit.cli import common, streams
from audit.parallel import local
from audit.report.certificate.replay import replay_lines
from audit.report.words import clean
from audit.statements.certificate_json import encode
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.subjects.black_box import BlackBox
from audit.subjects.stated_subjects import box_of, find_obstacle
from audit.subjects.working_folder import work_in
from audit.verify import load_certificate
from dp_audit.arguments import optional_number, probability, process_count
from dp_audit.results import Result
from synthesizers.errors import InputError

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
        "--subject", metavar="NAME", help="the certificate's, if it lies outside its folder"
    )
    common.add_folder(parser)
    common.add_python(parser)
    common.add_jobs(parser)
    common.add_output(parser)


def run(flags: argparse.Namespace, boxes: Boxes | None = None) -> int:
    """Print what fresh runs say; 1 where they refute the claim, 3 where there can be none."""
    common.require_writable(flags.json, inputs=(flags.certificate, *(flags.pair or ())))
    runs = optional_number(flags.runs, "--runs", 1)
    seed = optional_number(flags.seed, "--seed")
    number = optional_number(flags.evidence, "--evidence", 1)
    stated = None if flags.alarm is None else float(probability(flags.alarm, "--alarm"))
    share = local(process_count(flags.jobs))
    document = load_certificate(flags.certificate)
    test = frozen_test(document, number, _databases(flags.pair))
    alarm = test.alarm if stated is None else stated
    subject = document["subject"]
    if not isinstance(subject, dict):
        raise InputError("the certificate's subject is malformed")
    # Named from this folder, whichever the subject lies in.
    python = None if flags.python is None else os.path.abspath(flags.python)
    boxes = boxes or partial(box_of, python=python)
    seed = secrets.randbits(48) if seed is None else seed
    total = test.runs if runs is None else 2 * runs
    talk = streams.talk_console(flags.quiet)
    with work_in(flags.folder):
        box, hindrance = _box(subject, test.claim, flags.subject, python, boxes)
        if box is None:
            talk.print(clean(hindrance), markup=False)
            return ABSENT
        talk.print(clean(f"{box.name}: {total:,} fresh runs"), markup=False)
        found = retest(test, box, total, seed, share, alarm)
    result = ReplayResult(test, found, alarm, box.name, seed)
    streams.deliver(result, flags)
    return result.exit_code


@dataclass(frozen=True, repr=False)
class ReplayResult(Result):
    """What fresh runs say of a certificate's finding."""

    test: FrozenTest
    retest: Retest
    alarm: float
    subject: str
    seed: int

    @property
    def exit_code(self) -> int:
        """1 where the runs refute the claim, 5 where they are not independent."""
        if not self.retest.valid:
            return Verdict.INVALID_RUN.exit_code
        return Verdict.REFUTED.exit_code if self.retest.refutes(self.alarm) else 0

    def summary(self) -> str:
        """Of whom, and what they say."""
        words = {0: "do not refute", Verdict.REFUTED.exit_code: "refute"}
        return f"fresh runs of {self.subject} {words.get(self.exit_code, 'say nothing of')} it"

    def lines(self) -> RenderableType:
        """The counts, and what follows from them."""
        return replay_lines(self.test, self.retest, self.alarm, self.subject, self.seed)

    def to_json(self) -> dict[str, Any]:
        """The counts, and what follows from them."""
        guesses, valid = self.retest.guesses, self.retest.valid
        return {
            "subject": self.subject,
            "claim": str(self.test.claim.guarantee),
            "seed": self.seed,
            "alarm": self.alarm,
            "runs": guesses.runs,
            "right": guesses.correct,
            "wrong": guesses.wrong,
            "valid": valid,
            "p_value": self.retest.p_value if valid else None,
            "floor": encode(self.retest.floor) if valid else None,
            "refuted": self.exit_code == Verdict.REFUTED.exit_code,
        }


def _box(
    subject: dict[str, Any], claim: Claim, meant: str | None, python: str | None, boxes: Boxes
) -> tuple[BlackBox | None, str]:
    """The subject as something that can be run, or what stands in the way."""
    hindrance = find_obstacle(subject, meant, python)
    if hindrance:
        return None, hindrance
    try:
        return boxes(subject, claim), ""
    except InputError as error:
        return None, f"the subject can't be run: {error}"


def _databases(paths: list[str] | None) -> tuple[Any, Any] | None:
    return None if paths is None else (read_database(paths[0]), read_database(paths[1]))
