"""Which records are nearest: in each column 0 to `STEPS` apart, summed (Gower 1971, unscaled).

Values of a quantity are apart by their share of its range, others by all or nothing; so is a
missing value from a number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audit.disclosure.tables import STEPS

Places = NDArray[np.int32]
Flags = NDArray[np.bool_]

BLOCK = 1 << 16
"""Distances reckoned at once (256 kB, which a core's cache holds)."""

AROUND = 1 << 23
"""Distances held at once for each column by itself (32 MB)."""


def nearest(records: Places, others: Places, ordered: Flags) -> NDArray[np.intp]:
    """For each of [columns, records] the place of the nearest other, the first of equals."""
    parts = [block.argmin(axis=1) for block in distances(records, others, ordered)]
    return np.concatenate(parts)


def nearest_without(records: Places, others: Places, ordered: Flags) -> NDArray[np.intp]:
    """[columns, records]: as `nearest`, with each column in its turn left out."""
    found = np.empty(records.shape, np.intp)
    step = max(1, AROUND // (others.shape[1] * len(records)))
    for start in range(0, records.shape[1], step):
        part = records[:, start : start + step]
        each = [
            _apart(own, other, by) for own, other, by in zip(part, others, ordered, strict=True)
        ]
        total = np.sum(each, axis=0, dtype=np.int32)
        for column, own in enumerate(each):
            found[column, start : start + step] = (total - own).argmin(axis=1)
    return found


def two_nearest(records: Places, others: Places, ordered: Flags) -> NDArray[np.float64]:
    """[records, 2]: how far the nearest and the second nearest other are, from 0 to 1."""
    parts = [
        np.partition(block, min(1, block.shape[1] - 1), axis=1)[:, [0, min(1, block.shape[1] - 1)]]
        for block in distances(records, others, ordered)
    ]
    return np.concatenate(parts) / (STEPS * len(ordered))


def distances(records: Places, others: Places, ordered: Flags) -> Iterator[Places]:
    """Distances [some records, others], block by block."""
    step = max(1, BLOCK // others.shape[1])
    for start in range(0, records.shape[1], step):
        total = np.zeros((min(step, records.shape[1] - start), others.shape[1]), np.int32)
        for own, other, by in zip(records[:, start : start + step], others, ordered, strict=True):
            total += _apart(own, other, by)
        yield total


def _apart(own: Places, other: Places, ordered: bool) -> Places:
    """[records, others] of one column."""
    if not ordered:
        other_than: NDArray[np.bool_] = own[:, None] != other[None, :]
        return other_than.astype(np.int32) * np.int32(STEPS)
    apart: Places = own[:, None] - other[None, :]
    np.abs(apart, out=apart)
    np.minimum(apart, STEPS, out=apart)
    return apart
