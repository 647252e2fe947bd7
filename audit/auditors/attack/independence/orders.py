"""Orders of outcomes: whatever outputs are, their runs can be ranked."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.independence.dependence_tests import FloatArray
from audit.subjects.outcomes import Outcomes
from audit.subjects.plain_data import leaves

COORDINATES = 8
"""Numbers of an output that are looked at one by one, besides their sum and the whole output."""

LONGEST = 100_000
"""Runs of which ranks are taken, the first ones; repeats are looked for in all of them (ranks of
more cost seconds, and the weakest dependence seen is then 0.03)."""


def list_orders(
    outcomes: Outcomes, codes: NDArray[np.uint64], score: FloatArray | None
) -> Iterator[NDArray[np.int64]]:
    """Orders of the first outcomes: by a score, the sum of their numbers, a digest, each number."""
    codes = codes[:LONGEST]
    if score is not None:
        yield _dense(score[:LONGEST], codes)
    columns = _columns(outcomes.take(np.arange(len(codes))))
    with np.errstate(invalid="ignore"):
        total = np.where(np.isnan(columns).all(axis=0), math.nan, np.nansum(columns, axis=0))
    if len(columns):
        yield _dense(total, codes)
    yield _dense(np.full(len(codes), math.nan), codes)
    if len(columns) > 1:
        for column in columns:
            yield _dense(column, codes)


def _dense(values: FloatArray, codes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """[runs], the place of each value; what is no number comes last, ordered by its digest."""
    found = np.empty(len(values), np.int64)
    absent = np.isnan(values)
    known, found[~absent] = np.unique(values[~absent], return_inverse=True)
    found[absent] = len(known) + np.unique(codes[absent], return_inverse=True)[1]
    return found


def _columns(outcomes: Outcomes) -> FloatArray:
    """[at most COORDINATES, runs], numbers of each outcome; NaN where there is none.

    Of a table, its length and the sums of its columns of numbers.
    """
    found = np.full((COORDINATES, len(outcomes)), math.nan)
    for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
        where = np.flatnonzero(outcomes.of == place)
        if isinstance(block, np.ndarray):
            rows = block[:, :COORDINATES]
        elif shape.kind == "table":
            sums = [[len(t), *t.select_dtypes("number").sum().astype(float)] for t in block]
            rows = np.array(sums, np.float64)[:, :COORDINATES] if sums else np.empty((0, 0))
        elif shape.kind == "data":
            named = [leaves(text) for text in block]
            keys = sorted({key for numbers in named for key in numbers})[:COORDINATES]
            rows = np.array([[numbers.get(key, math.nan) for key in keys] for numbers in named])
        else:
            continue
        found[: rows.shape[1], where] = rows.T
    held: NDArray[np.bool_] = ~np.isnan(found).all(axis=1)
    return np.asarray(found[held])
