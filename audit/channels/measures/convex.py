"""Convex piecewise-linear curves: hulls of many points, the highest of several curves.

Points are doubles or fractions alike: the arrays are of either kind, and the only difference is
what a rounding may cost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Doubles, or fractions as objects."""

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Point = tuple[Fraction, Fraction]
Curve = tuple[Point, ...]
"""The breakpoints of a convex curve from left to right, joined by straight lines."""

CHORD_ROUNDINGS = 12
"""More roundings than a chord's height and its comparison with a point take in doubles: six of
operations, and three of products below the normal doubles."""

INTERPOLATION_ERROR = 2.0**-48
"""More than the error of `numpy.interp` between heights of at most 2: seven roundings."""

FEW = 4096
"""Below so many points they are visited one by one."""


@dataclass(frozen=True)
class Hull:
    """The lower convex hull of all points that it was given, as its vertices from left to right.

    Coordinates are 0 or normal doubles with room below them, or fractions, and not negative.
    ``labels``: one integer a vertex. ``roundoff``: the relative error of one operation on the
    coordinates, 0 for fractions. ``slack``: what roundings have cost.

    Guarantee
    ---------
    No point that was given lies below 1 - ``slack`` times the height of the hull at its place.
    The vertices are found by comparisons that may be wrong in doubles, so that every point is
    compared with the hull that was found, and the slack grows by what it lies below. Backed by
    ``tests/audit/channels/measures/test_convex.py``.
    """

    x: Numbers
    y: Numbers
    labels: IntArray
    roundoff: Fraction
    slack: Fraction = Fraction(0)

    def including(self, x: Numbers, y: Numbers, labels: IntArray) -> Hull:
        """The hull of the points so far and of more."""
        for maybe_below in (self._near, self._below):
            chosen = maybe_below(x, y)
            x, y, labels = x[chosen], y[chosen], labels[chosen]
        rounding = CHORD_ROUNDINGS * self.roundoff
        if not len(x):
            return replace(self, slack=self.slack + rounding)
        x, y = np.concatenate([self.x, x]), np.concatenate([self.y, y])
        labels = np.concatenate([self.labels, labels])
        kept = vertices(x, y)
        found = replace(self, x=x[kept], y=y[kept], labels=labels[kept])
        heights = found.heights(x)
        above_zero = np.asarray(heights > 0, bool)
        lost = 1 - Fraction((y[above_zero] / heights[above_zero]).min(initial=1))
        return replace(found, slack=self.slack + lost + 2 * rounding)

    def _near(self, x: Numbers, y: Numbers) -> BoolArray:
        """All points but those that are above the hull by more than an absolute rounding."""
        if not self.roundoff:
            return np.ones(x.shape, bool)
        above = y >= np.interp(x, self.x, self.y, right=np.inf) + INTERPOLATION_ERROR
        return np.asarray(~above)

    def _below(self, x: Numbers, y: Numbers) -> BoolArray:
        """All points but those that are above the hull up to a relative rounding."""
        return np.asarray(y < self.heights(x), bool)

    def heights(self, x: Numbers) -> Numbers:
        """The hull's heights; infinite to the right of it, where it says nothing yet."""
        right = np.clip(np.searchsorted(self.x, x, side="left"), 1, len(self.x) - 1)
        x0, x1, y0, y1 = self.x[right - 1], self.x[right], self.y[right - 1], self.y[right]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            # A weighted mean of what is not negative: its error is relative.
            heights = y0 * ((x1 - x) / (x1 - x0)) + y1 * ((x - x0) / (x1 - x0))
        return np.where(x > self.x[-1], np.inf, np.where(x < self.x[0], 0, heights))

    def lower_curve(self, stretch: Fraction) -> Curve:
        """A curve certainly not above the points: heights lowered, abscissas times ``stretch``."""
        down = 1 - self.slack
        return tuple(
            (Fraction(x) * stretch, Fraction(y) * down)
            for x, y in zip(self.x.tolist(), self.y.tolist(), strict=True)
        )


def vertices(x: Numbers, y: Numbers) -> IntArray:
    """The numbers of the points that are vertices of the lower convex hull, from left to right."""
    order = np.lexsort((y, x))
    first = np.concatenate([[True], np.asarray(x[order][1:] != x[order][:-1], bool)])
    order = order[first]
    with np.errstate(over="ignore", divide="ignore"):
        while len(order) > FEW:
            slopes = np.diff(y[order]) / np.diff(x[order])
            convex = np.concatenate([[True], np.asarray(slopes[:-1] < slopes[1:], bool), [True]])
            # Above a chord of two points, hence no vertex, whichever of them remain.
            if 8 * convex.sum() > 7 * len(order):
                break
            order = order[convex]
    return np.asarray(order[_chain(x[order].tolist(), y[order].tolist())])


def _chain(x: Sequence[Any], y: Sequence[Any]) -> list[int]:
    """Andrew's monotone chain, over ascending x."""
    kept: list[int] = []
    for point in range(len(x)):
        while len(kept) > 1 and _slope(x, y, *kept[-2:]) >= _slope(x, y, kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _slope(x: Sequence[Any], y: Sequence[Any], left: int, right: int) -> Any:
    return (y[right] - y[left]) / (x[right] - x[left])


def hull_of(points: Iterable[Point]) -> Curve:
    """The lower convex hull of points."""
    lowest: dict[Fraction, Fraction] = {}
    for x, y in points:
        lowest[x] = min(y, lowest.get(x, y))
    xs = sorted(lowest)
    ys = [lowest[x] for x in xs]
    return tuple((xs[place], ys[place]) for place in _chain(xs, ys))


def highest(curves: Iterable[Curve]) -> Curve:
    """The largest of 0 and of the hulls of falling curves, from x = 0 to x = 1.

    A hull's edges are continued as straight lines: it is convex, and nowhere below them.
    """
    lines = {Fraction(0): Fraction(0)}
    for curve in curves:
        for (x0, y0), (x1, y1) in pairwise(hull_of(curve)):
            if x0 < x1 and y0 > y1:
                slope = (y1 - y0) / (x1 - x0)
                height = y0 - slope * x0
                lines[slope] = max(height, lines.get(slope, height))
    # In the plane of slopes and heights, the lines that are somewhere the highest are the
    # vertices of an upper hull.
    upper = hull_of((slope, -height) for slope, height in lines.items())
    points = [(Fraction(0), -upper[0][1])]
    for (m0, c0), (m1, c1) in pairwise(upper):
        x = (c1 - c0) / (m1 - m0)
        if x <= 0:
            points = [(Fraction(0), -c1)]
        elif x < 1:
            points.append((x, m0 * x - c0))
    return (*points, (Fraction(1), Fraction(0)))


def height(curve: Curve, x: Fraction) -> Fraction:
    """The height of a curve at a place between its ends."""
    right = min(max(bisect_right(curve, x, key=lambda point: point[0]), 1), len(curve) - 1)
    (x0, y0), (x1, y1) = curve[right - 1], curve[right]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
