"""The examples of docs/explanation/components.md run, and find what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "components.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_page_has_its_examples() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_finds_what_it_says(block: str) -> None:
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(block, str(PAGE), "exec"), names)
    assert "found" in names
