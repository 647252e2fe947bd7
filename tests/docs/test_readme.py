"""The README's examples run from the repository, and it says the verdicts and codes of the code."""

from __future__ import annotations

import re
from pathlib import Path

from audit.cli.main import parser
from audit.statements.evidence import Verdict
from tests.audit.processes import ROOT
from tests.docs.pages import list_commands, read_blocks, run_page

PAGE = ROOT / "README.md"


def test_its_examples_run(tmp_path: Path) -> None:
    run_page(PAGE, tmp_path)


def test_its_commands_are_read() -> None:
    for words in list_commands(read_blocks(PAGE)):
        parser().parse_args(words[1:])


def test_it_says_every_verdict_with_its_exit_code() -> None:
    rows = re.findall(r"^\| `([A-Z ]+)` \|.*\| (\d+) \|$", PAGE.read_text("utf-8"), re.M)
    assert {name: int(code) for name, code in rows} == {v.value: v.exit_code for v in Verdict}
