"""Linear equations over the rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Rows = Sequence[Sequence[Fraction]]


def dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def rank(rows: Rows) -> int:
    """How many of the rows are independent."""
    return len(_reduce([list(row) for row in rows])[1])


def solve(rows: Rows, right: Sequence[Fraction]) -> list[Fraction] | None:
    """A solution x of ``rows``·x = ``right``, zero where it is free; None where there is none."""
    width = len(rows[0]) if rows else 0
    reduced, pivots = _reduce([[*row, value] for row, value in zip(rows, right, strict=True)])
    if width in pivots:
        return None
    found = [Fraction(0)] * width
    for row, pivot in zip(reduced, pivots, strict=False):
        found[pivot] = row[width]
    return found


def _reduce(rows: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """The reduced echelon form, and the columns of its pivots."""
    pivots: list[int] = []
    width = len(rows[0]) if rows else 0
    for column in range(width):
        place = len(pivots)
        best = next((i for i in range(place, len(rows)) if rows[i][column]), None)
        if best is None:
            continue
        rows[place], rows[best] = rows[best], rows[place]
        head = rows[place][column]
        rows[place] = [value / head for value in rows[place]]
        for i, row in enumerate(rows):
            if i != place and row[column]:
                times = row[column]
                rows[i] = [a - times * b for a, b in zip(row, rows[place], strict=True)]
        pivots.append(column)
    return rows, pivots
