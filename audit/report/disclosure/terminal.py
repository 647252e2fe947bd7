"""Disclosure checks for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table

from audit.disclosure.checks import Disclosure
from audit.report.disclosure.view import sections
from audit.report.page import TableSection, TextSection
from audit.report.sheet import Adaptive, Sheet


def disclosure_lines(found: Disclosure) -> RenderableType:
    """The sections, the notice in a box."""
    return Adaptive(lambda sheet: Group(*_parts(sheet, found)))


def _parts(sheet: Sheet, found: Disclosure) -> Iterator[RenderableType]:
    notice, *rest = sections(found)
    assert isinstance(notice, TextSection)
    title = sheet.text(notice.title.upper(), "bold red")
    text = Group(title, *map(sheet.text, notice.paragraphs))
    yield Panel(text, box=box.ROUNDED, border_style="red", padding=(0, 1))
    for section in rest:
        yield sheet.heading(section.title)
        if isinstance(section, TextSection):
            yield from sheet.lines(section.paragraphs)
        elif isinstance(section, TableSection):
            yield sheet.indent(_table(sheet, section))
            yield from sheet.lines([section.note], "dim")
        yield sheet.text("")


def _table(sheet: Sheet, section: TableSection) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for head in section.header:
        table.add_column(sheet.text(head), overflow="fold")
    for row in section.rows:
        table.add_row(*map(sheet.text, row))
    return table
