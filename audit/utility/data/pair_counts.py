"""Two attributes together in the real table and in synthetic ones, a few groups of values each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.counts import Counts
from audit.utility.data.distance import chance_distance, total_variation
from audit.utility.data.pooling import (
    Pooling,
    balanced_starts,
    is_ordered,
    largest,
    pool_neighbours,
    pool_rare,
)
from synthesizers.attributes import Attribute

MOST_GROUPS = 10
"""The most groups of an attribute's values: as many as a map of two can show, and as few as can be
told from chance in some thousand records. A missing value and those outside are further ones."""


@dataclass(frozen=True)
class PairDistances:
    """How far each synthetic table is from the real one in groups of the values of two attributes.

    ``distances`` and ``chances`` as those of one attribute.
    """

    attributes: tuple[str, str]
    distances: tuple[float, ...]
    chances: tuple[float, ...]

    @property
    def excesses(self) -> tuple[float, ...]:
        """How far each table lies beyond what chance would do."""
        return tuple(d - c for d, c in zip(self.distances, self.chances, strict=True))


@dataclass(frozen=True)
class PairCounts:
    """The records in groups of the values of two attributes.

    ``labels``: of the groups of both. ``counts``: a table [first, second] each, the real one first.
    """

    apart: PairDistances
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    counts: tuple[tuple[tuple[int, ...], ...], ...]

    def tables(self) -> NDArray[np.int64]:
        """The counts [tables, first, second]."""
        return np.array(self.counts, dtype=np.int64)


def pool_real(attribute: Attribute, labels: Sequence[str], real: NDArray[np.int64]) -> Pooling:
    """Groups of an attribute by the real table's counts [codes] alone.

    Neighbours are put together so that groups are alike in size; of categories the largest stay.
    """
    values = len(attribute.values)
    if is_ordered(attribute):
        starts = balanced_starts(real[:values], MOST_GROUPS)
        return pool_neighbours(attribute, labels, starts)
    if values <= MOST_GROUPS:
        return pool_rare(labels, values, range(values))
    return pool_rare(labels, values, largest(real[:values], MOST_GROUPS - 1))


def pool_pair(counts: Counts, poolings: tuple[Pooling, Pooling]) -> NDArray[np.int64]:
    """The counts [first, second] of groups."""
    full = counts.cells is None
    cells = np.flatnonzero(counts.counts) if counts.cells is None else counts.cells
    records = counts.counts[cells] if full else counts.counts
    first, second = np.divmod(cells, counts.shape[1])
    width = len(poolings[1].labels)
    groups = poolings[0].places[first] * width + poolings[1].places[second]
    # Doubles hold whole numbers below 2**53 exactly.
    total = np.bincount(groups, weights=records, minlength=len(poolings[0].labels) * width)
    return total.astype(np.int64).reshape(-1, width)


def pair_distances(
    attributes: tuple[str, str],
    real: NDArray[np.int64],
    *synthetic: NDArray[np.int64],
) -> PairDistances:
    """The distances of the counts of groups."""
    tables = [(real.ravel(), table.ravel()) for table in synthetic]
    return PairDistances(
        attributes,
        tuple(total_variation(*both) for both in tables),
        tuple(chance_distance(*both) for both in tables),
    )
