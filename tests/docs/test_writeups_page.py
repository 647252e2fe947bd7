"""The page on write-ups: its commands are read, its list is what the command writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import dp_audit
from audit.cli.main import parser
from audit.review.write_ups.comparing import Kind, compare_write_up
from audit.review.write_ups.made_up import TABLES
from tests.audit.review.write_ups.queries import ask, state

pytestmark = pytest.mark.smoke

PAGE = (Path(__file__).parents[2] / "docs/reference/writeups.md").read_text("utf-8")


def test_its_commands_are_read() -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", PAGE, flags=re.DOTALL)
    texts = [block for language, block in blocks if not language]
    lines = [line for block in texts for line in block.replace("\\\n", "").splitlines()]
    commands = [line.split()[1:] for line in lines if line.startswith("dp-audit")]
    assert len(commands) == 3
    for words in commands:
        parser().parse_args(words)


def test_its_list_is_what_the_command_writes() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    found = dp_audit.writeup(
        "geometric-sanitizer",
        "epsilon=1",
        neighbours="replace-one",
        cells="2x3",
        records=50,
        parameters={"epsilon": 1},
    )
    # The line moves with the code.
    assert re.sub(r"line = \d+", "line = N", found.toml()) == shown.replace("67", "N")


def test_its_difference_is_one() -> None:
    (difference,) = compare_write_up([state(sensitivity="1", name="counts by age")], [ask()])
    assert f"*{difference.question}*" in " ".join(PAGE.split())


def test_it_names_all_that_may_differ() -> None:
    table = PAGE.split("| kind | what differs |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == set(get_args(Kind))
    assert len(TABLES) == 3 and "three made-up tables" in PAGE
