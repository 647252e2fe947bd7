"""Records that are to have given marginals: what the updates of records share.

The state is an array of codes [rows, columns], kept by columns, which updates change in place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.estimation.rounding import largest_remainder

Codes = NDArray[np.int32]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_UNITS = 1_000_000
"""Parts of a record that amounts are held in while they are rounded at random."""

_FINEST = 2**40
"""What the largest share of a target counts to, before it becomes a whole number of records."""


@dataclass(frozen=True, eq=False, slots=True)
class RecordTarget:
    """Counts [cells] that some columns are to have, the last column fastest."""

    columns: tuple[int, ...]
    shape: tuple[int, ...]
    counts: IntArray

    @classmethod
    def of(cls, columns: Sequence[int], table: FloatArray, rows: int) -> RecordTarget:
        """The target of ``rows`` records in proportion to a table, one axis a column."""
        weights = np.maximum(table.ravel(), 0.0)
        top = float(weights.max(initial=0.0))
        scaled = np.rint(weights / top * _FINEST) if top > 0 else np.ones_like(weights)
        counts = largest_remainder(scaled.astype(np.int64).tolist(), rows)
        return cls(tuple(columns), table.shape, np.array(counts, np.int64))

    def cells(self, codes: Codes) -> Codes:
        """The cell of every record."""
        found = codes[:, self.columns[0]]
        for column, size in zip(self.columns[1:], self.shape[1:], strict=True):
            found = found * np.int32(size) + codes[:, column]
        return found

    def count_cells(self, cells: Codes) -> IntArray:
        """How many records lie in each cell."""
        return np.bincount(cells, minlength=math.prod(self.shape))

    def distance(self, codes: Codes) -> float:
        """The L1 distance of the columns' shares to the target's, from 0 to 2."""
        apart = np.abs(self.count_cells(self.cells(codes)) - self.counts).sum()
        return float(apart) / max(len(codes), 1)

    def write(self, codes: Codes, rows: IntArray, cells: IntArray) -> None:
        """Overwrite the target's columns of some rows, so that they lie in ``cells``."""
        values = np.unravel_index(cells, self.shape)
        for column, value in zip(self.columns, values, strict=True):
            codes[rows, column] = value


def independent_columns(
    tables: Sequence[FloatArray], rows: int, generator: np.random.Generator
) -> Codes:
    """Records whose columns follow one-way tables each, and are independent of one another."""
    codes = np.empty((rows, len(tables)), np.int32, order="F")
    for column, table in enumerate(tables):
        counts = RecordTarget.of((column,), table, rows).counts
        codes[:, column] = generator.permutation(np.repeat(np.arange(len(table)), counts))
    return codes


def whole_amounts(amounts: FloatArray, generator: np.random.Generator) -> IntArray:
    """Whole numbers that are the amounts on average, each rounded down or up.

    One draw decides for all (systematic sampling), so that sums of neighbours are rounded down or
    up too: a whole total is kept.
    """
    reached = np.rint(np.cumsum(amounts) * _UNITS).astype(np.int64)
    return np.diff((reached + generator.integers(_UNITS)) // _UNITS, prepend=0)


def rows_of_cells(
    cells: Codes, held: IntArray, wanted: IntArray, generator: np.random.Generator
) -> IntArray:
    """``wanted[c]`` rows of each cell c, uniformly without replacement, cell after cell.

    ``cells``: each row's cell; ``held``: how many rows each has, at least as many as are wanted.
    """
    rows = np.flatnonzero((wanted > 0)[cells])
    own, keys = cells[rows], generator.random(len(rows), np.float32)
    # The rows of the smallest keys are taken; hardly ever does one of them lie above these limits.
    limits = ((wanted + 8 * np.sqrt(wanted) + 16) / np.maximum(held, 1)).astype(np.float32)
    near = keys < limits[own]
    if (np.bincount(own[near], minlength=len(held)) >= wanted).all():
        rows, own, keys = rows[near], own[near], keys[near]
    # float32 keys are multiples of 2^-24, and what is left of a tie is another draw.
    ranks = (keys * 2**24).astype(np.int64) << 16 | generator.integers(2**16, size=len(keys))
    order = np.argsort(own.astype(np.int64) << 40 | ranks)
    own = own[order]
    place = np.arange(len(own)) - np.searchsorted(own, np.arange(len(held)))[own]
    return rows[order[place < wanted[own]]]


def copy_rows(codes: Codes, onto: IntArray, given: IntArray) -> None:
    """Overwrite some rows with others, column after column, as they are kept."""
    for column in codes.T:
        column[onto] = column[given]
