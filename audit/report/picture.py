"""Pictures: marks in a box between two axes, spans on one axis, and coloured cells.

A mark lies at the values that it stands for; `Box.place` alone turns values into pixels. Whatever
is drawn stays inside the box: a value beyond an axis' end is drawn at that end.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from audit.report.powers import raise_digits

GRAIN = 0.25
"""Points of a curve that are nearer to each other than so many pixels are drawn as one."""

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)

MAX_DECADES = 6
"""The most powers of ten that an axis names."""

COLOURS = 16
"""The steps from the palest colour of a cell to the deepest."""

ROOM = 600
"""Pixels that coloured cells take at most across and down, unless told otherwise."""

_LIGHT = ((0.0, "#e6eff2"), (0.35, "#9cc4cc"), (0.7, "#3d8496"), (1.0, "#0d3b4a"))
_DARK = ((0.0, "#21383f"), (0.35, "#2f6674"), (0.7, "#62acb9"), (1.0, "#e4f5f4"))
_MIDDLE = ((COLOURS // 2 - 1) / (COLOURS - 1), COLOURS // 2 / (COLOURS - 1))
_LIGHT_SIDES = (
    *((0.0, "#6e420a"), (0.25, "#c79a56"), (_MIDDLE[0], "#f1efe8")),
    *((_MIDDLE[1], "#f1efe8"), (0.75, "#6fabb8"), (1.0, "#0d3b4a")),
)
_DARK_SIDES = (
    *((0.0, "#f3c98a"), (0.25, "#96702f"), (_MIDDLE[0], "#262d31")),
    *((_MIDDLE[1], "#262d31"), (0.75, "#3f8496"), (1.0, "#c4eef0")),
)
_ANCHORS = {
    (False, False): _LIGHT,
    (True, False): _DARK,
    (False, True): _LIGHT_SIDES,
    (True, True): _DARK_SIDES,
}


Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """``low`` to ``high``, evenly or by the logarithm; ``ticks``: values with their labels."""

    name: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, in [0, 1]."""
        if value <= self.low:
            return 0.0
        if value >= self.high:
            return 1.0
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def even_axis(name: str, low: float, high: float) -> Axis:
    """An even axis from ``low`` to ``high`` > ``low``."""
    return Axis(name, low, high, round_ticks(low, high))


def from_zero(name: str, top: float) -> Axis:
    """An even axis from 0 to ``top`` > 0."""
    return even_axis(name, 0.0, top)


def round_ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Round values from ``low`` to ``high`` with their labels, five or so."""
    power = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(s * power for s in _STEPS if s * power >= (high - low) / 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple((step * k, f"{step * k:,.6g}".replace("-", "−")) for k in range(first, last + 1))


def percentages(name: str) -> Axis:
    """The probabilities from 0 to 100 %."""
    return Axis(name, 0.0, 1.0, tuple((k / 4, f"{25 * k} %") for k in range(5)))


def decades(name: str, first: int, last: int) -> Axis:
    """A logarithmic axis from 10^``first`` to 10^``last``."""
    step = -(-(last - first) // MAX_DECADES)
    ticks = tuple((10.0**power, _power(power)) for power in range(last, first - 1, -step))
    return Axis(name, 10.0**first, 10.0**last, ticks, logarithmic=True)


def _power(power: int) -> str:
    return f"{10.0**power:g}" if -3 < power < 3 else "10" + raise_digits(power)


def doublings(name: str, top: float) -> Axis:
    """A logarithmic axis from 1 to ``top``, a power of two."""
    ticks = tuple((2.0**k, f"{2**k}") for k in range(round(math.log2(top)) + 1))
    return Axis(name, 1.0, top, ticks, logarithmic=True)


@dataclass(frozen=True)
class Box:
    """The field between two axes, ``height`` pixels high."""

    x: Axis
    y: Axis
    height: float

    left: ClassVar[float] = 56.0
    right: ClassVar[float] = 394.0
    top: ClassVar[float] = 12.0

    @property
    def bottom(self) -> float:
        """Where the box ends, in pixels downwards."""
        return self.top + self.height

    def place(self, x: float, y: float) -> Point:
        """Where two values lie, in pixels from the drawing's upper left corner."""
        across = self.left + self.x.share(x) * (self.right - self.left)
        return across, self.top + (1 - self.y.share(y)) * self.height

    def path(self, points: Iterable[Point]) -> str:
        """Values joined by straight lines, as an SVG path."""
        places = [self.place(*point) for point in points]
        kept = places[:1]
        for place in places[1:-1]:
            if math.dist(place, kept[-1]) >= GRAIN:
                kept.append(place)
        return "M" + " L".join(f"{x:.2f},{y:.2f}" for x, y in (*kept, *places[1:][-1:]))


@dataclass(frozen=True)
class Line:
    """Points joined by straight lines; ``kind``: the name of its look in the stylesheet."""

    kind: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Dot:
    """A mark at a point; ``text``: what it stands for; ``radius`` in pixels."""

    kind: str
    x: float
    y: float
    text: str
    radius: float = 4.5


