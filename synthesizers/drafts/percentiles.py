"""Edges of bins at percentiles of a column."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def percentile_edges(
    numbers: Sequence[Fraction], counts: NDArray[np.int64], bins: int, step: int | None
) -> tuple[Fraction, ...]:
    """Edges of at most ``bins`` bins that hold about equally many records.

    ``numbers``: the distinct ones, ascending; ``counts`` [numbers]: of records. ``step``: what all
    are multiples of, 1 of whole ones; None of others. A number's bin follows from its share of
    records at or below it, ties at their middle, as in SDNist 2.5 (``percentile_rank_target`` of
    ``sdnist/report/dataset/binning.py``): int(bins · rank / records). That program closes a bin on
    the right, at the largest of its numbers; of multiples of a step that is an edge one step
    further, and of other numbers the next one begins the next bin.

    **Guarantee.** The edges increase, from the first number to the last or one step (1) beyond:
    backed by the comparison with pandas' ranks in ``tests/synthesizers/drafts/test_tables.py``.
    """
    records = int(counts.sum())
    ends = np.cumsum(counts)
    # The mean of the ranks of equal numbers, as pandas has it.
    ranks = (ends - counts + 1 + ends) / 2
    shares = ranks / records
    places = np.where(shares < 1, (bins * shares).astype(np.int64), bins - 1)
    first = np.flatnonzero(np.diff(places)) + 1
    inner = [numbers[at] if step is None else numbers[at - 1] + step for at in first.tolist()]
    low, last = numbers[0], numbers[-1]
    highest = last if last > (inner[-1] if inner else low) else last + (step or 1)
    return (low, *inner, highest)


def set_apart(edges: Sequence[Fraction], code: Fraction) -> tuple[Fraction, ...]:
    """Edges with a bin for one whole number that is a code: from it to the next whole number.

    The bins beside it reach up to it, so that no number between is lost.
    """
    end = code + 1
    if code >= edges[-1]:
        return (*edges[:-1], code, end)
    if end <= edges[0]:
        return (code, end, *edges[1:])
    return tuple(sorted({*edges, code, end}))
