"""The examples of docs/explanation/property-testing.md run, and find what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.cli.main import main
from tests.docs.pages import list_commands, read_blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "property-testing.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_page_has_its_examples() -> None:
    assert len(BLOCKS) == 5


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_runs_and_finds_nothing(block: str) -> None:
    names: dict[str, object] = {}
    exec(compile(block, str(PAGE), "exec"), names)
    assert names.get("findings", "query" in names)


def test_the_command_of_the_page_finds_no_excess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (command,) = (
        words for words in list_commands(read_blocks(PAGE)) if "sensitivity" in words[1:2]
    )
    source = re.search(r"def counts.*?\n\n", BLOCKS[0], re.DOTALL)
    assert source is not None
    (tmp_path / "mymodule.py").write_text(source.group(0))
    monkeypatch.chdir(tmp_path)
    assert main(command[1:]) == 0
    assert "declared" in capsys.readouterr().out
