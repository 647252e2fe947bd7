"""``dp-audit review``: its exit codes, and what it says of a path that holds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.cli.review import fail_on
from tests.audit.calls import Command


@pytest.mark.parametrize(
    ("word", "verdicts", "code"),
    [
        ("refuted", ["PROVED", "UNDECIDED"], 0),
        ("refuted", ["PROVED", "REFUTED"], 1),
        ("refuted", ["CONTRADICTION"], 1),
        ("undecided", ["PROVED", "EXACT", "NOT REFUTED"], 0),
        ("undecided", ["PROVED", "UNDECIDED"], 3),
        ("undecided", ["NOT RUN"], 3),
        ("undecided", ["INVALID RUN"], 3),
        ("undecided", ["UNDECIDED", "REFUTED"], 1),
    ],
)
def test_the_worst_verdict_decides_the_exit_code(word: str, verdicts: list[str], code: int) -> None:
    assert fail_on(word, verdicts) == code


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("review absent", "absent is not there"),
        ("review empty", "holds no submission"),
        ("review team --stage last", "--stage is prescreen or final"),
        ("review team --shard 2", "--shard reads i/n"),
        ("review team --budget soon", "--budget reads a time"),
        ("review team --out team/review", "one in the other"),
        ("review team --out .", "one in the other"),
        ("merge empty", "it has no order"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(
    dp_audit: Command, folder: Path, line: str, message: str
) -> None:
    (folder / "empty").mkdir()
    assert dp_audit("init-submission team --quiet").code == 0
    ended = dp_audit(f"{line} --quiet")
    assert ended.code == 2
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(("word", "code"), [("refuted", 0), ("undecided", 3)])
def test_a_submission_that_cannot_be_read_counts_as_one_that_did_not_run(
    dp_audit: Command, folder: Path, word: str, code: int
) -> None:
    (folder / "all/broken").mkdir(parents=True)
    (folder / "all/broken/submission.toml").write_text("[run")
    ended = dp_audit(f"review all --out pages --fail-on {word}")
    assert "broken can't be read" in ended.out
    assert ended.code == code
