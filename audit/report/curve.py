"""Plots: curves, bars and dots in a box between two axes, as places in a drawing's pixels.

Whatever is drawn stays inside the box: a value beyond an axis' end is drawn at that end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

LEFT, RIGHT, TOP, BOTTOM = 56.0, 10.0, 12.0, 46.0
"""Room around the box, in pixels, for the names and the ticks of its axes."""

WIDTH = 338.0
"""The box' width in pixels."""

GRAIN = 0.25
"""Points of a curve that are nearer to each other than so many pixels are drawn as one."""

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)

MAX_DECADES = 6
"""The most powers of ten that an axis names."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Point = tuple[float, float]


def round_ticks(top: float) -> tuple[tuple[float, str], ...]:
    """Round values from 0 to ``top`` with their labels, five or so."""
    power = 10.0 ** math.floor(math.log10(top / 4))
    step = next(s * power for s in _STEPS if s * power >= top / 6)
    count = math.floor(top / step * (1 + 1e-12))
    return tuple((step * k, f"{step * k:.6g}") for k in range(count + 1))


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


def from_zero(name: str, top: float) -> Axis:
    """An even axis from 0 to ``top`` > 0."""
    return Axis(name, 0.0, top, round_ticks(top))


def percentages(name: str) -> Axis:
    """The chances from 0 to 100 %."""
    return Axis(name, 0.0, 1.0, tuple((k / 4, f"{25 * k} %") for k in range(5)))


def decades(name: str, first: int, last: int) -> Axis:
    """A logarithmic axis from 10^``first`` to 10^``last``."""
    step = -(-(last - first) // MAX_DECADES)
    ticks = tuple((10.0**power, _power(power)) for power in range(last, first - 1, -step))
    return Axis(name, 10.0**first, 10.0**last, ticks, logarithmic=True)


def _power(power: int) -> str:
    return f"{10.0**power:g}" if -3 < power < 3 else "10" + str(power).translate(_RAISED)


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

    @property
    def left(self) -> float:
        """Where the box begins, in pixels across."""
        return LEFT

    @property
    def right(self) -> float:
        """Where the box ends, in pixels across."""
        return LEFT + WIDTH

    @property
    def top(self) -> float:
        """Where the box begins, in pixels downwards."""
        return TOP

    @property
    def bottom(self) -> float:
        """Where the box ends, in pixels downwards."""
        return TOP + self.height

    def place(self, x: float, y: float) -> Point:
        """Where two values lie, in pixels from the drawing's upper left corner."""
        return LEFT + self.x.share(x) * WIDTH, TOP + (1 - self.y.share(y)) * self.height

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
    """A path of one ``kind``, the name of its look in the stylesheet."""

    kind: str
    path: str


@dataclass(frozen=True)
class Dot:
    """A mark at a place in pixels; ``text``: what it stands for."""

    kind: str
    x: float
    y: float
    text: str
    radius: float = 4.5


@dataclass(frozen=True)
class Bar:
    """An upright bar in pixels; ``text``: what it stands for."""

    x: float
    y: float
    width: float
    height: float
    text: str


@dataclass(frozen=True)
class Label:
    """Words at a place in pixels, of the look of what they name.

    ``anchor``: which end of the words is there, "start" or "end".
    """

    kind: str
    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Plot:
    """A picture with its words.

    ``reading``: how to read it. ``fact``: the sentence to take away, which needs no picture.
    ``description``: what it shows, for those who do not see it. ``areas``: paths that are filled.
    """

    title: str
    reading: str
    fact: str
    description: str
    box: Box
    areas: tuple[Line, ...] = ()
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    dots: tuple[Dot, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def width(self) -> float:
        """The drawing's width in pixels."""
        return self.box.right + RIGHT

    @property
    def height(self) -> float:
        """The drawing's height in pixels."""
        return self.box.bottom + BOTTOM

    @property
    def x_ticks(self) -> tuple[tuple[float, str], ...]:
        """Places along the lower axis with their labels."""
        axis = self.box.x
        return tuple((self.box.place(value, 0)[0], label) for value, label in axis.ticks)

    @property
    def y_ticks(self) -> tuple[tuple[float, str], ...]:
        """Places along the left axis with their labels."""
        axis = self.box.y
        return tuple((self.box.place(0, value)[1], label) for value, label in axis.ticks)
