"""Breakdowns read for their pictures: which column is drawn, and what names a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from audit.metrics.score import Breakdown, Entry
from audit.report.utility_words import entry_text

MEASURES = ("difference", "score", "variation", "error", "distance", "importance", "beyond")
"""Words in the name of a column that may be what its rows are ordered by."""


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


def measure_column(detail: Breakdown) -> int | None:
    """The column to draw: of those that the rows are ordered by, the one of a telling name.

    Rows come worst first, so that what they tell rises or falls, at least in size.
    None of a breakdown without numbers.
    """
    numeric = numeric_columns(detail)
    ordered = [column for column in numeric if _ordered([row[column] for row in detail.rows])]
    named = [
        column
        for column in numeric
        if any(word in detail.columns[column].lower() for word in MEASURES)
    ]
    for candidates in ([c for c in ordered if c in named], ordered, named, numeric):
        if candidates:
            return candidates[0]
    return None


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


def _ordered(entries: Sequence[Entry]) -> bool:
    found = [float(entry) for entry in entries if isinstance(entry, int | float)]
    sizes = [abs(value) for value in found]
    return any(
        all(a >= b for a, b in pairwise(values)) or all(a <= b for a, b in pairwise(values))
        for values in (found, sizes)
    )
