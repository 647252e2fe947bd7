"""The how-tos: every block of theirs is worked through as a reader does."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.cli.main import parser
from tests.docs.pages import list_commands, read_blocks, run_page

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
QUICK = ("move-from-another-accountant", "certify-a-release")
SLOW = ("pandas-pipeline", "dp-sgd", "read-a-refutation")
"""Each runs for more than ten seconds: they look inside code, and attack it."""


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_the_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    run_page(HOW_TO / f"{name}.md", tmp_path)


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_its_commands_are_read(name: str) -> None:
    commands = list_commands(read_blocks(HOW_TO / f"{name}.md"))
    assert commands
    for command in commands:
        assert parser().parse_args(command[1:]).command == command[1]
