"""Cell suppression: small counts are hidden, and others with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError
from synthesizers.laws.contingency import contingency_table, require_shape
from synthesizers.laws.deterministic_laws import DeterministicLaw
from synthesizers.plain import require_count, require_switch

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

SUPPRESSED = -1
"""What an outcome holds in place of a suppressed count."""

_TAKEN = np.iinfo(np.int64).max
_LAST = _TAKEN - 1
"""Ranks after every count: of a cell that is suppressed already, and of a zero."""


def require_threshold(value: object) -> int:
    """Return the threshold of a suppression; InputError unless it is a whole number >= 1."""
    threshold = require_count(value, "threshold of a suppression")
    if threshold < 1:
        raise InputError("the threshold of a suppression is at least 1 (which hides nothing)")
    return threshold


@dataclass(frozen=True, slots=True)
class CellSuppression(DeterministicLaw):
    """Counts from 1 to ``threshold`` - 1 are suppressed, others to complement them (Cox 1980).

    A line is all cells that agree in every attribute but one. With
    ``complementary``, each line of two or more cells with exactly one
    suppressed cell loses a second: its smallest count above 0, or a zero where
    there is no other, the first such cell of equals. The attributes take turns,
    all lines along one at a time, until no line has exactly one. ``shape``: the
    domain's.

    Guarantee
    ---------
    Every suppressed cell shares each of its lines of two or more cells with
    another suppressed one (with ``complementary``), and every count that is
    shown is the true one. Backed by ``tests/synthesizers/laws/test_suppression.py``.
    """

    shape: tuple[int, ...]
    threshold: int
    complementary: bool = True
    name = "cell-suppression"

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", require_shape(self.shape))
        object.__setattr__(self, "threshold", require_threshold(self.threshold))
        complementary = require_switch(self.complementary, "complementary of a suppression")
        object.__setattr__(self, "complementary", complementary)

    def image(self, counts: IntArray) -> IntArray:
        """The counts, `SUPPRESSED` in place of those hidden; [cells]."""
        table = contingency_table(counts, self.shape)
        hidden = (table > 0) & (table < self.threshold)
        if self.complementary:
            hidden = _complement(table, hidden)
        return np.where(hidden, SUPPRESSED, table).ravel()


def _complement(table: IntArray, hidden: BoolArray) -> BoolArray:
    """The hidden cells with those that complement them."""
    ranks = np.where(table > 0, table, _LAST)
    while True:
        grown = hidden
        for axis in range(table.ndim):
            grown = grown | _partners(ranks, grown, axis)
        if np.array_equal(grown, hidden):
            return hidden
        hidden = grown


def _partners(ranks: IntArray, hidden: BoolArray, axis: int) -> BoolArray:
    """The best cell, of equals the first, of every line along an axis with one hidden cell.

    Of a line of one cell that is this cell itself.
    """
    lone = hidden.sum(axis=axis, keepdims=True) == 1
    best = np.where(hidden, _TAKEN, ranks).argmin(axis=axis, keepdims=True)
    found = np.zeros(hidden.shape, np.bool_)
    np.put_along_axis(found, best, lone, axis)
    return found
