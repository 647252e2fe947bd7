"""Copies of the example challenge, and what a review of one says."""

from __future__ import annotations

import shutil
from pathlib import Path

from audit.review.conclusions.review import SubmissionReview
from dp_audit.results.reviews import ReviewResult
from tests.audit.processes import ROOT

CHALLENGE = ROOT / "examples" / "challenge"

SUBMISSIONS = (
    *("command", "curator-python", "deid2", "exact-size", "fails-at-ten"),
    *("other-write-up", "record-noise", "shell-curator"),
)


def copy_challenge(folder: Path, *names: str) -> Path:
    """The example challenge with these submissions alone."""
    left_out = [name for name in (*SUBMISSIONS, "deid2.zip") if name not in names]
    shutil.copytree(CHALLENGE, folder, ignore=shutil.ignore_patterns(*left_out, "__pycache__"))
    return folder


def by_name(result: ReviewResult) -> dict[str, SubmissionReview]:
    """The submissions of a review."""
    return {one.name: one for one in result.review.submissions}


def list_verdicts(one: SubmissionReview) -> dict[tuple[str, str], str]:
    """The verdicts of a submission's claims, by ε and unit."""
    return {(str(float(c.epsilon)), c.level): c.verdict for c in one.claims}
