"""What synthpop 1.9-2 computes otherwise: three of its table statistics, and its classifiers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

CP, RPART_DEPTH = 1e-3, 30
"""synthpop's ``cp``, and rpart's ``maxdepth``, which synthpop leaves as it is."""

PERMUTATIONS = 50
"""synthpop's ``nperms``."""


def program_statistics(
    d: NDArray[np.float64], s: NDArray[np.float64], jsd: float
) -> tuple[float, int, float, float]:
    """G with its degrees of freedom, PO50, and S_JSD before it is divided by df.

    ``d`` and ``s`` are the counts [cells] of ``table_utilities``. G leaves out every cell that
    is empty on one side, PO50 weighs the tables by their sizes, and S_JSD divides by ln 2.
    """
    common = (d > 0) & (s > 0)
    ds, ss = d[common], s[common]
    g = 2 * float((ss * np.log(ss / ss.sum() / ds * ds.sum())).sum()) if len(ds) else 0.0
    records = d.sum() + s.sum()
    taken = s / s.sum() > d / d.sum()
    po50 = (s[taken].sum() + d[~taken].sum()) / records * 100 - 50
    return g, len(ds) - 1, po50, jsd * 2 * records / math.log(2)
