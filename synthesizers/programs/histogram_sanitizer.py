"""What the Laplace and the geometric sanitizer share: one noised histogram.

With n public and two cells, the first cell alone is noised and the second is
what is left of n. Otherwise every cell is noised and clamped to [0, n], or to
[0, rows] where n is private. The counts are rescaled to the public number of
rows.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.calibration import laplace_scale
from synthesizers.curator import Curator, Setting
from synthesizers.estimation import largest_remainder
from synthesizers.neighbours import Neighbours
from synthesizers.noise import Noise
from synthesizers.queries import CellCounts, Query, whole_table


def histogram_query(setting: Setting) -> Query:
    """The one question: the first of two cells where n is public, else the whole table."""
    if setting.records is not None and setting.domain.size == 2:
        return CellCounts((0,))
    return whole_table(setting.domain)


def sanitize_histogram(
    curator: Curator,
    noise: Callable[[Fraction], Noise],
    epsilon: Fraction,
    rescale: bool,
    calibrated_for: Neighbours | None,
) -> NDArray[np.int64]:
    """Counts over the domain's cells after one noisy question of cost ``epsilon``.

    ``noise`` makes the law of a scale; the scale is the question's L1
    sensitivity under ``calibrated_for`` (the analysed relation by default)
    divided by ε.
    """
    setting = curator.setting
    rows = setting.require_rows()
    bound = rows if setting.records is None else setting.records
    query = histogram_query(setting)
    relation = setting.neighbours if calibrated_for is None else calibrated_for
    sensitivity = query.sensitivity(setting.domain, relation)
    if sensitivity.l1 == 0:
        # One cell and n public: the table is known before anything is asked.
        return np.array([rows], np.int64)
    law = noise(laplace_scale(epsilon, sensitivity))
    noisy = curator.measure(query, law, low=0, high=bound).tolist()
    if isinstance(query, CellCounts):
        noisy.append(bound - noisy[0])
        rescale = rescale and rows != bound
    counts = largest_remainder(noisy, rows) if rescale else noisy
    return np.array(counts, np.int64)
