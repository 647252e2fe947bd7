"""The rows of a pie-chart score: one a place and period, compared over the types."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr

from audit.utility.counts import ordered
from audit.utility.groups import numbered
from audit.utility.pair import Pair
from audit.utility.score import Undefined

KEPT_SHARE = 0.05
"""A type with a smaller share of its row is ignored: ``threshold`` of the scorer."""

MISLEADING = 0.2
"""Lost for each type that is kept in the synthetic row alone: ``misleading_presence_penalty``."""

BIAS = 0.25
"""Lost where the counts of a row differ by more than ``BIAS_LIMIT``: ``bias_penalty``."""

BIAS_LIMIT = 500
"""The largest difference of counts without a loss: ``allowable_raw_bias``."""

_SMOOTHING = 1e-9
_HELD = 2**23

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
    identity = {name: np.arange(size) for name, size in zip(*_codes(pair), strict=True)}
    row = numbered(marginal, (place, period), identity)
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


def sprint_1_rows(pair: Pair, place: str, period: str, kind: str) -> PieRows:
    """The rows as the scorer of sprint 1 computes them, to the last bit.

    Raises ``Undefined`` where it gives no number.
    """
    names = ordered((place, period, kind), pair.domain)
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
    kept_real, kept_synthetic = (_kept(counts) for counts in (real, synthetic))
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


def _kept(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    sums = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    kept: NDArray[np.int64] = np.where(counts / sums >= KEPT_SHARE, counts, 0)
    return kept


def _codes(pair: Pair) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return pair.domain.names, pair.real.shape
