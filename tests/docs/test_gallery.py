"""The gallery: its rows, its page, and the command that makes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "gallery.md"
SUBJECTS = ROOT / "docs" / "examples" / "gallery"


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.syspath_prepend(str(SUBJECTS))
    import rows

    return rows.ROWS


def test_the_command_makes_a_row_again():
    """The one of our own program, which needs no library."""
    made = subprocess.run(
        [sys.executable, "docs/gallery.py", "--only", "geometric-sanitizer"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    (row,) = (line for line in made.splitlines() if line.startswith("| ["))
    (written,) = (line for line in PAGE.read_text().splitlines() if "geometric-sanitizer](" in line)
    assert "NOT REFUTED" in row
    assert row.split("|")[2:4] == written.split("|")[2:4]
    assert "dp_audit.certify(" in made


def test_the_page_has_a_row_and_code_for_every_mechanism(rows):
    text = PAGE.read_text(encoding="utf-8")
    assert len(rows) >= 20
    for number, row in enumerate(rows, 1):
        assert f"| [{row.name}](#{number}) | {row.claim} | {row.neighbours} |" in text
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == len(rows)
    assert all(len(block.splitlines()) <= 10 for block in blocks)
    for block in blocks:
        compile(block, "row", "exec")


def test_a_row_that_refutes_says_what_it_is_about(rows):
    """No mechanism is accused on the page without a word beside it."""
    refuted = [line for line in PAGE.read_text().splitlines() if "| REFUTED |" in line]
    assert refuted
    assert all(line.rstrip("| ").rpartition("|")[2].strip() for line in refuted)


def test_subjects_are_in_their_files(rows):
    for row in rows:
        if row.module:
            text = (SUBJECTS / f"{row.module}.py").read_text()
            assert re.search(rf"^(def {row.attribute}\(|{row.attribute} =)", text, re.MULTILINE)
