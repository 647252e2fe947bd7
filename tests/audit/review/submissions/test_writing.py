"""A submission written out in full is read as itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit.review.submissions.challenge import RunTerms, Terms
from audit.review.submissions.claims import ClaimTerms
from audit.review.submissions.reading import read_submission
from audit.review.submissions.submission import Challenge, StatedQuery, StatedWriteUp, Submission
from audit.review.submissions.writing import to_toml
from tests.audit.review.made_submissions import (
    CLAIM,
    DOMAIN,
    SILENT,
    TOML,
    write_copy,
    write_deid2,
)

TERMS = Terms(
    Challenge("c"),
    ClaimTerms("rho={epsilon}", ("1/3",), "replace-one", "person", 4),
    RunTerms(5, 6, 7),
)


def read_again(submission: Submission) -> Submission:
    folder = submission.folder
    (folder / "submission.toml").write_text(to_toml(submission, "domain.toml"), "utf-8")
    (folder / "domain.toml").write_bytes(submission.domain.read_bytes())
    again = read_submission(folder, "another", SILENT, folder.parent / "again.toml")
    return replace(again, domain=submission.domain)


@pytest.mark.parametrize(
    "toml",
    [
        TOML.replace("give.py", "'a b.py' \\\"it's\\\""),
        f'[run]\nprogram = "give.py"\n{CLAIM}',
        f'[run]\nprogram = "give.py"\nprotocol = "curator"\n{CLAIM}[parameters]\na = "\\"q\\""\n',
        f'[run]\nmodule = "give:run"\nform = "function"\npython = "/bin/sh"\n{CLAIM}',
        '[run]\nmodule = "give:run"\n',
    ],
)
def test_each_way_is_read_as_it_was(tmp_path: Path, toml: str) -> None:
    folder = write_copy(tmp_path / "x", toml)
    found = read_submission(folder, "team é", TERMS, tmp_path / "made.toml")
    assert read_again(found) == replace(found, asked=None)


def test_a_write_up_is_read_as_it_was(tmp_path: Path) -> None:
    folder = write_copy(tmp_path / "x", **{"w.md": ""})
    found = read_submission(folder, "team", SILENT, tmp_path / "made.toml")
    queries = (
        StatedQuery("ages", "q", "sqrt(2)", "0.5", "Laplace \\ \"'", "give.py", 3),
        StatedQuery("others\n\x7f\u202e"),
    )
    found = replace(found, write_up=StatedWriteUp("w.md", queries))
    assert read_again(found) == found


def test_deid2_is_read_as_it_was(tmp_path: Path) -> None:
    folder = write_deid2(tmp_path / "x")
    (folder / "submission.toml").write_text("[run]\ndeid2 = true\n")
    found = read_submission(folder, "team", SILENT, tmp_path / "made.toml")
    assert found.launch.way == "deid2" and found.domain.read_text() != DOMAIN
    assert read_again(found) == found
