"""Multiplicative weights: a table moved towards measured counts of some of its cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

Part = tuple[int | slice, ...]
"""The cells of a table that a query counts: a code, or all codes, of each attribute."""


def reweight(
    table: FloatArray, answers: Sequence[tuple[Part, float]], total: float, passes: int
) -> FloatArray:
    """The table after ``passes`` times an update by each answer in turn; its sum is ``total``.

    An update multiplies the part that a query counts by exp((answer - its sum)/(2·total)) and
    brings the table back to its total (Hardt, Ligett & McSherry 2012, Figure 1). ``answers``
    must lie from 0 to ``total``, so that a factor is at most √e.
    """
    moved: FloatArray = table * (total / table.sum())
    for _ in range(passes):
        mass = float(moved.sum())
        for part, answer in answers:
            before = float(moved[part].sum())
            factor = math.exp((answer - before * total / mass) / (2 * total))
            moved[part] *= factor
            mass += before * (factor - 1)
        moved *= total / mass
    return moved
