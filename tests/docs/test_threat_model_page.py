"""The pages on threats and hazards: every test that they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "explanation"
PAGE = (FOLDER / "threat-model.md").read_text(encoding="utf-8")
TEST = r"`(tests/[\w/]+\.py)(?:(?:::|`,\s+`)(test_\w+))?`"
"""A file of tests, and one of its tests in the same words or on the next line."""


@pytest.mark.parametrize("name", ["threat-model", "hazards"])
def test_every_test_that_is_named_is_there(name: str) -> None:
    tests = re.findall(TEST, (FOLDER / f"{name}.md").read_text(encoding="utf-8"))
    assert len(tests) >= 15
    for path, test in tests:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not test or re.search(rf"^def {test}\(", text, flags=re.MULTILINE), (path, test)


def test_every_threat_names_a_test() -> None:
    section = PAGE.partition("## A program against the process")[2].partition("## Out of scope")[0]
    threats = re.split(r"^- \*\*", section, flags=re.MULTILINE)[1:]
    assert len(threats) >= 30
    assert not [one for one in threats if not any(name for _, name in re.findall(TEST, one))]
