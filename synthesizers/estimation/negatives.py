"""Counts without negatives, of an unchanged total: pure functions of noisy counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def norm_sub(counts: FloatArray) -> FloatArray:
    """Negatives become 0, and all others fall by one amount that keeps the total.

    The nearest such counts in Euclidean distance. A total that is not positive gives zeros.
    Any shape. Source: Hay et al. 2010; norm-sub in Wang et al. 2020 (consistency of estimates
    under local privacy).
    """
    total = counts.sum()
    if total <= 0:
        return np.zeros_like(counts)
    falling = np.sort(counts, axis=None)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    # Not > alone: beside a large count, a small total is lost in rounding.
    kept = np.flatnonzero(falling >= excess)[-1]
    return np.asarray(np.maximum(counts - excess[kept], 0.0))


def cut_norm(counts: FloatArray) -> FloatArray:
    """Negatives become 0, and so do the smallest positive counts, until the total is as before.

    The last count that is cut keeps a part. A total that is not positive gives zeros. Any
    shape; equal counts are cut in the order of their cells. Source: Li, Zhang & Wang 2021 (DPSyn);
    norm-cut in Wang et al. 2020.
    """
    kept = np.maximum(counts, 0.0).ravel()
    order = np.argsort(kept, kind="stable")
    owed = np.maximum(-counts, 0.0).sum()
    left = np.cumsum(kept[order]) - owed
    kept[order] = np.minimum(kept[order], np.maximum(left, 0.0))
    return kept.reshape(counts.shape)
