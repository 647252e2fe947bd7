"""What the cells of a log-normal law send to their ends, by its distribution function."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import numpy as np
import pytest

from proofs.errors import ProofError
from proofs.profiles.grid import Reals
from proofs.profiles.lognormal import part_lognormal

wide = mpmath.mp.clone()
wide.dps = 60


def parts_of(mu: float, low: float, high: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The part of N(0, 1) with w in a cell that goes to its lower and to its upper end."""
    m, ends = wide.mpf(mu), [wide.mpf(low), wide.mpf(high)]
    places = [wide.log(end) / m + m / 2 if end > 0 else -wide.inf for end in ends]

    def chance(centre: mpmath.mpf) -> mpmath.mpf:
        near, far = (place - centre for place in places)
        if near > 0:
            return wide.ncdf(-near) - wide.ncdf(-far)
        return wide.ncdf(far) - wide.ncdf(near)

    plain, moved = chance(wide.mpf(0)), chance(m)
    right = (moved - ends[0] * plain) / (ends[1] - ends[0])
    return plain - right, right


GRIDS = {
    "even": np.arange(0, 6.01, 0.25),
    "fine": 1 + np.arange(0, 30) / 3000,
    "growing": np.exp(np.arange(0, 6, 0.75)),
    "far": np.exp(np.arange(8, 9, 1 / 64)),
}


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("mu", [0.25, 1.0, 3.0])
def test_each_part_lies_in_its_bounds(grid: str, mu: float) -> None:
    points: Reals = GRIDS[grid].astype(np.float64)
    with np.errstate(divide="ignore"):
        edges = np.maximum(np.log(points) / mu + mu / 2, -38.0)
    cells = part_lognormal(mu, points, np.diff(points), edges)
    for cell, (low, high) in enumerate(pairwise(points)):
        slow = parts_of(mu, low, high)
        for part, exact in zip((cells.left[cell], cells.right[cell]), slow, strict=True):
            assert part <= exact <= wide.mpf(part) + cells.more[cell]
        # Of the cell's chance, also far out, where that is tiny.
        assert cells.more[cell] < 1e-6 * float(sum(slow)) + 1e-300


def test_points_that_doubles_can_not_tell_apart_are_refused() -> None:
    points = 1 + np.arange(3) * 1e-15
    edges = np.log1p(points - 1) + 0.5
    with pytest.raises(ProofError, match="larger step"):
        part_lognormal(1.0, points, np.full(2, 1e-15), edges)
