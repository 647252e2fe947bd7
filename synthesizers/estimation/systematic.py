"""Choices as even as their chances allow: systematic sampling within groups of records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def systematic_choices(
    chances: FloatArray, groups: IntArray, generator: np.random.Generator
) -> IntArray:
    """A value for each record, ∝ ``chances`` [groups, values] of its group; [records].

    The records of a group of size g are put in random order, and the k-th takes the value where
    (k + u)/g falls in the group's cumulative chances, u uniform: so each value is chosen for the
    floor or the ceiling of its share, up to neighbours in the order (Madow 1949). A group without
    chances takes all values as equal.
    """
    records = len(groups)
    present, members, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    members = members.reshape(-1)
    order = np.lexsort((generator.random(records), members))
    starts = np.cumsum(sizes) - sizes
    ranks = np.empty(records)
    ranks[order] = np.arange(records) - np.repeat(starts, sizes)
    points = (ranks + generator.random(len(present))[members]) / sizes[members]
    table = np.maximum(chances[present], 0)
    table[table.sum(axis=1) == 0] = 1
    steps = np.cumsum(table, axis=1)
    # Each group's cumulative chances, shifted by its number: one sorted list for all groups.
    ladder = steps / steps[:, -1:] + np.arange(len(present))[:, None]
    found = np.searchsorted(ladder.reshape(-1), points + members, side="right")
    values = table.shape[1]
    highest = values - 1 - np.argmax(table[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(found - members * values, highest[members]), np.int64)
