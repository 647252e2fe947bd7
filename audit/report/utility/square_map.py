"""Pictures of a number for every two of some things: one half of a square, coloured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.report.channel.heatmap import STEPS
from audit.report.utility.words import value_text
from audit.report.words import short

MAX_NAMES = 40
"""The most things whose pairs are drawn."""

ROOMY = 34.0
"""From so many pixels on a cell has its number written in it."""

_LARGEST, _SMALLEST, _ACROSS = 48.0, 15.0, 430.0
_MAX_LABEL = 26
_WIDE, _NARROW = 9.0, 7.0


@dataclass(frozen=True)
class SquareCell:
    """One pair: place in pixels, colour step (None without a number), words, number inside."""

    x: float
    y: float
    step: int | None
    text: str
    inside: str

    @property
    def deep(self) -> bool:
        """Whether the colour is so deep that writing on it is light."""
        return self.step is not None and self.step >= STEPS * 5 // 8


@dataclass(frozen=True)
class SquareMap:
    """The lower half of a square; each thing is named left of its row and atop its column.

    ``labels``: words that end at a place, left; ``heads``: words that begin at one.
    ``legend``: the values at the first and last colour step. ``gaps``: some pair has no
    number. ``left_out``: things without a place.
    """

    size: float
    width: float
    height: float
    cells: tuple[SquareCell, ...]
    labels: tuple[tuple[float, float, str], ...]
    heads: tuple[tuple[float, float, str], ...]
    legend: tuple[str, str]
    gaps: bool
    left_out: int


def square_map(
    names: Sequence[str],
    values: Mapping[tuple[str, str], float],
    ends: tuple[float, float],
    deep_is_low: bool,
) -> SquareMap:
    """The picture of ``values`` of pairs of names, in either order, coloured between ``ends``.

    Of more than ``MAX_NAMES`` names the first are drawn.
    """
    kept = list(names[:MAX_NAMES])
    size = min(_LARGEST, max(_SMALLEST, _ACROSS / max(len(kept) - 1, 1)))
    texts = [short(name, _MAX_LABEL) for name in kept]
    left = 12 + max(map(_width, texts))
    top = 22.0
    cells = []
    for row in range(1, len(kept)):
        for column in range(row):
            value = values.get((kept[row], kept[column]), values.get((kept[column], kept[row])))
            cells.append(
                SquareCell(
                    left + column * size,
                    top + (row - 1) * size,
                    None if value is None else colour_step(value, ends, deep_is_low),
                    f"{kept[column]} × {kept[row]}: "
                    + ("no value" if value is None else value_text(value, 4)),
                    "" if value is None or size < ROOMY else value_text(value, 2),
                )
            )
    low, high = (value_text(end, 3) for end in ends)
    return SquareMap(
        size,
        max(
            left + (len(kept) - 1) * size,
            *(left + k * size + 4 + _width(text) for k, text in enumerate(texts[:-1])),
        ),
        top + (len(kept) - 1) * size + 4,
        tuple(cells),
        tuple((left - 8, top + (k + 0.5) * size, text) for k, text in enumerate(texts[1:])),
        tuple((left + k * size + 2, top + k * size - 6, text) for k, text in enumerate(texts[:-1])),
        (high, low) if deep_is_low else (low, high),
        any(cell.step is None for cell in cells),
        len(names) - len(kept),
    )


def _width(text: str) -> float:
    """Pixels that a name needs at most."""
    return sum(_WIDE if letter.isupper() or letter == "_" else _NARROW for letter in text)


def colour_step(value: float, ends: tuple[float, float], deep_is_low: bool) -> int:
    """The colour step of a value; the deepest at the low end, or at the high one."""
    low, high = ends
    flat = math.isinf(value) or high <= low
    share = float(value > low) if flat else (value - low) / (high - low)
    share = 1 - share if deep_is_low else share
    return min(max(math.floor(share * STEPS), 0), STEPS - 1)
