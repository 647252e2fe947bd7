"""A value chosen for each record by the chances of its group: as evenly as they allow, or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Choices = Callable[[FloatArray, IntArray, np.random.Generator], IntArray]
"""A value for each record, ∝ chances [groups, values] of its group [records]."""


def systematic_choices(
    chances: FloatArray, groups: IntArray, generator: np.random.Generator
) -> IntArray:
    """Systematic sampling within groups, [records].

    The records of a group of size g are put in random order, and the k-th takes the value where
    (k + u)/g falls in the group's cumulative chances, u uniform: so each value is chosen for the
    floor or the ceiling of its share, up to neighbours in the order (Madow 1949). A group without
    chances takes all values as equal.
    """
    present, members, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.lexsort((generator.random(len(groups)), members))
    starts = np.cumsum(sizes) - sizes
    ranks = np.empty(len(groups))
    ranks[order] = np.arange(len(groups)) - np.repeat(starts, sizes)
    points = (ranks + generator.random(len(present))[members]) / sizes[members]
    return _look_up(chances[present], members, points)


def independent_choices(
    chances: FloatArray, groups: IntArray, generator: np.random.Generator
) -> IntArray:
    """One draw a record, [records]; a group without chances takes all values as equal."""
    present, members = np.unique(groups, return_inverse=True)
    return _look_up(chances[present], members, generator.random(len(groups)))


def _look_up(chances: FloatArray, groups: IntArray, points: FloatArray) -> IntArray:
    """The value of each record where its point of [0, 1) falls in its group's chances."""
    table = np.maximum(chances, 0)
    table[table.sum(axis=1) == 0] = 1
    steps = np.cumsum(table, axis=1)
    # Each group's cumulative chances, shifted by its number: one sorted list for all groups.
    ladder = steps / steps[:, -1:] + np.arange(len(table))[:, None]
    found = np.searchsorted(ladder.reshape(-1), points + groups, side="right")
    values = table.shape[1]
    # The sum may be rounded up to the next group's: no value beyond the last of positive chance.
    highest = values - 1 - np.argmax(table[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(found - groups * values, highest[groups]), np.int64)
