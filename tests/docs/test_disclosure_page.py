"""The page on disclosure checks: its commands are read, its bounds are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from audit.cli.main import parser
from audit.disclosure.inference import TOLERANCE
from audit.disclosure.membership import SHARES
from audit.disclosure.singling_out import GUESSES, WIDTH
from audit.disclosure.targets import TARGETS

PAGE = (Path(__file__).parents[2] / "docs/explanation/disclosure.md").read_text("utf-8")


def test_its_commands_are_read() -> None:
    blocks = re.findall(r"```\n(.*?)```", PAGE, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
    commands = [line.split("#")[0].split()[1:] for line in lines if line.startswith("dp-audit")]
    assert len(commands) == 3
    for words in commands:
        parser().parse_args(words)


def test_its_numbers_are_those_of_the_code() -> None:
    assert (TARGETS, GUESSES, WIDTH) == (2000, 1000, 3)
    assert "At most 2,000 records" in PAGE and "at most 1,000 guesses" in PAGE
    assert "three columns" in PAGE and f"within {TOLERANCE * 100:.0f} %" in PAGE
    assert [str(share) for share in SHARES] == ["1", "1/3", "1/10", "1/30"]
    assert "All, a third, a tenth and a thirtieth" in PAGE
