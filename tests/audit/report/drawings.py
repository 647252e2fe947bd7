"""Drawings read back: places of a path, and the values that they stand for."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from itertools import pairwise

from audit.report.picture import Axis, Box, Dot, Label, Line, Plot

Point = tuple[float, float]

PIXEL = 0.02
"""More than the rounding of a place in a path."""


def places(path: str) -> list[Point]:
    """The corners of a path of straight lines."""
    assert re.fullmatch(r"M[-\d.]+,[-\d.]+( L[-\d.]+,[-\d.]+)*", path), path
    return [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+),([-\d.]+)", path)]


def line(plot: Plot, kind: str) -> list[Point]:
    """The corners of the one line of a kind."""
    (found,) = [drawn for drawn in plot.lines if drawn.kind == kind]
    return places(plot.box.path(found.points))


def at(plot: Plot, mark: Dot | Label) -> Point:
    """Where a mark, or the beginning of words, is drawn."""
    x, y = plot.box.place(mark.x, mark.y)
    return (x + mark.right, y + mark.down) if isinstance(mark, Label) else (x, y)


def joined(plot: Plot) -> list[Line]:
    """The lines through values: all but those that lead from a dot to its name."""
    return [drawn for drawn in plot.lines if drawn.kind != "leader"]


def height_at(corners: list[Point], x: float) -> float:
    """The height in pixels of a line at a place across."""
    right = max(bisect_left(corners, (x,)), 1)
    (x0, y0), (x1, y1) = corners[right - 1], corners[min(right, len(corners) - 1)]
    return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def values(box: Box, place: Point) -> Point:
    """The values at a place: by hand, from the box' four corners."""
    across = (place[0] - box.left) / (box.right - box.left)
    up = (box.bottom - place[1]) / (box.bottom - box.top)
    return _value(box.x, across), _value(box.y, up)


def _value(axis: Axis, share: float) -> float:
    if axis.logarithmic:
        return math.exp((1 - share) * math.log(axis.low) + share * math.log(axis.high))
    return axis.low + share * (axis.high - axis.low)


def assert_inside(plot: Plot) -> None:
    """Everything that is drawn lies in the box, and is a number."""
    box = plot.box
    lines = (*joined(plot), *plot.areas)
    points = [place for drawn in lines for place in places(box.path(drawn.points))]
    points += [at(plot, dot) for dot in plot.dots]
    for bar in plot.bars:
        assert bar.width > 0 <= bar.y
        points += [box.place(bar.x + side * bar.width / 2, bar.y) for side in (-1, 1)]
    for x, y in points:
        assert box.left - PIXEL <= x <= box.right + PIXEL
        assert box.top - PIXEL <= y <= box.bottom + PIXEL
    for label in plot.labels:
        x, y = at(plot, label)
        assert 0 <= x <= box.right + 10 and 0 <= y <= box.bottom


def assert_rises(corners: list[Point]) -> None:
    """From left to right, a line never falls."""
    assert all(a[0] <= b[0] and a[1] >= b[1] for a, b in pairwise(corners))


def assert_falls(corners: list[Point]) -> None:
    """From left to right, a line never rises."""
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(corners))
