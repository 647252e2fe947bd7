"""The law of w = e^(μx - μ²/2), x of law N(0, 1), parted between points of a grid.

What a cell from w_j to w_j + Δ sends to its ends is ∫ φ(x)·(w - w_j)/Δ dx over its x, and the rest
of ∫ φ(x) dx, φ the normal density, and φ(x)·w = φ(x - μ). Gauss's rule of four points, on pieces of
width d <= 1/20, errs by at most d⁹·(4!)⁴/(9·(8!)³) < 5.7e-10·d⁹ times the eighth derivative. That
of φ is φ·He₈, and |He₈(x)| = |E (x + iZ)⁸| <= E (x² + Z²)⁴ <= (x² + 4)⁴, Z of law N(0, 1).
"""

from __future__ import annotations

import math

import numpy as np

from proofs.errors import ProofError
from proofs.profiles.convex_order import Cells
from proofs.profiles.grid import ROUNDING, TINY, Reals

PIECE = 0.05
"""The widest piece of a cell, in deviations of x."""

MOST_ERROR = 0.1
"""The largest error of a share of the way between two points; a point is less beside its cell."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


def part_lognormal(mu: float, points: Reals, width: Reals, edges: Reals) -> Cells:
    """What each cell of w between neighbouring ``points`` sends to them; ``width``: their distance.

    ``mu``: right but for a relative 2·ROUNDING. With z the largest μ·(|edge| + μ) of a cell, its
    points >= 0 are right but for a relative ROUNDING·(60 + 10·z), and its ``edges``, the x where w
    is a point, but for one of ROUNDING·(60 + 60·z) in w. What is beyond the edges, at |x| <= 40, is
    left out, but for what is less than `TINY`. Raises ProofError where points are too close for
    doubles.

    Guarantee
    ---------
    Each part lies in its bounds, if numpy's exp and log err as `proofs.profiles.grid` says. Backed
    by ``tests/proofs/profiles/test_lognormal.py``.
    """
    number = np.arange(len(width))
    pieces = np.maximum(np.ceil(np.diff(edges) / PIECE), 1).astype(np.int64)
    cell = np.repeat(number, pieces)
    within = np.arange(len(cell)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    half = (np.diff(edges) / pieces)[cell] / 2
    middle = edges[:-1][cell] + half * (2 * within + 1)
    whole, part = np.zeros(len(cell)), np.zeros(len(cell))
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        x = middle + half * node
        density = half * weight * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        whole += density
        part += density * (np.exp(mu * x - mu * mu / 2) - points[cell]) / width[cell]
    ratio = points[1:] / width
    bends = [_bend(middle - place, half) for place in (0.0, mu)]
    rest = 3e-10 * (2 * half) ** 9 * (bends[0] * (ratio[cell] + 2) + bends[1] / width[cell])
    mass, right, error = (
        np.bincount(cell, values, len(width)).astype(np.float64) for values in (whole, part, rest)
    )
    # An x errs by 8·ROUNDING·size, its density by a relative ROUNDING·(64 + 10·size²), and what is
    # added up of the pieces by ROUNDING each; a share by those of w and of both points.
    size = np.maximum(np.abs(edges[:-1]), np.abs(edges[1:]))
    share = ROUNDING * (ratio + 1) * (200 + 100 * mu * (size + mu))
    if not float(np.max(share)) < MOST_ERROR:
        raise ProofError("the lattice method needs a larger step")
    error += mass * (share + ROUNDING * (200 + 20 * size * size + 2 * pieces)) + TINY
    left, right = np.maximum(mass - right - error, 0.0), np.maximum(right - error, 0.0)
    return Cells(points, width, left, right, 2 * error)


def _bend(middle: Reals, half: Reals) -> Reals:
    """At least |φ·He₈|·√(2π) on pieces."""
    far, near = np.abs(middle) + half, np.maximum(np.abs(middle) - half, 0)
    found: Reals = (far * far + 4) ** 4 * np.exp(-near * near / 2)
    return found
