"""``dp-audit review``: a folder of submissions, from its files to verdicts and questions."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from audit.cli import common, streams
from audit.review.conclusions.claims import FAILED
from audit.review.orders import STAGES
from audit.statements.evidence import Verdict
from dp_audit.reviews import review

FAIL_ON: dict[str, tuple[frozenset[str], int]] = {
    "refuted": (frozenset({Verdict.REFUTED.value, Verdict.CONTRADICTION.value}), 1),
    "undecided": (frozenset({Verdict.UNDECIDED.value, Verdict.INVALID_RUN.value, FAILED}), 3),
}
"""For each word of ``--fail-on``, the verdicts that end with an exit code; a later word holds those
of the words before it, too."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "path", metavar="PATH", help="a submission, a zip of one, or a folder of submissions"
    )
    parser.add_argument(
        "--stage", default="prescreen", metavar="|".join(STAGES), help="(prescreen)"
    )
    parser.add_argument(
        "--out", metavar="FOLDER", help="the folder of the review (PATH-review); goes on if there"
    )
    parser.add_argument("--budget", metavar="2h", help="fit the runs of attacks to this time")
    parser.add_argument(
        "--detect", default="2", metavar="X", help="see leaks of X times the claim; final stage (2)"
    )
    parser.add_argument(
        "--records", default="10", metavar="N", help="records of the databases made up (10)"
    )
    parser.add_argument(
        "--releases", default="3", metavar="R", help="releases at each ε of the final stage (3)"
    )
    parser.add_argument(
        "--runs", default="20000", metavar="N", help="the most a database for one claim (20000)"
    )
    parser.add_argument("--seed", metavar="S", help="of all random numbers (default: fresh)")
    parser.add_argument("--shard", metavar="i/n", help="do the i-th of n shares, with --seed")
    parser.add_argument("--plan", action="store_true", help="stop once the plan is made")
    parser.add_argument(
        "--fail-on", choices=tuple(FAIL_ON), help="exit 1 or 3 by the worst verdict, not 0"
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="a Dask cluster whose workers see the same folder"
    )
    common.add_jobs(parser)
    common.add_output(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the verdicts and questions, write the pages; 0 whatever the verdicts."""
    common.require_writable(flags.json, inputs=(flags.path,))
    talk = streams.talk_console(flags.quiet)
    with streams.follow(talk) as progress:
        result = review(**common.arguments(review, flags), progress=progress)
    streams.deliver(result, flags)
    talk.print(f"pages: {result.folder / 'index.html'}", markup=False, soft_wrap=True)
    if result.interrupted:
        talk.print("interrupted: the same command goes on from here", markup=False)
    if result.exit_code or flags.fail_on is None:
        return result.exit_code
    # What can't be read did not run, either.
    unread = [FAILED] * len(result.review.unread)
    return fail_on(flags.fail_on, [*result.verdicts.values(), *unread])


def fail_on(word: str, verdicts: Collection[str]) -> int:
    """The exit code of the worst verdict, for a word of ``--fail-on``."""
    words = list(FAIL_ON)
    for one in words[: words.index(word) + 1]:
        bad, code = FAIL_ON[one]
        if not bad.isdisjoint(verdicts):
            return code
    return 0
