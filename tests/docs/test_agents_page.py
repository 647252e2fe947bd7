"""The page for programs runs, names what there is, and llms.txt leads to pages that there are."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from audit.cli.main import INTERNAL
from audit.statements.evidence import Verdict
from tests.audit.processes import ROOT
from tests.docs.pages import run_page

PAGE = ROOT / "docs" / "agents.md"
LIST = (ROOT / "llms.txt").read_text("utf-8")


def test_it_runs(tmp_path: Path) -> None:
    run_page(PAGE, tmp_path)


def test_it_lists_every_exit_code() -> None:
    listed = [int(code) for code in re.findall(r"^\| (\d+) \|", PAGE.read_text("utf-8"), re.M)]
    verdicts = {verdict.exit_code for verdict in Verdict}
    usage, protocol = 2, 4
    assert listed == sorted(verdicts | {usage, protocol, INTERNAL, 128 + signal.SIGINT})


def test_the_list_has_the_form_that_its_readers_expect() -> None:
    title, summary, *_ = LIST.split("\n\n")
    assert title == "# dp-audit" and all(line.startswith("> ") for line in summary.splitlines())
    sections = LIST.split("\n## ")[1:]
    entry = re.compile(r"- \[[^\]]+\]\([^)]+\): .+")
    for section in sections:
        lines = [line for line in section.splitlines()[1:] if line]
        assert lines and all(entry.fullmatch(line) for line in lines), section
    assert sections[-1].startswith("Optional\n")


def test_the_list_leads_to_pages_that_there_are() -> None:
    paths = re.findall(r"\]\(([^)]+)\)", LIST)
    assert len(paths) == len(set(paths)) > 20
    assert [path for path in paths if not (ROOT / path).is_file()] == []
