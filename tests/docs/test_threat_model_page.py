"""The page on threats: every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)


def test_every_test_that_is_named_is_there() -> None:
    for path, name in NAMED:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^def {name}\(", text, flags=re.MULTILINE), (path, name)


def test_every_threat_names_a_test() -> None:
    threats = PAGE.partition("## A program against the process")[2].partition("## Out of scope")[0]
    rows = [line for line in threats.splitlines() if line.startswith("| ")]
    told = [row for row in rows if not row.startswith("| threat |")]
    assert len(told) >= 30
    assert not [row for row in told if not re.search(r"`tests/[\w/]+\.py::\w+` \|$", row)]
