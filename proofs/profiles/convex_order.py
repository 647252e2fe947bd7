"""Measures on the points of a grid, above or below a given one for convex test functions.

A pair's δ is ∫ φ(x) dν(x) of a convex φ >= 0, ν the law under one side of the likelihood ratio x
or a multiple of it, φ increasing or decreasing. Let ν lie between points x_0 < … < x_n, and part
each mass of the cell from x_j to x_(j+1) so that its mean is kept: ``left``_j and ``right``_j are
what the cell sends to its ends. The masses u_j = left_j + right_(j-1) are *above* ν, as φ is below
its chords.

*Below* it, let C(x) = ∫ (y - x)₊ dν(y), which on the points is that of the u_j. Between them it is
below its chord: at the share θ of the way, a unit mass at the share s by Δ·min((1-θ)s, θ(1-s)), Δ
the cell's width, and so all of it by at most Δ·min((1-θ)·right, θ·left), which is nowhere above
s_j = Δ·left·right/(left + right). So the C(x_j) - g_j with g_j = s_(j-1) + s_j, joined by lines,
are below C: they are C of the masses u_j minus the second differences of g, where those are at
least 0. That is used from x_a to x_z. Beyond x_z the last line is continued to where it reaches 0,
which is below C if the mass m there is at least ν's beyond x_z; it is one mass m, at
x_z + (C(x_z) - g_z)/m, and it is moved down to a point. Likewise before x_a, with
∫ (x - y)₊ dν(y). A measure below ν in this order has a smaller ∫ φ for increasing convex φ >= 0;
for decreasing ones all is mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proofs.profiles.grid import ROUNDING, TINY, Reals

MARGIN = 1e-9
"""More than the relative rounding errors of sums of 2^21 sums."""

FINE = 1e-12
"""More than the relative error of a point or a width, and of a few operations."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A measure ν between the ``points``; of each cell its width and what it sends to its ends.

    Points and widths are right but for a relative 1e-13. ``left`` and ``right`` are at most what
    they stand for, ``more`` is added to each to be at least.
    """

    points: Reals
    width: Reals
    left: Reals
    right: Reals
    more: Reals

    def above(self) -> Reals:
        """Masses at the points whose ∫ φ is at least ν's, for every convex φ >= 0.

        Guarantee
        ---------
        ``tests/proofs/profiles/test_convex_order.py``.
        """
        return (1 + 8 * ROUNDING) * _join(self.left + self.more, self.right + self.more)

    def below(self, increasing: bool) -> Reals:
        """Masses at the points whose ∫ φ is at most ν's, for all increasing (or decreasing) φ.

        All are 0 where ν is too rough for the points.

        Guarantee
        ---------
        ``tests/proofs/profiles/test_convex_order.py``.
        """
        if increasing:
            return _below(self)
        mirrored = Cells(
            -self.points[::-1],
            self.width[::-1],
            self.right[::-1],
            self.left[::-1],
            self.more[::-1],
        )
        return _below(mirrored)[::-1]


def _join(left: Reals, right: Reals) -> Reals:
    found = np.zeros(len(left) + 1)
    found[:-1] += left
    found[1:] += right
    return found


def _below(cells: Cells) -> Reals:
    """For increasing test functions."""
    points, width = cells.points, cells.width
    least = _join(cells.left, cells.right)
    most_cell = (1 + MARGIN) * (cells.left + cells.right + 2 * cells.more)
    spare = most_cell - cells.left - cells.right
    left, right = cells.left + cells.more + TINY, cells.right + cells.more + TINY
    gap = (1 + MARGIN) * _join(*[width * left * (right / (left + right))] * 2)
    slope = np.diff(gap) / width
    inside = least.copy()
    inside[1:-1] -= np.diff(slope)
    size = np.zeros(len(points))
    size[1:-1] = gap[1:-1] * (1 / width[1:] + 1 / width[:-1])
    size[1:-1] += gap[2:] / width[1:] + gap[:-2] / width[:-1]
    inside -= FINE * (least + size)
    # Of the masses up to each point, and of those from it on; and ∫ (x - y)₊ and ∫ (y - x)₊.
    up, down = np.cumsum(least), np.cumsum(least[::-1])[::-1]
    puts = np.concatenate([[0.0], np.cumsum(width * up[:-1])])
    calls = np.concatenate([np.cumsum((width * down[1:])[::-1])[::-1], [0.0]])
    first, last = _reach(cells, inside, gap, slope, spare, puts, calls)
    found = np.zeros(len(points))
    if first >= last and calls[0] > 0:
        # All in one mass: C is at least the line that begins in x_0 with the slope of all of ν.
        most = (1 + MARGIN) * float(most_cell.sum())
        place = points[0] + (1 - MARGIN) * calls[0] / most
        found[max(_point_below(points, place), 0)] = (1 - MARGIN) * up[-1]
    if first >= last:
        return found
    found[first + 1 : last] = inside[first + 1 : last]
    above = (1 - MARGIN) * (down[last] + slope[last - 1])
    place = points[last] + (calls[last] * (1 - MARGIN) - gap[last]) / above * (1 - MARGIN)
    found[_point_below(points, place)] += above * (1 - MARGIN)
    under = (1 - MARGIN) * (up[first] - slope[first])
    # What ν has more than its least masses draws its mean down by so much at most.
    error = float(np.sum(np.cumsum(2 * _join(spare, spare))[:first] * width[:first]))
    place = points[first] - (puts[first] * (1 + MARGIN) - gap[first] + error) / under * (1 + MARGIN)
    # Left of all points it is left out.
    if (at := _point_below(points, place)) >= 0:
        found[at] += under * (1 - MARGIN)
    return np.maximum(found, 0.0)


def _point_below(points: Reals, place: float) -> int:
    """The number of the last point that is certainly at most a place; -1 where there is none."""
    return int(np.searchsorted(points, place - FINE * abs(place), side="right")) - 1


def _reach(
    cells: Cells, inside: Reals, gap: Reals, slope: Reals, spare: Reals, puts: Reals, calls: Reals
) -> tuple[int, int]:
    """(a, z), as far apart as may be; equal where there are none."""
    before = np.cumsum(cells.left)
    middle = int(np.searchsorted(before, before[-1] / 2))
    bad = np.flatnonzero(inside < 0)
    low = max((int(k) for k in bad[bad <= middle][-1:]), default=0)
    high = min((int(k) for k in bad[bad > middle][:1]), default=len(inside) - 1)
    # The masses of the ends must be at least ν's beyond them, and lie on the outer side.
    loose = np.concatenate([[0.0], np.cumsum(spare)])
    ends = np.arange(len(inside))
    fine = (cells.left * (1 - MARGIN) >= slope + loose[:-1]) & (
        puts[:-1] * (1 - MARGIN) >= gap[:-1]
    )
    first = np.flatnonzero(fine & (ends[:-1] >= low) & (ends[:-1] < middle))
    loose = np.concatenate([np.cumsum(spare[::-1])[::-1], [0.0]])
    fine = (cells.right * (1 - MARGIN) + slope >= loose[1:]) & (calls[1:] * (1 - MARGIN) >= gap[1:])
    last = np.flatnonzero(fine & (ends[1:] <= high) & (ends[1:] > middle)) + 1
    if not len(first) or not len(last):
        return middle, middle
    return int(first[0]), int(last[-1])
