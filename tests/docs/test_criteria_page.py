"""The page on criteria: its file is read, its figures are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from audit.cli.main import main, parser
from audit.review.criteria.certificate_figures import certificate_figures
from audit.review.criteria.criterion import read_criteria
from audit.review.criteria.figures import STANDARD_ERRORS
from audit.review.criteria.naming import MARKS
from tests.audit.review.certificates import read
from tests.docs.lists import read_items
from tests.docs.pages import list_commands, read_blocks

FILE = Path(__file__).parents[2] / "docs/reference/criteria.md"
PAGE = FILE.read_text("utf-8")


def test_its_file_and_its_command_are_read(tmp_path: Path) -> None:
    block, _ = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "board.toml").write_text(block)
    assert len(read_criteria(tmp_path / "board.toml").criteria) == 5
    line = re.findall(r"```\n(dp-audit.*)\n```", PAGE)[0]
    parser().parse_args(line.split()[1:])


def test_its_private_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("towns.toml").write_text(
        '[attributes]\nsex = { values = ["f", "m"] }\nage = { values = ["0", "1"] }\n'
    )
    rows = {"real": (300, 300, 300, 300), "near": (29, 31, 31, 29), "far": (1, 0, 0, 0)}
    for name, counts in rows.items():
        cells = zip(("f,0", "f,1", "m,0", "m,1"), counts, strict=True)
        lines = [line for cell, count in cells for line in [cell] * count]
        Path(f"{name}.csv").write_text("\n".join(["sex,age", *lines, ""]))
    _, block = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    Path("near.toml").write_text(block)
    first, second = list_commands(read_blocks(FILE))[-2:]
    # A chance below 1e-70 that far.csv is chosen, and one below 1e-7 that it is not decided.
    assert main(first[1:]) == 0
    assert json.loads(Path("choice.json").read_text())["chosen"] == "near.csv"
    assert main(second[1:]) == 0
    assert "MET" in capsys.readouterr().out


def test_its_list_names_every_figure_of_a_certificate() -> None:
    heads = [words.partition(": ")[0] for words, _ in read_items(PAGE) if words[0] == "`"]
    named = set(re.findall(r"`([^`]+)`", " ".join(heads)))
    figures = set(certificate_figures(read("exact")))
    assert {name for name in figures if not name.startswith("parameters.")} | {
        "parameters.NAME"
    } == named


def test_its_numbers_are_those_of_the_code() -> None:
    assert STANDARD_ERRORS == 3 and "three standard errors" in PAGE
    assert all(f"`{mark}`" in PAGE for mark in MARKS)
