"""The page on submissions: its files are read, its lines too, and its numbers are the code's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from audit.cli.main import parser
from audit.review.submissions import trees
from audit.review.submissions.challenge import read_terms
from audit.review.submissions.commands import PLACES
from audit.review.submissions.deid2 import BINS
from audit.review.submissions.reading import read_submission
from tests.audit.review.made_submissions import DOMAIN, PARAMETERS, SILENT, write_files

PAGE = (Path(__file__).parents[2] / "docs/reference/submissions.md").read_text("utf-8")
FILES = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
BESIDE = {
    "domain.toml": DOMAIN,
    "writeup.md": "",
    "public.csv": "",
    "parameters.json": json.dumps(PARAMETERS),
    "submission_format.csv": "",
}


@pytest.mark.parametrize("text", [FILES[0], FILES[1]])
def test_its_submissions_are_read(tmp_path: Path, text: str) -> None:
    folder = write_files(tmp_path / "x", {"submission.toml": text, **BESIDE})
    assert read_submission(folder, "x", SILENT, tmp_path / "made.toml").claim.epsilons


def test_its_challenge_is_read(tmp_path: Path) -> None:
    assert len(FILES) == 3
    terms = read_terms(write_files(tmp_path, {"challenge.toml": FILES[2], **BESIDE}))
    assert terms.challenge.name == "a challenge" and len(terms.files) == 4


def test_every_key_that_is_known_is_on_the_page(tmp_path: Path) -> None:
    keys = (
        *("name", "command", "program", "protocol", "module", "form", "deid2", "python", "rows"),
        *("seconds", "megabytes", "guarantee", "epsilons", "delta", "neighbours", "unit"),
        *("max_records", "question", "sensitivity", "share", "noise", "file", "line"),
        *("data", "metrics", "parameters", "format"),
    )
    assert all(re.search(rf"\b{key}\b", PAGE) for key in keys)
    assert all(f"`{{{place}}}`" in PAGE for place in PLACES)


def test_its_lines_are_read() -> None:
    block = re.findall(r"```\n(.*?)```", PAGE, flags=re.DOTALL)[0]
    lines = block.splitlines()
    assert len(lines) == 3
    for line in lines:
        parser().parse_args(line.split()[1:])


def test_its_numbers_are_those_of_the_code() -> None:
    assert trees.MOST_FILES == 10_000 and trees.MOST_BYTES == 2**30 and BINS == 20
    assert "10,000 files or 1 GiB" in PAGE and "20 bins" in PAGE
