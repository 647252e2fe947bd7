"""Breakdowns read for their pictures: which column is drawn, and what names a row."""

from __future__ import annotations

import math
from collections.abc import Sequence

from audit.report.utility.words import entry_text
from audit.utility.score import Breakdown, Entry


def is_number(entry: Entry) -> bool:
    """Whether an entry is a number, be it infinite."""
    return isinstance(entry, int | float) and not math.isnan(entry)


def numeric_columns(detail: Breakdown) -> tuple[int, ...]:
    """The columns of numbers and undefined ones, with one number at least."""
    return tuple(
        column
        for column in range(len(detail.columns))
        if all(row[column] is None or not isinstance(row[column], str) for row in detail.rows)
        and any(is_number(row[column]) for row in detail.rows)
    )


def plotted_column(detail: Breakdown) -> int | None:
    """The column to draw: the one that is named, else the first of numbers; None without any."""
    if detail.plotted:
        return detail.columns.index(detail.plotted)
    return min(numeric_columns(detail), default=None)


def numbers(detail: Breakdown, column: int) -> tuple[float, ...]:
    """The finite numbers of a column."""
    entries = (row[column] for row in detail.rows)
    found = (float(entry) for entry in entries if isinstance(entry, int | float))
    return tuple(value for value in found if math.isfinite(value))


def row_name(detail: Breakdown, row: Sequence[Entry]) -> str:
    """A row by the texts before its numbers: ``age × sex`` of a pair."""
    first = min(numeric_columns(detail), default=len(row))
    joint = " × " if detail.name == "pairs" else ", "
    return joint.join(entry_text(entry) for entry in row[:first]) or "–"


def row_rest(detail: Breakdown, row: Sequence[Entry], drawn: int) -> str:
    """What a row says beside its name and the column that is drawn."""
    first = min(numeric_columns(detail), default=len(row))
    return " · ".join(
        f"{detail.columns[column]} {entry_text(row[column])}"
        for column in range(first, len(row))
        if column != drawn
    )


def rises(detail: Breakdown, column: int) -> bool:
    """Whether the worst rows, which come first, have the smallest numbers."""
    found = numbers(detail, column)
    return len(found) > 1 and found[0] < found[-1]