@dataclass(frozen=True)
class Bar:
    """An upright bar from 0 to ``y``, ``width`` wide about ``x``; ``text``: what it stands for."""

    x: float
    y: float
    text: str
    width: float = 0.5


@dataclass(frozen=True)
class Label:
    """Words beside a point, ``right`` and ``down`` of it by pixels; left of it they end there."""

    kind: str
    x: float
    y: float
    text: str
    right: float
    down: float


@dataclass(frozen=True)
class Plot:
    """A picture with its words.

    ``reading``: how to read it. ``fact``: the sentence to take away, which needs no picture.
    ``areas``: lines whose inside is filled.
    """

    title: str
    reading: str
    fact: str
    box: Box
    areas: tuple[Line, ...] = ()
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    dots: tuple[Dot, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def description(self) -> str:
        """What it shows, for those who do not see it."""
        x, y = self.box.x, self.box.y
        return (
            f"Across: {x.name}, from {x.low:.3g} to {x.high:.3g}. "
            f"Upwards: {y.name}, from {y.low:.3g} to {y.high:.3g}. {self.fact}"
        )


@dataclass(frozen=True)
class Span:
    """A line from a hollow mark at ``start`` to a full one at ``end``; ``text``: both in words."""

    name: str
    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Spans:
    """Spans on one axis; ``hollow``, ``full``: what the two marks stand for."""

    title: str
    axis: Axis
    hollow: str
    full: str
    rows: tuple[Span, ...]


@dataclass(frozen=True)
class Side:
    """Lying bars of several tables, ``shares`` of the width; ``cut``: those that are longer."""

    name: str
    text: str
    shares: tuple[float, ...]
    cut: tuple[bool, ...]


@dataclass(frozen=True)
class Sides:
    """Rows of bars, one a table, in the order of a legend that stands once for many pictures.

    ``reading`` and ``fact`` as those of a plot.
    """

    title: str
    reading: str
    fact: str
    rows: tuple[Side, ...]

    height: ClassVar[int] = 6
    """Of a bar with the gap below it, in pixels."""


@dataclass(frozen=True)
class Cell:
    """A cell of colour ``step``, from 0 to `COLOURS` - 1; hatched where it has none.

    ``text``: what it stands for; ``inside``: what is written on it.
    """

    step: int | None
    text: str
    inside: str = ""


@dataclass(frozen=True)
class Cells:
    """Coloured cells in named columns and rows; a row may be shorter than the columns.

    ``alternative``: what it shows, for those who do not see it. ``legend``: values along the
    colours, evenly spaced. ``hatched``: what a cell without a colour means, empty without any.
    ``pictures``: PNG files in base64, for light and for dark surroundings, of cells that are too
    many to have names; else empty. ``room``: pixels that they may take. ``two_sided``: colours
    part in the middle, which stands for 0.
    """

    title: str
    alternative: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    legend: tuple[str, ...]
    hatched: str
    caption: str
    pictures: tuple[str, ...] = ()
    room: int = ROOM
    two_sided: bool = False

    @property
    def size(self) -> int:
        """The width and height of a cell, in pixels."""
        return cell_size(len(self.columns), len(self.rows), self.room)

    @property
    def look(self) -> str:
        """What the names of the colours begin with in the stylesheet."""
        return "s" if self.two_sided else "h"


def cell_size(columns: int, rows: int, room: int = ROOM) -> int:
    """The width and height of a cell, in pixels."""
    return min(44, max(14, room // max(columns, rows)))


def ramp(dark: bool, two_sided: bool = False) -> tuple[str, ...]:
    """The colours of the steps, for light or for dark surroundings."""
    anchors = _ANCHORS[dark, two_sided]
    places = [place for place, _ in anchors]
    channels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for _, c in anchors])
    at = np.linspace(0, 1, COLOURS)
    mixed = np.stack([np.interp(at, places, channels[:, k]) for k in range(3)], axis=1)
    return tuple("#" + "".join(f"{round(v):02x}" for v in row) for row in mixed.tolist())


def png(steps: NDArray[np.int64], dark: bool) -> str:
    """A pixel for every colour step as a PNG file in base64; -1 is transparent.

    Source: W3C, "Portable Network Graphics (PNG) Specification", 11.2 and 11.3.2.1.
    """
    height, width = steps.shape
    lines = np.zeros((height, width + 1), np.uint8)  # Each begins with its filter: none.
    lines[:, 1:] = steps % (COLOURS + 1)
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0),
        b"PLTE": bytes.fromhex("".join(ramp(dark)).replace("#", "")) + bytes(3),
        b"tRNS": bytes([255] * COLOURS + [0]),
        b"IDAT": zlib.compress(lines.tobytes(), 9),
        b"IEND": b"",
    }
    written = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(written)).decode("ascii")
