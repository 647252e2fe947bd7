"""The rows of a pie-chart score: one a place and period, compared over the types."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from audit.utility.groups import number_cells
from audit.utility.pair import Pair

KEPT_SHARE = 0.05
"""A type with a smaller share of its row is ignored: ``threshold`` of the scorer."""

MISLEADING = 0.2
"""Lost for each type that is kept in the synthetic row alone: ``misleading_presence_penalty``."""

BIAS = 0.25
"""Lost where the counts of a row differ by more than ``BIAS_LIMIT``: ``bias_penalty``."""

BIAS_LIMIT = 500
"""The largest difference of counts without a loss: ``allowable_raw_bias``."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PieRows:
    """What each row [rows] scores, its counts, and the three terms that it loses.

    Rows are numbered over place × period, the period fastest. ``divergence`` is the
    Jensen-Shannon distance; the terms of an identical row are 0.
    """

    scores: Floats
    real: NDArray[np.int64]
    synthetic: NDArray[np.int64]
    identical: NDArray[np.bool_]
    divergence: Floats
    misleading: Floats
    bias: Floats


def fixed_rows(pair: Pair, place: str, period: str, kind: str) -> PieRows:
    """The rows without any smoothing: 0 · log 0 = 0.

    A row where only one table has a type left to compare is at the distance 1.
    """
    marginal = pair.marginal((place, period, kind))
    codes = zip(pair.domain.names, pair.real.shape, strict=True)
    identity = {name: np.arange(size) for name, size in codes}
    row = number_cells(marginal, (place, period), identity)
    rows = math.prod(identity[name].size for name in (place, period))

    def total(values: NDArray[np.generic]) -> Floats:
        return np.bincount(row, values, rows).astype(np.float64)

    real, synthetic = total(marginal.real), total(marginal.synthetic)
    kept = [
        np.where(counts / np.maximum(sums, 1)[row] >= KEPT_SHARE, counts, 0)
        for counts, sums in ((marginal.real, real), (marginal.synthetic, synthetic))
    ]
    left = [total(counts) for counts in kept]
    one_sided = ((real == 0) != (synthetic == 0)) | ((left[0] == 0) != (left[1] == 0))
    shares = [counts / np.maximum(sums, 1)[row] for counts, sums in zip(kept, left, strict=True)]
    middle = (shares[0] + shares[1]) / 2
    gap = total(rel_entr(shares[0], middle) + rel_entr(shares[1], middle)) / math.log(2)
    identical = total(marginal.real != marginal.synthetic) == 0
    divergence = np.sqrt(np.clip(gap / 2, 0, 1))
    divergence[one_sided] = 1.0
    misleading = MISLEADING * total((kept[0] == 0) & (kept[1] > 0))
    bias = np.where(np.abs(real - synthetic) > BIAS_LIMIT, BIAS, 0.0)
    return PieRows(
        np.clip(1 - (divergence + misleading + bias), 0, 1),
        real.astype(np.int64),
        synthetic.astype(np.int64),
        identical,
        divergence,
        misleading,
        bias,
    )
