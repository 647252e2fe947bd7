"""Heat maps of channels: colour by the logarithm of a probability, zero set apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import Channel, FloatArray
from audit.report.picture import COLOURS, Cell, Cells, png
from audit.report.words import plural, short, vector

MAX_DRAWN = 40
"""The most rows and the most columns whose cells are drawn one by one."""

MAX_DECADES = 12
"""Powers of ten below the largest probability that colours tell apart."""

MAX_PIXELS = 800

LONGEST_NAME = 26
"""Characters of a database or of an output beside the cells."""


@dataclass(frozen=True)
class Shade:
    """Between which powers of ten colours tell chances apart."""

    low: float
    high: float


def common_shade(channels: Sequence[Channel]) -> Shade:
    """One scale of colours for the channels of a page, so that equal chances look equal."""
    ends = [np.log10(channel.centre[channel.centre > 0]) for channel in channels]
    high = max((float(each.max()) for each in ends), default=0.0)
    low = min((float(each.min()) for each in ends), default=-1.0)
    return Shade(high - 1 if high - low < 1e-9 else max(low, high - MAX_DECADES), high)


def heat_map(channel: Channel, shade: Shade | None = None) -> Cells:
    """The channel's probabilities as a picture: databases down, outputs across.

    ``shade``: the scale of colours (default: the channel's own).
    """
    chances = channel.centre
    shade = common_shade([channel]) if shade is None else shade
    low, high = shade.low, shade.high
    lowest = math.log10(float(chances[chances > 0].min()))
    rows, columns = chances.shape
    caption = "Colour by the logarithm of the chance; databases down, outputs across."
    if lowest < low - 1e-9:
        caption += f" Chances below {10**low:.1e} are drawn as that."
    pictures: tuple[str, ...] = ()
    if max(rows, columns) > MAX_DRAWN:
        caption += f" Databases are numbered 1 to {rows}, outputs 1 to {columns}."
        block = -(-max(rows, columns) // MAX_PIXELS)
        if block > 1:
            caption += f" Each point shows the largest of {block} x {block} entries."
        steps = _steps(_largest_of_blocks(chances, block), low, high)
        pictures = tuple(png(steps, dark) for dark in (False, True))
    return Cells(
        "Heat map of the channel",
        f"{plural(rows, 'database')} as rows, {plural(columns, 'output')} as columns; the deeper "
        "the colour, the likelier the output. Zeros are hatched.",
        () if pictures else tuple(short(vector(o), LONGEST_NAME) for o in channel.outputs),
        () if pictures else _cells(channel, _steps(chances, low, high)),
        tuple(f"{10**place:.2g}" for place in (low, (low + high) / 2, high)),
        "never occurs (0)" if (chances == 0).any() else "",
        caption,
        pictures,
    )


def _cells(channel: Channel, steps: NDArray[np.int64]) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    heads = [vector(output) for output in channel.outputs]
    rows = []
    for row, (colours, chances) in enumerate(
        zip(steps.tolist(), channel.centre.tolist(), strict=True)
    ):
        name = vector(channel.counts(row))
        cells = tuple(
            Cell(None if step < 0 else step, f"{head} given {name}: {chance:.6g}")
            for head, step, chance in zip(heads, colours, chances, strict=True)
        )
        rows.append((short(name, LONGEST_NAME), cells))
    return tuple(rows)


def _steps(chances: FloatArray, low: float, high: float) -> NDArray[np.int64]:
    """The colour step of every probability; -1 for zero."""
    with np.errstate(divide="ignore"):
        share = (np.log10(chances) - low) / (high - low)
    inside = np.where(chances > 0, np.clip(share * COLOURS, 0, COLOURS - 1), -1)
    return np.asarray(np.floor(inside), np.int64)


def _largest_of_blocks(chances: FloatArray, block: int) -> FloatArray:
    pads = [(0, -length % block) for length in chances.shape]
    padded = np.pad(chances, pads)
    rows, columns = (length // block for length in padded.shape)
    return np.asarray(padded.reshape(rows, block, columns, block).max(axis=(1, 3)))
