"""Distances from synthetic records to the nearest real ones, which are no evidence of privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.disclosure.nearest import Places, two_nearest
from audit.disclosure.tables import Tables
from audit.disclosure.targets import draw_targets

LOW = 0.05
"""The quantile that is looked at beside the median (the one in use)."""


@dataclass(frozen=True)
class Nearness:
    """How near synthetic records lie to one table: the 5th percentile and the median of each.

    ``distance``: to the closest record (DCR), the mean over columns of 0 to 1. ``ratio``: of the
    distances to the nearest and to the second nearest (NNDR), 1 where both are 0.
    """

    distance: tuple[float, float]
    ratio: tuple[float, float]


@dataclass(frozen=True)
class Distances:
    """Nearness to the real table and to the holdout, cut to equal sizes, of some records.

    ``nearer``: the share of them that lie nearer to a real record than to one of the holdout; of
    those that lie as near to both a half counts.
    """

    records: int
    real: Nearness
    holdout: Nearness
    nearer: float


def measure_distances(tables: Tables, seed: int) -> Distances:
    """The distances of synthetic records, or of so many that are drawn."""
    random = np.random.default_rng((seed, 5))
    real, holdout, synthetic = tables.places
    size = min(real.shape[1], holdout.shape[1])
    targets = draw_targets(synthetic, random)

    def find(table: Places) -> NDArray[np.float64]:
        cut = table[:, random.permutation(table.shape[1])[:size]]
        return two_nearest(targets, cut, tables.ordered)

    to_real, to_holdout = find(real), find(holdout)
    # 1 where the real table is nearer, 1/2 where both are as near.
    nearer = ((1 + np.sign(to_holdout[:, 0] - to_real[:, 0])) / 2).mean()
    return Distances(targets.shape[1], _describe(to_real), _describe(to_holdout), float(nearer))


def _describe(found: NDArray[np.float64]) -> Nearness:
    ratios = np.ones(len(found))
    np.divide(found[:, 0], found[:, 1], out=ratios, where=found[:, 1] > 0)
    low, middle = (
        (float(np.quantile(found[:, 0], at)), float(np.quantile(ratios, at))) for at in (LOW, 0.5)
    )
    return Nearness((low[0], middle[0]), (low[1], middle[1]))
