"""Measures above and below a given one, by the hinges of which all convex functions are sums."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.profiles.convex_order import Cells
from proofs.profiles.grid import Reals


def cells_of(points: Reals, places: Reals, masses: Reals, more: float) -> Cells:
    """Listed masses between points, each parted to the ends of its cell."""
    cell = np.clip(np.searchsorted(points, places, side="right") - 1, 0, len(points) - 2)
    width = np.diff(points)
    share = (places - points[cell]) / width[cell]
    left, right = (np.bincount(cell, masses * part, len(width)) for part in (1 - share, share))
    slack: Reals = (more * (left + right)).astype(np.float64)
    return Cells(points, width, left - slack / 2, right - slack / 2, slack)


def hinges(points: Reals, masses: Reals, at: Reals, increasing: bool) -> Reals:
    away = points[None, :] - at[:, None] if increasing else at[:, None] - points[None, :]
    found: Reals = np.maximum(away, 0) @ masses
    return found


@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("growth", [0.0, 0.02])
@pytest.mark.parametrize("law", ["normal", "skewed", "two", "rough"])
def test_every_hinge_lies_between(law: str, growth: float, increasing: bool) -> None:
    generator = np.random.default_rng(5)
    if law == "rough":
        places, masses = generator.uniform(0.6, 9, 40), generator.uniform(0, 1, 40) / 40
    else:
        grid = np.linspace(0.6, 9, 20_001)
        height = {
            "normal": -((grid - 4) ** 2) / 0.5,
            "skewed": -((np.log(grid) - 1) ** 2) / 0.3,
            "two": np.logaddexp(-((grid - 3) ** 2) / 0.5, -((grid - 6) ** 2) / 0.5),
        }[law]
        places, masses = grid, np.exp(height) / np.exp(height).sum()
    points = 0.5 * np.exp(growth * np.arange(160)) if growth else np.linspace(0.5, 10, 160)
    for more in (0.0, 1e-9):
        cells = cells_of(points, places, masses, more)
        at = generator.uniform(0.3, 11, 400)
        exact = hinges(places, masses, at, increasing)
        above = hinges(points, cells.above(), at, increasing)
        below = hinges(points, cells.below(increasing), at, increasing)
        assert np.all(above >= exact * (1 - 1e-13) - 1e-15)
        assert np.all(below <= exact * (1 + 1e-13) + 1e-15)
        # And close by, where the law is smooth on the grid.
        if law != "rough":
            assert np.max(above - exact) < 3e-3 and np.max(exact - below) < 1e-2


def test_masses_below_are_no_chances_that_exceed_the_whole() -> None:
    points = np.linspace(0, 1, 5)
    cells = Cells(points, np.diff(points), np.ones(4) / 8, np.ones(4) / 8, np.zeros(4))
    for increasing in (True, False):
        found = cells.below(increasing)
        assert np.all(found >= 0) and 0.5 < found.sum() <= 1
    nothing = Cells(points, np.diff(points), np.zeros(4), np.zeros(4), np.zeros(4))
    assert nothing.below(True).sum() == 0
