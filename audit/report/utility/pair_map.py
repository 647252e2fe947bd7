"""A number for every two of some things, as one half of a square of coloured cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from audit.report.picture import COLOURS, Cell, Cells, cell_size
from audit.report.utility.words import value_text
from audit.report.words import short

MAX_NAMES = 40
"""The most things whose pairs are drawn."""

ROOMY = 34
"""From so many pixels on a cell has its number written in it."""

LONGEST_NAME = 26


def pair_map(
    title: str,
    reading: str,
    names: Sequence[str],
    values: Mapping[tuple[str, str], float],
    ends: tuple[float, float],
    deep_is_low: bool,
) -> Cells:
    """``values`` of pairs of names, in either order, coloured between ``ends``.

    Of more than ``MAX_NAMES`` names the first are drawn.
    """
    kept = list(names[:MAX_NAMES])
    texts = [short(name, LONGEST_NAME) for name in kept]
    roomy = cell_size(len(kept) - 1, 1) >= ROOMY

    def cell(column: str, row: str) -> Cell:
        value = values.get((row, column), values.get((column, row)))
        if value is None:
            return Cell(None, f"{column} × {row}: no value")
        return Cell(
            colour_step(value, ends, deep_is_low),
            f"{column} × {row}: {value_text(value, 4)}",
            value_text(value, 2) if roomy else "",
        )

    rows = tuple(
        (texts[k], tuple(cell(column, row) for column in kept[:k]))
        for k, row in enumerate(kept)
        if k
    )
    low, high = (value_text(end, 3) for end in ends)
    legend = (high, low) if deep_is_low else (low, high)
    gaps = any(cell.step is None for _, cells in rows for cell in cells)
    return Cells(
        title,
        f"{reading} From {legend[0]} to {legend[1]}.",
        tuple(texts[:-1]),
        rows,
        legend,
        "no value" if gaps else "",
        reading,
    )


def colour_step(value: float, ends: tuple[float, float], deep_is_low: bool) -> int:
    """The colour step of a value; the deepest at the low end, or at the high one."""
    low, high = ends
    flat = math.isinf(value) or high <= low
    share = float(value > low) if flat else (value - low) / (high - low)
    share = 1 - share if deep_is_low else share
    return min(max(math.floor(share * COLOURS), 0), COLOURS - 1)
