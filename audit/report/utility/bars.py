"""Bars of a breakdown's first rows, lying, each under its name and its number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.report.utility.breakdowns import is_number, numbers, plotted_column, row_name, row_rest
from audit.report.utility.words import entry_text
from audit.utility.score import Breakdown

MAX_BARS = 10
"""The most rows that are drawn (a choice of this project)."""


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
    left_out: int


def bar_ends(details: Sequence[Breakdown], highest: float) -> tuple[float, float]:
    """The ends of a scale, 0 on it, that fits the breakdowns of several files.

    Where scores are drawn it reaches to the ``highest`` one, if that is finite.
    """
    found = [0.0]
    for detail in details:
        column = plotted_column(detail)
        if column is not None:
            found += numbers(detail, column)
            if detail.columns[column] == "score" and math.isfinite(highest):
                found.append(highest)
    return min(found), max(found)


def bars(detail: Breakdown, ends: tuple[float, float]) -> Bars | None:
    """The bars of a breakdown on a scale; None of one without numbers."""
    column = plotted_column(detail)
    if column is None:
        return None
    low, high = ends

    def share(value: float) -> float:
        if not high > low:
            return 0.0
        return min(max((value - low) / (high - low), 0.0), 1.0)

    rows = []
    for row in detail.rows[:MAX_BARS]:
        entry = row[column]
        value = float(entry) if isinstance(entry, int | float) and is_number(entry) else 0.0
        first, last = sorted((share(0.0), share(value)))
        rows.append(
            LyingBar(
                row_name(detail, row), entry_text(entry), row_rest(detail, row, column), first, last
            )
        )
    return Bars(detail.columns[column], tuple(rows), len(detail.rows) - len(rows))
