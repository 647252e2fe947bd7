"""Heat maps of channels: colour by the logarithm of a chance, zero set apart.

Colours come in sixteen steps, once for light and once for dark surroundings.
Small channels become cells for an inline drawing, large ones a PNG.
"""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import Channel, FloatArray
from audit.report.words import plural, vector

STEPS = 16
MAX_DRAWN = 40
"""The most rows and the most columns whose cells are drawn one by one."""

MAX_DECADES = 12
"""Powers of ten below the largest chance that colours tell apart."""

MAX_PIXELS = 800

_LIGHT = ((0.0, "#e6eff2"), (0.35, "#9cc4cc"), (0.7, "#3d8496"), (1.0, "#0d3b4a"))
_DARK = ((0.0, "#21383f"), (0.35, "#2f6674"), (0.7, "#62acb9"), (1.0, "#e4f5f4"))

_LABEL_WIDTH = 6.6
_MAX_LABEL = 14


@dataclass(frozen=True)
class HeatCell:
    """One entry: its place and size in pixels, its colour step (None for zero), its value."""

    x: float
    y: float
    step: int | None
    text: str


@dataclass(frozen=True)
class Label:
    """The name of a row or a column, at its place."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class HeatMap:
    """A channel as a picture.

    ``cells``: the entries, where they are drawn one by one; otherwise empty, and
    ``light_png``, ``dark_png`` hold the picture in base64. ``legend``: the first
    chance of each colour step.
    """

    rows: int
    columns: int
    size: float
    left: float
    top: float
    cells: tuple[HeatCell, ...]
    row_labels: tuple[Label, ...]
    column_labels: tuple[Label, ...]
    upright: bool
    legend: tuple[str, ...]
    zeros: bool
    note: str
    light_png: str
    dark_png: str

    @property
    def width(self) -> float:
        """The drawing's width in pixels."""
        return self.left + self.columns * self.size

    @property
    def height(self) -> float:
        """The drawing's height in pixels."""
        return self.top + self.rows * self.size


def ramp(dark: bool) -> tuple[str, ...]:
    """The colours of the steps, from the least to the largest chance."""
    anchors = _DARK if dark else _LIGHT
    places = [place for place, _ in anchors]
    channels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for _, c in anchors])
    at = np.linspace(0, 1, STEPS)
    mixed = np.stack([np.interp(at, places, channels[:, k]) for k in range(3)], axis=1)
    return tuple("#" + "".join(f"{round(v):02x}" for v in row) for row in mixed.tolist())


def heat_map(channel: Channel) -> HeatMap:
    """The channel's chances as a picture."""
    chances = channel.centre
    positive = chances[chances > 0]
    high = math.log10(float(positive.max()))
    lowest = math.log10(float(positive.min()))
    low = max(lowest, high - MAX_DECADES)
    if high - low < 1e-9:
        low = high - 1
    rows, columns = chances.shape
    notes = []
    if lowest < low - 1e-9:
        notes.append(f"Chances below {10**low:.1e} are drawn as that.")
    legend = tuple(f"{10 ** (low + (high - low) * k / STEPS):.2g}" for k in range(STEPS))
    legend = (*legend, f"{10**high:.2g}")
    zeros = bool((chances == 0).any())
    if max(rows, columns) > MAX_DRAWN:
        block = -(-max(rows, columns) // MAX_PIXELS)
        if block > 1:
            notes.append(f"Each point shows the largest of {block} x {block} entries.")
        steps = _steps(_largest_of_blocks(chances, block), low, high)
        pictures = [_png(steps, rows, columns, dark) for dark in (False, True)]
        return HeatMap(
            rows, columns, 0, 0, 0, (), (), (), False, legend, zeros, " ".join(notes), *pictures
        )
    return _drawn(channel, _steps(chances, low, high), legend, zeros, " ".join(notes))


def _steps(chances: FloatArray, low: float, high: float) -> NDArray[np.int64]:
    """The colour step of every chance; -1 for zero."""
    with np.errstate(divide="ignore"):
        share = (np.log10(chances) - low) / (high - low)
    inside = np.where(chances > 0, np.clip(share * STEPS, 0, STEPS - 1), -1)
    return np.asarray(np.floor(inside), np.int64)


def _drawn(
    channel: Channel, steps: NDArray[np.int64], legend: tuple[str, ...], zeros: bool, note: str
) -> HeatMap:
    rows, columns = steps.shape
    size = float(min(44, max(14, 600 // max(rows, columns))))
    names = [vector(channel.counts(row)) for row in range(rows)]
    heads = [vector(output) for output in channel.outputs]
    wide, tall = max(map(len, names)), max(map(len, heads))
    left = 12 + wide * _LABEL_WIDTH if wide <= _MAX_LABEL else 0.0
    upright = tall * _LABEL_WIDTH > size - 4
    top = 0.0
    if tall <= _MAX_LABEL:
        top = 10 + tall * _LABEL_WIDTH if upright else 22.0
    chances = channel.centre.tolist()
    cells = tuple(
        HeatCell(
            left + column * size,
            top + row * size,
            None if step < 0 else step,
            f"{heads[column]} given {names[row]}: {chances[row][column]:.6g}",
        )
        for row, line in enumerate(steps.tolist())
        for column, step in enumerate(line)
    )
    row_labels = tuple(
        Label(left - 8, top + (row + 0.5) * size, name) for row, name in enumerate(names) if left
    )
    column_labels = tuple(
        Label(left + (column + 0.5) * size, top - 7, head)
        for column, head in enumerate(heads)
        if top
    )
    return HeatMap(
        rows,
        columns,
        size,
        left,
        top,
        cells,
        row_labels,
        column_labels,
        upright,
        legend,
        zeros,
        note,
        "",
        "",
    )


def alternative(channel: Channel) -> str:
    """What the picture shows, for those who do not see it."""
    return (
        f"{plural(len(channel.databases), 'database')} as rows, "
        f"{plural(len(channel.outputs), 'output')} as columns; the deeper the colour, "
        "the likelier the output. Zeros are hatched."
    )


def _largest_of_blocks(chances: FloatArray, block: int) -> FloatArray:
    if block == 1:
        return chances
    pads = [(0, -length % block) for length in chances.shape]
    padded = np.pad(chances, pads)
    rows, columns = (length // block for length in padded.shape)
    return np.asarray(padded.reshape(rows, block, columns, block).max(axis=(1, 3)))


def _png(steps: NDArray[np.int64], rows: int, columns: int, dark: bool) -> str:
    # Here, not above: most reports have no large channel, and the import takes long.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    ink = "#c3ccd0" if dark else "#3c474c"
    figure = Figure(figsize=(6.4, 6.4 * min(max(rows / columns, 0.4), 1.4)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.imshow(
        np.ma.masked_less(steps, 0),
        cmap=ListedColormap(list(ramp(dark))),
        vmin=-0.5,
        vmax=STEPS - 0.5,
        interpolation="nearest",
        aspect="auto",
        extent=(0.5, columns + 0.5, rows + 0.5, 0.5),
    )
    axes.patch.set(hatch="////", edgecolor="#5d6b70" if dark else "#b9c3c7", facecolor="none")
    axes.set_xlabel("output, by number", color=ink)
    axes.set_ylabel("database, by number", color=ink)
    axes.tick_params(colors=ink)
    for spine in axes.spines.values():
        spine.set_color(ink)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, transparent=True, metadata={"Software": None})
    return base64.b64encode(buffer.getvalue()).decode("ascii")
