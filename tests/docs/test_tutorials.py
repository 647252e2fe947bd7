"""Each tutorial runs as its reader would work through it, and prints what it shows.

What they release draws from the system's entropy, so that no seed fixes it:

- The steward's table is off by less than 0.1. Every cell of six gets noise of scale 3, and a cell's
  noise moves the two shares by at most 1.3 of it together: 0.1 takes a sum of their sizes above 79,
  which has a chance below 1e-5 (a Gamma law of six exponentials).
- The organiser's honest team-1 is refuted with a chance of at most 1e-7 for persons, the
  prescreen's error, and as much for records. Its board asks for a total variation of at most 0.3:
  the largest of any column was 0.11 in 300 tables of its size with team-1's noise.
- The reviewer's exact-size submission writes a row for each record, always (test_challenge.py).
- The developer's attack has a fixed seed.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from audit.cli.main import parser
from tests.audit.processes import ROOT
from tests.docs.pages import list_commands, read_blocks, run_page
from tests.examples.wheels import install_wheel

FOLDER = ROOT / "docs" / "tutorials"
READERS = ("developer", "organiser", "reviewer", "steward")
QUICK = ("developer", "steward")


def test_there_is_a_tutorial_for_each_reader() -> None:
    assert tuple(sorted(path.stem for path in FOLDER.glob("*.md"))) == READERS


@pytest.mark.parametrize("reader", READERS)
def test_its_commands_are_read(reader: str) -> None:
    commands = list_commands(read_blocks(FOLDER / f"{reader}.md"))
    assert len(commands) >= 2
    for words in commands:
        parser().parse_args(words[1:])


def test_the_steward_is_told_what_epsilon_allows() -> None:
    text = " ".join((FOLDER / "steward.md").read_text("utf-8").split())
    for epsilon in (1, 0.1):
        sure = math.ceil(1000 / (1 + math.exp(-epsilon))) / 10
        assert re.search(rf"epsilon = {epsilon}\b[^.]*at most {sure} %", text), epsilon


@pytest.mark.parametrize("reader", QUICK)
def test_it_runs(reader: str, tmp_path: Path) -> None:
    run_page(FOLDER / f"{reader}.md", tmp_path)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a fresh environment, into which a wheel of this checkout was installed."""
    return install_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_it_runs_from_a_wheel(reader: str, commands: Path, tmp_path: Path) -> None:
    run_page(FOLDER / f"{reader}.md", tmp_path, commands)
