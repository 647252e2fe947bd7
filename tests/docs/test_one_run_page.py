"""The page on one run: its example prints what the page says; its flags are there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from audit.cli.main import main, parser
from tests.docs.pages import list_commands, read_blocks

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "explanation" / "one-run.md"
PAGE = FILE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, flags=re.DOTALL)
SAID = [text for kind, text in BLOCKS if kind == "text"]
COMMANDS = list_commands(read_blocks(FILE))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "docs" / "examples" / "dp_sgd.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.parametrize(
    ("place", "settings", "code"), [(0, [], 0), (1, ["--set", "sigma=2.23606797749979"], 1)]
)
def test_the_example_prints_what_the_page_says(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    place: int,
    settings: list[str],
    code: int,
) -> None:
    assert main([*COMMANDS[0][1:], *settings, "--seed", "1", "--quiet"]) == code
    printed = " ".join(capsys.readouterr().out.split())
    assert " ".join(SAID[place].split()) in printed


def test_the_accountant_says_what_the_example_claims(capsys: pytest.CaptureFixture[str]) -> None:
    command = re.search(r"`dp-audit account '([^']*)' ([^`]*)`", PAGE)
    assert command is not None
    assert main(["account", command[1], *command[2].split()]) == 0
    # Of μ = 1 at δ = 1e-5.
    assert "4.377178" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_commands_of_the_page_are_read(command: list[str]) -> None:
    assert parser().parse_args(command[1:]).command in ("certify", "split")


def test_the_split_writes_what_the_page_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("table.csv").write_text("a\n" + "".join(f"{k}\n" for k in range(60)))
    assert main(["split", "table.csv", "--out", "split", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("sha256:")
    assert {path.name for path in Path("split").iterdir()} == {
        "training.csv",
        "holdout.csv",
        "split.json",
    }
    assert main(["split", "table.csv", "--out", "split"]) == 2
