"""Cuts: where a column is divided into bins, and which bins say the same of the coin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MOST_BINS = 64
"""Bins of a column before they are merged (an edge of a plateau is
missed by 1/64 of the runs at most)."""

CUT_RUNS = 100_000
"""Runs by whose values a column is cut (bins of MOST_BINS then hold
equally many but for some percent)."""

SMALLEST_TAIL = 16
"""Values beyond the outermost cut, at least (fewer show no ratio that
stands out of noise)."""


def cuts(values: FloatArray, most: int) -> FloatArray:
    """Rising edges that divide values into about ``most`` bins, between values that occur.

    Bins hold equally many values, but in both tails halve down to SMALLEST_TAIL, as rare values
    may tell most. Where few values are distinct, or one is frequent, it gets a bin of its own.
    """
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= most:
        return _between(distinct, np.arange(1, len(distinct)))
    runs = len(values)
    share = runs / most
    tails = share / 2.0 ** np.arange(1, 64)
    tails = tails[tails >= SMALLEST_TAIL]
    targets = np.concatenate([tails, share * np.arange(1, most), runs - tails])
    ends = np.cumsum(counts)
    at = np.searchsorted(ends, np.sort(targets))
    before = at[counts[at] >= share / 2]
    # A cut with number k lies between the distinct values k - 1 and k.
    numbers = np.unique(np.concatenate([at + 1, before]))
    return _between(distinct, numbers[(numbers > 0) & (numbers < len(distinct))])


def _between(distinct: FloatArray, numbers: NDArray[np.intp]) -> FloatArray:
    below, above = distinct[numbers - 1], distinct[numbers]
    middle = below + (above - below) / 2
    return np.where(middle > below, middle, above)


@dataclass(frozen=True, eq=False)
class Tally:
    """``edges`` of bins, rising; ``counts``: [2, bins], the runs of either coin in each."""

    edges: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, column: FloatArray, coins: NDArray[np.bool_]) -> Tally:
        """A column cut into about MOST_BINS bins, with the smallest and largest in view."""
        ends = [column.min(), column.max()] if len(column) else []
        edges = cuts(np.append(column[:CUT_RUNS], ends), MOST_BINS)
        return cls(edges, count_by_bin(column, coins, edges))


def codes(values: FloatArray, edges: FloatArray) -> NDArray[np.intp]:
    """[runs], how many edges lie at or below each value."""
    return np.searchsorted(edges, values, side="right")


def count_by_bin(values: FloatArray, coins: NDArray[np.bool_], edges: FloatArray) -> FloatArray:
    """[2, bins], how many runs of either coin have their value in each bin."""
    found = codes(values, edges)
    bins = len(edges) + 1
    sides = [np.bincount(found[side], minlength=bins) for side in (~coins, coins)]
    return np.array(sides, np.float64)


def merge_bins(tally: Tally, least: float) -> Tally:
    """Fewer bins: adjacent ones are merged while some two differ by less than ``least``.

    They differ by the likelihood-ratio statistic of equal chances of the coin; the two that
    differ least go first (ChiMerge, Kerber 1992, with that statistic). So a plateau of the
    likelihood ratio becomes one bin, and its noise no step.
    """
    edges, counts = tally.edges, tally.counts.copy()
    while len(edges):
        joined = counts[:, :-1] + counts[:, 1:]
        differ = 2 * (_fit(counts[:, :-1]) + _fit(counts[:, 1:]) - _fit(joined))
        weakest = int(np.argmin(differ))
        if differ[weakest] >= least:
            break
        counts[:, weakest] = joined[:, weakest]
        counts = np.delete(counts, weakest + 1, axis=1)
        edges = np.delete(edges, weakest)
    return Tally(edges, counts)


def difference(counts: FloatArray) -> float:
    """The likelihood-ratio statistic of a chance of the coin for each bin, against one for all."""
    return float(2 * (_fit(counts).sum() - _fit(counts.sum(axis=1, keepdims=True)).sum()))


def _fit(counts: FloatArray) -> FloatArray:
    """The logarithm of the likelihood of the coins in each bin, at its own best chance."""
    total = counts.sum(axis=0)
    safe = np.maximum(counts, 1)
    return np.asarray((counts * np.log(safe / np.maximum(total, 1))).sum(axis=0))
