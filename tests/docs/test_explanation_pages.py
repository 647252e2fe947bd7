"""The pages that explain: their blocks run, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.cli.main import parser
from tests.docs.pages import list_commands, read_blocks, run_page

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "explanation"
QUICK = ["trust"]
SLOW = [
    "verdicts",
    "four-readings",
    "floating-point",
    "persons-and-records",
    "limits-of-synthetic-data",
    "hazards",
]
"""Pages whose programs and attacks take more than some ten seconds."""
PAGES = [*QUICK, *SLOW]


@pytest.mark.parametrize("name", QUICK)
def test_a_page_runs_as_it_stands(name: str, tmp_path: Path) -> None:
    run_page(FOLDER / f"{name}.md", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_a_long_page_runs_as_it_stands(name: str, tmp_path: Path) -> None:
    run_page(FOLDER / f"{name}.md", tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_commands_of_a_page_are_read(name: str) -> None:
    commands = list_commands(read_blocks(FOLDER / f"{name}.md"))
    assert commands
    for words in commands:
        parser().parse_args(words[1:])


@pytest.mark.parametrize("name", PAGES)
def test_lines_of_a_page_are_short(name: str) -> None:
    lines = (FOLDER / f"{name}.md").read_text("utf-8").splitlines()
    assert not [line for line in lines if len(line) > 99]


@pytest.mark.parametrize("name", PAGES)
def test_links_of_a_page_lead_to_files_and_headings(name: str) -> None:
    text = (FOLDER / f"{name}.md").read_text("utf-8")
    for path, anchor in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", text):
        target = (FOLDER / path).resolve() if path else FOLDER / f"{name}.md"
        assert target.exists(), path
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), flags=re.MULTILINE)
            assert anchor in {
                re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings
            }, anchor
