"""What a model is fitted to: measured marginals, gathered under the largest that hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csc_array, vstack

from synthesizers.estimation.junction_trees import Clique
from synthesizers.estimation.models import FloatArray, NoisyMarginal, Shape
from synthesizers.estimation.negatives import norm_sub


@dataclass(frozen=True, eq=False)
class FitTarget:
    """A set of attributes, in the order of the shape, with all that was measured within it.

    ``answers``, and the ``matrix`` [answers, cells] of what they say of the set's table, are in
    standard errors.
    """

    attributes: Clique
    sizes: tuple[int, ...]
    matrix: FloatArray | csc_array[np.float64]
    answers: FloatArray

    @property
    def curvature(self) -> float:
        """The most that a count's loss curves: the largest sum of a cell's squared coefficients."""
        squares = self.matrix * self.matrix
        return float(np.asarray(squares.T @ np.ones(len(self.answers))).max())

    def compare(self, counts: FloatArray) -> tuple[float, FloatArray]:
        """The loss of counts [cells], and its gradient."""
        residual = self.matrix @ counts - self.answers
        return float(residual @ residual) / 2, np.asarray(self.matrix.T @ residual)


def targets_of(
    shape: Shape, measured: Sequence[NoisyMarginal], cliques: Iterable[Clique] = ()
) -> tuple[FitTarget, ...]:
    """The largest sets of attributes, measured or given, each with what was measured within it."""
    by_size = sorted(measured, key=lambda noisy: -len(noisy.attributes))
    within: dict[frozenset[str], list[NoisyMarginal]] = {frozenset(own): [] for own in cliques}
    for noisy in by_size:
        members = frozenset(noisy.attributes)
        holder = next((wider for wider in within if members <= wider), members)
        within.setdefault(holder, []).append(noisy)
    return tuple(
        _target({name: shape[name] for name in shape if name in members}, inside)
        for members, inside in within.items()
    )


def _target(shape: Shape, measured: Sequence[NoisyMarginal]) -> FitTarget:
    names, sizes = tuple(shape), tuple(shape.values())
    cells, answers = math.prod(sizes), [np.zeros(0)]
    small = cells * sum(len(noisy.counts) for noisy in measured) <= WHOLE_MATRIX
    incidences = _whole_incidence if small else _incidence
    rows: list[Any] = [np.zeros((0, cells)) if small else csc_array((0, cells))]
    for noisy in measured:
        scale = 1 / math.sqrt(noisy.variance)
        incidence = incidences(sizes, tuple(map(names.index, noisy.attributes)))
        rows.append(scale * (incidence if noisy.matrix is None else noisy.matrix @ incidence))
        answers.append(scale * noisy.counts)
    matrix = np.concatenate(rows) if small else vstack(rows, format="csc")
    return FitTarget(names, sizes, matrix, np.concatenate(answers))


WHOLE_MATRIX = 2**14
"""A matrix of so few numbers is held with its zeros, and multiplied at once."""


def _incidence(sizes: tuple[int, ...], axes: tuple[int, ...]) -> csc_array[np.float64]:
    """Which cells of a table a cell of a marginal sums, [cells of the marginal, cells]."""
    kept = [sizes[axis] for axis in axes]
    order = np.argsort(axes)
    aligned_sizes = [size if axis in axes else 1 for axis, size in enumerate(sizes)]
    numbers = np.arange(math.prod(kept)).reshape(kept).transpose(order).reshape(aligned_sizes)
    rows = np.broadcast_to(numbers, sizes).reshape(-1)
    cells = len(rows)
    return csc_array((np.ones(cells), rows, np.arange(cells + 1)), (math.prod(kept), cells))


@lru_cache(maxsize=1024)
def _whole_incidence(sizes: tuple[int, ...], axes: tuple[int, ...]) -> FloatArray:
    matrix: FloatArray = _incidence(sizes, axes).toarray()
    matrix.setflags(write=False)
    return matrix


def first_step(targets: Sequence[FitTarget], total: float) -> float:
    """A step of descent that is never too long: 1/(total · the largest curvature); 0 where flat.

    So large is the loss's relative smoothness (Lu, Freund & Nesterov 2018).
    """
    curvature = math.fsum(target.curvature for target in targets)
    return 1 / (total * curvature) if curvature else 0.0


def independent_shares(shape: Shape, measured: Sequence[NoisyMarginal]) -> dict[str, FloatArray]:
    """Of each attribute, shares of its values: by what was measured of it alone, else equal.

    Answers count by their precision; negatives become 0 as the nearest counts of the same total
    have it (exact least squares for one histogram). A share is at least a hundredth of a standard
    error, so that none is impossible.
    """
    shares = {}
    for name, size in shape.items():
        sums, precision = np.zeros(size), np.zeros(size)
        for noisy in measured:
            if noisy.attributes == (name,):
                sums += _pull_back(noisy, noisy.counts) / noisy.variance
                precision += _squares(noisy, size) / noisy.variance
        if not precision.all():
            shares[name] = np.full(size, 1 / size)
            continue
        values = np.maximum(norm_sub(sums / precision), 0.01 / np.sqrt(precision))
        shares[name] = values / values.sum()
    return shares


def _pull_back(noisy: NoisyMarginal, answers: FloatArray) -> FloatArray:
    return answers if noisy.matrix is None else np.asarray(noisy.matrix.T @ answers)


def _squares(noisy: NoisyMarginal, cells: int) -> FloatArray:
    """Of each cell of the marginal, the sum of its squared coefficients in what was measured."""
    if noisy.matrix is None:
        return np.ones(cells)
    return np.asarray(noisy.matrix.power(2).sum(axis=0)).reshape(-1)
