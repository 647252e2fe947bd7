"""The page on criteria: its file is read, its figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from audit.cli.main import parser
from audit.review.criteria.certificate_figures import certificate_figures
from audit.review.criteria.criterion import read_criteria
from audit.review.criteria.figures import STANDARD_ERRORS
from audit.review.criteria.naming import MARKS
from tests.audit.review.certificates import read

PAGE = (Path(__file__).parents[2] / "docs" / "criteria.md").read_text(encoding="utf-8")


def test_its_file_and_its_command_are_read(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "board.toml").write_text(block)
    assert len(read_criteria(tmp_path / "board.toml").criteria) == 5
    (line,) = re.findall(r"```\n(dp-audit.*)\n```", PAGE)
    parser().parse_args(line.split()[1:])


def test_its_table_names_every_figure_of_a_certificate() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, flags=re.MULTILINE)
    named = set(re.findall(r"`([^`]+)`", " ".join(rows)))
    figures = set(certificate_figures(read("exact")))
    assert {name for name in figures if not name.startswith("parameters.")} | {
        "parameters.NAME"
    } == named


def test_its_numbers_are_those_of_the_code() -> None:
    assert STANDARD_ERRORS == 3 and "three standard errors" in PAGE
    assert all(f"`{mark}`" in PAGE for mark in MARKS)
