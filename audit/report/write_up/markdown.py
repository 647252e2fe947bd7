"""A page of texts and tables as Markdown, whatever its words hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from audit.report.page import Page, TableSection, TextSection
from audit.report.words import clean

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&$]|(?<=:)/(?=/))")
_OPENING = re.compile(r"^(\s*\d*)([-+=.)])")


def markdown(page: Page) -> str:
    """The page as Markdown; sections of other kinds have none and are left out.

    Guarantee
    ---------
    Whatever text a page holds is shown as text: what would be markup is escaped, and characters
    that hide or reorder others are spelled out. Backed by
    ``tests/audit/report/write_up/test_markdown.py``.
    """
    return "\n\n".join(_blocks(page)) + "\n"


def _blocks(page: Page) -> Iterator[str]:
    yield f"# {_escape_signs(page.title)}"
    if page.lead:
        yield _escape(page.lead)
    for section in page.sections:
        match section:
            case TextSection():
                yield f"## {_escape_signs(section.title)}"
                yield from map(_escape, section.paragraphs)
            case TableSection():
                yield f"## {_escape_signs(section.title)}"
                if section.rows:
                    rows = [section.header, ("---",) * len(section.header), *section.rows]
                    yield "\n".join(_row(row, rule=place == 1) for place, row in enumerate(rows))
                if section.note:
                    yield _escape(section.note)


def _row(cells: tuple[str, ...], *, rule: bool) -> str:
    return f"| {' | '.join(cell if rule else _escape_signs(cell) for cell in cells)} |"


def _escape(text: str) -> str:
    """A paragraph, which begins no list and no rule either."""
    return _OPENING.sub(r"\1\\\2", _escape_signs(text))


def _escape_signs(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", clean(" ".join(text.split())))
