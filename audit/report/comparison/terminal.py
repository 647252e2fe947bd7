"""A comparison for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table

from audit.report.certificate.terminal import comparison_lines
from audit.report.comparison.view import sections
from audit.report.page import ComparisonSection, TableSection, TextSection
from audit.report.sheet import Adaptive, Sheet
from audit.review.comparison.comparing import Comparison

ABREAST = 3
"""Certificates beside each other in a table: as many as eighty columns bear."""


def comparing_lines(found: Comparison) -> RenderableType:
    """The sections; what nobody should overlook stands in boxes."""
    return Adaptive(lambda sheet: Group(*_parts(sheet, found)))


def _parts(sheet: Sheet, found: Comparison) -> Iterator[RenderableType]:
    for section in sections(found):
        if isinstance(section, TextSection):
            lines = [sheet.text(section.title.upper(), "bold red")]
            lines += [sheet.text(line) for line in section.paragraphs]
            yield Panel(Group(*lines), box=box.ROUNDED, border_style="red", padding=(0, 1))
            continue
        yield sheet.heading(section.title)
        if isinstance(section, ComparisonSection):
            yield from sheet.lines([section.note], "dim")
            yield comparison_lines(section.entries)
        elif isinstance(section, TableSection):
            for table in _tables(sheet, section):
                yield sheet.indent(table)
            yield from sheet.lines([section.note], "dim")
        yield sheet.text("")


def _tables(sheet: Sheet, section: TableSection) -> Iterator[Table]:
    """The table in blocks of a few columns, each with the first beside it."""
    if not section.rows:
        return
    for start in range(1, len(section.header), ABREAST):
        columns = (0, *range(start, min(start + ABREAST, len(section.header))))
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for column in columns:
            table.add_column(sheet.text(section.header[column]), overflow="fold")
        for row in section.rows:
            table.add_row(*(sheet.text(row[column]) for column in columns))
        yield table
