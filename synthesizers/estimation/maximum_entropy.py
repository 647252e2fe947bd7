"""The table of largest entropy with given marginals, by iterative proportional fitting.

Source: Deming & Stephan 1940; as the reconstruction of PriView, Qardaji, Yang & Li 2014, section
4.5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def maximum_entropy(
    shape: Sequence[int],
    marginals: Sequence[tuple[Sequence[int], FloatArray]],
    rounds: int,
    tolerance: float = 1e-9,
) -> FloatArray:
    """The table [shape] of largest entropy whose marginals are the given ones.

    ``marginals``: axes, and counts with one axis each in that order. For the rest, as
    `fit_proportionally`.
    """
    codes = np.indices(tuple(shape)).reshape(len(shape), -1)
    parts = [
        (np.ravel_multi_index(tuple(codes[list(axes)]), counts.shape), counts.ravel())
        for axes, counts in marginals
    ]
    table = fit_proportionally(codes.shape[1], parts, rounds, tolerance)
    return table.reshape(tuple(shape))


def fit_proportionally(
    cells: int,
    parts: Sequence[tuple[IntArray, FloatArray]],
    rounds: int,
    tolerance: float = 1e-9,
) -> FloatArray:
    """Counts [cells] of largest entropy with given sums over groups of cells.

    ``parts``: each cell's group, and the groups' counts. Negative counts are taken as 0, and every
    part is brought to the first one's total. Where parts are not consistent, the last one
    holds. Begins with equal counts; stops after ``rounds``, or where no group is farther from its
    count than ``tolerance`` of the total. No total gives zeros.
    """
    counts = [np.maximum(own, 0.0) for _, own in parts]
    total = float(counts[0].sum()) if counts else 1.0
    if total <= 0 or any(own.sum() <= 0 for own in counts):
        return np.zeros(cells)
    table = np.full(cells, total / cells)
    for _ in range(rounds):
        farthest = 0.0
        for (groups, _), own in zip(parts, counts, strict=True):
            wanted = own * (total / own.sum())
            held = np.bincount(groups, table, minlength=len(wanted))
            farthest = max(farthest, float(np.abs(held - wanted).max()))
            table *= np.divide(wanted, held, out=np.zeros_like(wanted), where=held > 0)[groups]
        if farthest <= tolerance * total:
            break
    return table
