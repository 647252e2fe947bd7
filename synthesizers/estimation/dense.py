"""Models of small domains: the whole table, fitted by entropic mirror descent.

The exact counterpart of belief propagation (`graphical`), with the same descent: nothing is
random, and the number of steps is fixed, so that the model is a function of what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from synthesizers.estimation.models import FloatArray, IntArray, NoisyMarginal, Shape


@dataclass(frozen=True, eq=False)
class DenseModel:
    """A table of counts, [cells], over the product of a shape."""

    shape: Shape
    table: FloatArray

    @property
    def total(self) -> float:
        """The sum of its counts."""
        return float(self.table.sum())

    def counts(self, attributes: Sequence[str]) -> FloatArray:
        """Its marginal of some attributes, [cells], the last one fastest."""
        names = list(self.shape)
        axes = [names.index(name) for name in attributes]
        # Cell by cell of the marginal: its sums are equal on every replay, and for every order.
        return _incidence(tuple(self.shape.values()), tuple(axes)) @ self.table

    def records(self, rows: int, generator: np.random.Generator) -> IntArray:
        """Codes [rows, attributes], drawn from the table."""
        counts = generator.multinomial(rows, self.table / self.table.sum())
        cells = np.repeat(np.arange(len(counts)), counts)
        codes = np.unravel_index(cells, tuple(self.shape.values()))
        return np.stack(codes, axis=1).astype(np.int64)


def fitted(shape: Shape, measured: Sequence[NoisyMarginal], total: float, steps: int) -> DenseModel:
    """The table of a total that fits what was measured.

    Entropic mirror descent from the uniform table: p ∝ p·exp(-step·gradient), with Nesterov's
    extrapolation in the exponent, begun anew wherever the loss would grow, and with half the step
    where there was nothing to begin anew.
    """
    cells = math.prod(shape.values())
    table = np.full(cells, total / cells)
    if not measured:
        return DenseModel(shape, table)
    matrix, answers = _stacked(shape, measured)
    # Of relative smoothness total · the largest curvature (Lu, Freund & Nesterov 2018).
    step = 1 / (total * float((matrix * matrix).sum(axis=0).max()))
    residual = matrix @ table - answers
    loss = float(residual @ residual)
    ahead, age = np.zeros(cells), 0
    for _ in range(steps):
        moved = ahead - step * (residual @ matrix)
        age += 1
        momentum = age / (age + 3)
        tried = table * np.exp(np.clip((1 + momentum) * moved - ahead, -FAR, FAR))
        tried *= total / tried.sum()
        remaining = matrix @ tried - answers
        tried_loss = float(remaining @ remaining)
        if tried_loss <= loss:
            table, residual, loss, ahead = tried, remaining, tried_loss, momentum * moved
            step *= GROWTH
        elif age > 1:
            ahead, age = np.zeros(cells), 0
        else:
            step, age = step / 2, 0
    return DenseModel(shape, table)


FAR = 30.0
"""A step multiplies no cell by more than e^30, against overflow (a choice of this project)."""

GROWTH = 1.1
"""By how much a step grows where the loss fell (a choice of this project)."""


def _stacked(shape: Shape, measured: Sequence[NoisyMarginal]) -> tuple[FloatArray, FloatArray]:
    """All that was measured as one matrix [answers, cells] with its answers, in standard errors."""
    names, sizes = list(shape), tuple(shape.values())
    rows, answers = [], []
    for noisy in measured:
        axes = tuple(names.index(name) for name in noisy.attributes)
        incidence = _incidence(sizes, axes)
        scale = 1 / math.sqrt(noisy.variance)
        asked = incidence if noisy.matrix is None else np.asarray(noisy.matrix @ incidence)
        rows.append(scale * asked)
        answers.append(scale * noisy.counts)
    return np.concatenate(rows), np.concatenate(answers)


@lru_cache(maxsize=1024)
def _incidence(sizes: tuple[int, ...], axes: tuple[int, ...]) -> FloatArray:
    """Which cells of a table a cell of a marginal sums, [cells of the marginal, cells]."""
    codes = np.indices(sizes).reshape(len(sizes), -1)
    kept = tuple(sizes[axis] for axis in axes)
    cells = np.ravel_multi_index(tuple(codes[axis] for axis in axes), kept)
    matrix = np.zeros((math.prod(kept), codes.shape[1]))
    matrix[cells, np.arange(codes.shape[1])] = 1
    matrix.setflags(write=False)
    return matrix
