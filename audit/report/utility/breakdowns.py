"""Breakdowns read for their pictures, and the first rows of one as lying bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.report.utility.words import entry_text
from audit.utility.score import Breakdown, Entry

MAX_BARS = 10
"""The most rows that are drawn as bars."""


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
    values = (float(entry) for entry in entries if isinstance(entry, int | float))
    return tuple(value for value in values if math.isfinite(value))


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
    values = numbers(detail, column)
    return len(values) > 1 and values[0] < values[-1]


@dataclass(frozen=True)
class LyingBar:
    """One row: its name, its number, what else it says; the bar from ``start`` to ``end``.

    Both are shares of the width; without a number there is no bar, and they are equal.
    """

    name: str
    value: str
    rest: str
    start: float
    end: float


@dataclass(frozen=True)
class Bars:
    """The first rows of a breakdown; ``measure``: what is drawn."""

    measure: str
    rows: tuple[LyingBar, ...]


def bar_ends(details: Sequence[Breakdown], highest: float) -> tuple[float, float]:
    """The ends of a scale, 0 on it, that fits the breakdowns of several files.

    Where scores are drawn it reaches to the ``highest`` one, if that is finite.
    """
    values = [0.0]
    for detail in details:
        column = plotted_column(detail)
        if column is not None:
            values += numbers(detail, column)
            if detail.columns[column] == "score" and math.isfinite(highest):
                values.append(highest)
    return min(values), max(values)


def bars(detail: Breakdown, ends: tuple[float, float]) -> Bars | None:
    """The bars of a breakdown on a scale; None of one without numbers."""
    column = plotted_column(detail)
    if column is None:
        return None
    low, high = ends

    def share(value: float) -> float:
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0

    rows = []
    for row in detail.rows[:MAX_BARS]:
        entry = row[column]
        value = float(entry) if isinstance(entry, int | float) and is_number(entry) else 0.0
        start, end = sorted((share(0.0), share(value)))
        rest = row_rest(detail, row, column)
        rows.append(LyingBar(row_name(detail, row), entry_text(entry), rest, start, end))
    return Bars(detail.columns[column], tuple(rows))
