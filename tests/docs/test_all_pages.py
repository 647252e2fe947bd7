"""Of every page lines fit, links lead somewhere, and commands are read and run, or say why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.cli.main import parser
from docs.generated import WIDTH
from tests.audit.processes import ROOT
from tests.docs.pages import list_commands, read_blocks, run_page

DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*DOCS, *(ROOT / "decisions").glob("*.md"), ROOT / "DESIGN.md", ROOT / "CONTRIBUTING.md"]
RUN_ELSEWHERE = ROOT / "docs" / "tutorials"
"""Pages that test_tutorials.py runs."""

MANY_COLUMNS = 4
"""A table of more columns is one of figures, whose rows can't be broken."""

_LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def can_be_broken(line: str) -> bool:
    """Whether a line has a place to break.

    A row of figures, a heading, a message in JSON, and a link or a name alone have none.
    """
    if line.startswith("|"):
        return line.count("|") <= MANY_COLUMNS + 1
    if line.startswith("#") or '": ' in line:
        return False
    words = re.sub(r"\[[^\]]*\]\([^)]*\)|`[^`]*`", "x", line.strip(" -#"))
    return " " in words.strip()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_fit(page: Path) -> None:
    kept = "<!-- long lines: "
    text = re.sub(rf"^{kept}.*?-->\n```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    long = [line for line in text.splitlines() if len(line) > WIDTH and can_be_broken(line)]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.M | re.S)
    targets = [target for target, _ in _LINK.findall(text) if "://" not in target]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", DOCS, ids=name)
def test_commands_are_read(page: Path) -> None:
    for words in list_commands(read_blocks(page)):
        if "…" not in words:
            parser().parse_args(words[1:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        page
        for page in DOCS
        if page.parent != RUN_ELSEWHERE
        and any(block.is_run and block.language == "bash" for block in read_blocks(page))
    ],
    ids=name,
)
def test_commands_run(page: Path, tmp_path: Path) -> None:
    run_page(page, tmp_path)
