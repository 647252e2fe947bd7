"""Decisions for a terminal: a paragraph a figure, as notes are longer than columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from audit.report.criteria.view import sections, summarise
from audit.report.page import TableSection, TextSection
from audit.report.sheet import Adaptive, Sheet
from audit.review.criteria.deciding import Decisions

_STYLES = {"met": "green", "not met": "red", "undecided": "yellow"}


def decisions_lines(decisions: Decisions) -> RenderableType:
    """The answer, then each figure beside its threshold."""
    return Adaptive(lambda sheet: Group(*_parts(sheet, decisions)))


def _parts(sheet: Sheet, decisions: Decisions) -> Iterator[RenderableType]:
    yield sheet.text(summarise(decisions), f"bold {_STYLES[decisions.answer.value]}")
    yield Text()
    for section in sections(decisions):
        if isinstance(section, TableSection):
            for row in section.rows:
                yield from _row(sheet, row)
            yield Text()
        elif isinstance(section, TextSection) and section.title != "Decision":
            yield from sheet.lines(section.paragraphs, "dim")


def _row(sheet: Sheet, row: tuple[str, ...]) -> Iterator[RenderableType]:
    criterion, answer, figure, value, asked, report, note = row
    head = sheet.text(criterion, "bold")
    yield Text.assemble(head, ": ", (answer, _STYLES[answer]), overflow="fold")
    yield from sheet.lines([f"{figure} = {value}; asked: {asked}"])
    yield from sheet.lines([", ".join(part for part in (report, note) if part)], "dim")
