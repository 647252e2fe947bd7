"""The example challenge: of each submission the verdict, and the question to send back.

What can only be run draws from the system's entropy, so that no seed fixes its verdict:

- ``command`` and ``deid2`` keep their claims. A review states an error of 1e-6 for each claim, over
  all stages; four claims of theirs are attacked (ε = 1 and ε = 10), and at ε = 1 single records
  besides, at the prescreen's 1e-7: by a union bound, one of them is refuted with probability at
  most 4.2e-6 in the final stage, and 4e-7 in the prescreen.
- ``exact-size`` writes a row for each record, in every run: a rule that reads the size of tables of
  different sizes is always right. Under ε = 1 it is right n times with probability at most
  (e / (1 + e))^n, below the prescreen's 1e-7 from n = 52 on; 150 runs of each table are made.
- ``record-noise`` leaks ε = 3 where it claims 1. The final stage makes five times the runs that
  see a leak of 2. No bound says with which probability they miss one of 3: their rules are learned.
  In the prescreen, either verdict is right.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.review.conclusions.claims import FAILED, LATER
from dp_audit import review
from dp_audit.results.reviews import ReviewResult
from tests.audit.processes import ROOT
from tests.examples.reviewing import (
    CHALLENGE,
    SUBMISSIONS,
    by_name,
    copy_challenge,
    list_verdicts,
)

UNSHOWN = ("UNDECIDED", "NOT REFUTED")


def check_proofs(result: ReviewResult, *names: str) -> None:
    """Programs of a curator are proved, and a write-up that tells of others is asked about."""
    submissions = by_name(result)
    for name in names:
        one = submissions[name]
        assert one.verdict == "PROVED", name
        assert not one.failures and not one.flags
        if name == "other-write-up":
            assert not one.goes_on
            asked = "\n".join(one.questions)
            assert "sensitivity 1 for 'counts of sex and age'; under add-remove it is 3" in asked
            assert "the program spends 0.5 of it" in asked
            assert "account for 'counts by sex', which the program asks at synth.py:34" in asked
            assert one.differences is not None and len(one.differences) == 3
        else:
            assert one.goes_on and one.differences == () and one.questions == ()


def check_failure(result: ReviewResult) -> None:
    """What fails at ε = 10 says in which phase, by which command, and with which last words."""
    one = by_name(result)["fails-at-ten"]
    assert one.verdict == FAILED and not one.goes_on
    assert list_verdicts(one)["10.0", "person"] == FAILED
    assert len(one.failures) == 5
    for failure in one.failures:
        assert (failure.phase, failure.epsilon) == ("run", "10")
        assert failure.ending == "the program raised ValueError (line 30 of its code)"
        assert failure.command == "synth:NoisyCounts"
    (asked,) = [question for question in one.questions if "no output" in question]
    assert asked.startswith(f"At ε = 10, the program gives no output: {failure.ending}; a program")
    assert asked.count(failure.ending) == 1


def check_attacks(result: ReviewResult) -> None:
    """At ε = 1: honest programs are not accused, and of the rest the cause is asked about."""
    submissions = by_name(result)
    for name in ("command", "deid2"):
        assert submissions[name].verdict in UNSHOWN, name
        assert submissions[name].goes_on
        assert not submissions[name].failures
    assert submissions["command"].questions == ()
    assert submissions["deid2"].questions == (
        "There is no write-up. Where are the algorithm and its proof written down?",
    )
    assert list_verdicts(submissions["fails-at-ten"])["1.0", "person"] == "PROVED"
    sized = submissions["exact-size"]
    assert sized.verdict == "REFUTED" and not sized.goes_on
    claim = sized.claims[0]
    assert (claim.epsilon, claim.level, claim.cause) == ("1", "person", "exact-size")
    assert any("the output shows the exact size" in question for question in sized.questions)


def test_a_submission_that_fails_at_one_epsilon_says_how(tmp_path: Path) -> None:
    source = copy_challenge(tmp_path / "c", "fails-at-ten")
    check_failure(review(source, out=tmp_path / "r", seed=7, plan=True))


def test_a_curator_in_shell_is_proved(tmp_path: Path) -> None:
    source = copy_challenge(tmp_path / "c", "shell-curator")
    check_proofs(review(source, out=tmp_path / "r", seed=7), "shell-curator")


def test_a_write_up_that_tells_of_another_program_is_asked_about(tmp_path: Path) -> None:
    source = copy_challenge(tmp_path / "c", "other-write-up")
    result = review(source, out=tmp_path / "r", seed=7)
    check_proofs(result, "other-write-up")
    assert by_name(result)["other-write-up"].claims[-1].verdict == LATER


@pytest.mark.slow
def test_the_prescreen_of_all_eight(tmp_path: Path) -> None:
    result = review(CHALLENGE, out=tmp_path / "r", stage="prescreen", seed=7)
    assert tuple(sorted(by_name(result))) == SUBMISSIONS
    check_proofs(result, "curator-python", "shell-curator", "other-write-up")
    check_failure(result)
    check_attacks(result)
    # 150 runs of each table may see the leak of record-noise, or not.
    assert by_name(result)["record-noise"].verdict in (*UNSHOWN, "REFUTED")


@pytest.mark.slow
def test_the_final_stage_of_all_eight(tmp_path: Path) -> None:
    result = review(CHALLENGE, out=tmp_path / "r", stage="final", seed=7)
    assert tuple(sorted(by_name(result))) == SUBMISSIONS
    assert not result.review.partial
    check_proofs(result, "curator-python", "shell-curator", "other-write-up")
    check_failure(result)
    check_attacks(result)
    one = by_name(result)["record-noise"]
    verdicts = list_verdicts(one)
    assert one.verdict == verdicts["1.0", "person"] == "REFUTED"
    assert verdicts["1.0", "record"] in UNSHOWN
    assert any("all records of a person" in question for question in one.questions)


def test_the_challenge_is_named_where_reviewers_read(tmp_path: Path) -> None:
    assert "examples/challenge" in (ROOT / "docs" / "how-to" / "review-submissions.md").read_text(
        "utf-8"
    )
