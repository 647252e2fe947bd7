"""The records of several tables on public principal axes: where they lie, and how far apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from audit.utility.principal_axes import PrincipalAxes, find_axes
from audit.utility.records import Records

BINS = 40
"""The bins of an axis in the window that is drawn."""

TAIL = 0.001
"""The share of a public table's records that the window may leave out at either end of an axis."""

ROOM = 0.05
"""How far the window reaches beyond them, as a part of its width."""

CRITICAL = 1.3581
"""The 95 % quantile of Kolmogorov's law."""


@dataclass(frozen=True, eq=False)
class Distances:
    """How far the places of one synthetic table are from those of the real one, from 0 to 1.

    ``along`` [axes]: the Kolmogorov-Smirnov distance on each axis, the largest difference of the
    shares of records up to a place. ``across`` [pairs]: the same over the corners of the bins, of
    all four quadrants (Peacock, "Two-dimensional goodness-of-fit testing in astronomy", 1983).
    ``chance``: what two samples of one law, of these sizes, differ by on an axis at 95 %, or less;
    None for a table that the axes were found in: its records vary more along them than others of
    the same law would, and the distance has another law.
    """

    along: NDArray[np.float64]
    across: NDArray[np.float64]
    chance: float | None


@dataclass(frozen=True, eq=False)
class Clouds:
    """A real table and synthetic ones, by their files, on the axes of ``public`` ones.

    ``pairs``: every two axes. ``edges`` [axes, BINS + 1]: of the bins of the window, which follow
    from the public tables alone. ``real`` [pairs, BINS + 2, BINS + 2]: the records of the real
    table in the bins, the first axis of a pair in rows, and ``synthetic`` those of the others: the
    first and the last bin are what lies beyond the window.
    """

    public: tuple[str, ...]
    axes: PrincipalAxes
    pairs: tuple[tuple[int, int], ...]
    edges: NDArray[np.float64]
    real: NDArray[np.int64]
    synthetic: Mapping[str, NDArray[np.int64]]
    distances: Mapping[str, Distances]

    def rename(self, names: Mapping[str, str]) -> Clouds:
        """The same clouds with other names for the files; one without a new name keeps its own."""
        return replace(
            self,
            public=tuple(names.get(file, file) for file in self.public),
            synthetic={names[file]: counts for file, counts in self.synthetic.items()},
            distances={names[file]: apart for file, apart in self.distances.items()},
        )


def share_outside(counts: NDArray[np.int64]) -> float:
    """The share of records in the first and the last bins: beyond the window of two axes."""
    return 1 - float(counts[1:-1, 1:-1].sum() / counts.sum())


def project_tables(
    real: Records,
    synthetic: Mapping[str, Records],
    public: Mapping[str, Records] | None = None,
) -> Clouds:
    """Every table on the axes of the ``public`` ones; for None, of the synthetic ones.

    Guarantee
    ---------
    Axes and window are the same whatever the real table holds. Backed by
    ``tests/audit/utility/test_clouds.py``.
    """
    sources = synthetic if public is None else public
    with threadpool_limits(1):
        axes = find_axes(list(sources.values()))
    edges = _edges([axes.places(table) for table in sources.values()], len(axes))
    pairs = tuple(itertools.combinations(range(len(axes)), 2))
    mine = axes.places(real)
    held = _count(mine, edges, pairs)
    mine.sort(axis=1)
    counts, distances = {}, {}
    for name, table in synthetic.items():
        places = axes.places(table)
        counts[name] = _count(places, edges, pairs)
        places.sort(axis=1)
        distances[name] = Distances(
            np.array([distance_along(*both) for both in zip(mine, places, strict=True)]),
            np.array([distance_across(*both) for both in zip(held, counts[name], strict=True)]),
            _chance(real, table, sources.values()),
        )
    return Clouds(tuple(sources), axes, pairs, edges, held, counts, distances)


def _chance(real: Records, table: Records, sources: Iterable[Records]) -> float | None:
    """The 95 % quantile of the distance of two samples along axes that neither has made."""
    if any(np.array_equal(own.codes, one.codes) for own in sources for one in (real, table)):
        return None
    return CRITICAL * math.sqrt(1 / real.records + 1 / table.records)


def distance_along(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The Kolmogorov-Smirnov distance of two ascending samples [n], [m]."""
    ends = np.concatenate((first, second))
    shares = [np.searchsorted(own, ends, side="right") / len(own) for own in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())


def distance_across(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """The largest difference of the shares in a quadrant, of two tables of counts [k, k]."""
    apart = first / first.sum() - second / second.sum()
    turned = (apart, apart[::-1], apart[:, ::-1], apart[::-1, ::-1])
    return max(float(np.abs(part.cumsum(axis=0).cumsum(axis=1)).max()) for part in turned)


def _edges(places: list[NDArray[np.float64]], axes: int) -> NDArray[np.float64]:
    """Even bins over all but the ``TAIL`` ends of the tables' places, with some ``ROOM``."""
    edges = np.empty((axes, BINS + 1))
    for axis in range(axes):
        ascending = [np.sort(table[axis]) for table in places]
        tails = [math.floor(TAIL * len(own)) for own in ascending]
        low = min(own[tail] for own, tail in zip(ascending, tails, strict=True))
        high = max(own[-1 - tail] for own, tail in zip(ascending, tails, strict=True))
        if high <= low:
            low, high = min(own[0] for own in ascending), max(own[-1] for own in ascending)
        room = ROOM * (high - low)
        edges[axis] = np.linspace(low - room, high + room, BINS + 1)
    return edges


def _count(
    places: NDArray[np.float64], edges: NDArray[np.float64], pairs: tuple[tuple[int, int], ...]
) -> NDArray[np.int64]:
    """The records [pairs, BINS + 2, BINS + 2] in the bins of every two axes."""
    bins = [
        np.searchsorted(own, place, side="right") for own, place in zip(edges, places, strict=True)
    ]
    size = BINS + 2
    return np.array(
        [
            np.bincount(bins[a] * size + bins[b], minlength=size**2).reshape(size, size)
            for a, b in pairs
        ],
        dtype=np.int64,
    ).reshape(len(pairs), size, size)
