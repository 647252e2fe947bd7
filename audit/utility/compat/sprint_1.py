"""The pie-chart score as the scorer of sprint 1 computes it, to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon

from audit.utility.counts import order_attributes
from audit.utility.nist_2020.pie_rows import (
    BIAS,
    BIAS_LIMIT,
    KEPT_SHARE,
    MISLEADING,
    Floats,
    PieRows,
)
from audit.utility.pair import Pair
from audit.utility.score import Undefined

_SMOOTHING = 1e-9
_HELD = 2**23


def sprint_1_rows(pair: Pair, place: str, period: str, kind: str) -> PieRows:
    """The rows as the scorer of sprint 1 computes them, to the last bit.

    Raises ``Undefined`` where it gives no number.
    """
    names = order_attributes((place, period, kind), pair.domain)
    marginal = pair.marginal(names)
    axes = [names.index(name) for name in (place, period, kind)]
    types = marginal.shape[axes[2]]
    real, synthetic = (
        np.ascontiguousarray(table.transpose(axes)).reshape(-1, types)
        for table in marginal.tables()
    )
    step = max(_HELD // types, 1)
    blocks = [
        _sprint_1_block(real[start : start + step], synthetic[start : start + step])
        for start in range(0, len(real), step)
    ]
    divergence, misleading, bias = (np.concatenate(terms) for terms in zip(*blocks, strict=True))
    if np.isnan(divergence).any():
        raise Undefined(
            "the program takes the square root of a negative number in a row whose kept counts are "
            "nearly proportional; take the mode fixed"
        )
    return PieRows(
        np.clip(1.0 - (divergence + misleading + bias), 0.0, 1.0),
        real.sum(axis=1),
        synthetic.sum(axis=1),
        (real == synthetic).all(axis=1),
        divergence,
        misleading,
        bias,
    )


def _sprint_1_block(
    real: NDArray[np.int64], synthetic: NDArray[np.int64]
) -> tuple[Floats, Floats, Floats]:
    differs = (real != synthetic).any(axis=1)
    kept_real, kept_synthetic = (_keep(counts) for counts in (real, synthetic))
    with np.errstate(invalid="ignore"):
        divergence = jensenshannon(
            kept_real + _SMOOTHING, kept_synthetic + _SMOOTHING, base=2, axis=1
        )
    misleading = ((kept_real == 0) & (kept_synthetic > 0)).sum(axis=1) * MISLEADING
    biased = np.abs(real.sum(axis=1) - synthetic.sum(axis=1)) > BIAS_LIMIT
    return (
        np.where(differs, divergence, 0.0),
        np.where(differs, misleading, 0.0),
        np.where(differs & biased, BIAS, 0.0),
    )


def _keep(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    sums = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    kept: NDArray[np.int64] = np.where(counts / sums >= KEPT_SHARE, counts, 0)
    return kept
