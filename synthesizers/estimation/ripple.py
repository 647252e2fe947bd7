"""Ripple: negative counts become 0, and what they lack is taken from the cells around them.

Source: Qardaji, Yang & Li 2014 (PriView), section 4.4. Ours: cells of attributes with more than two
values have as neighbours all that differ in one attribute.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MOST_STEPS = 1000
"""After so many steps what is left is left (tables of a negative total
have no counts that are not negative)."""


def ripple(counts: FloatArray, threshold: float) -> FloatArray:
    """Counts of which none lies below -``threshold`` < 0, of the same total; one axis an attribute.

    In every step all cells below become 0, and each takes its deficit in equal parts from the
    cells that differ from it in one attribute. A total below 0 or one cell is left as it is.
    """
    table = counts.copy()
    around = sum(size - 1 for size in table.shape)
    if not around or table.sum() < 0:
        return table
    for _ in range(MOST_STEPS):
        deficit = np.where(table < -threshold, table, 0.0)
        if not deficit.any():
            break
        table -= deficit
        for axis in range(table.ndim):
            # Each cell of a line gets the deficits of the others.
            table += (deficit.sum(axis=axis, keepdims=True) - deficit) / around
    return table
