"""What a model is fitted to: measured marginals, gathered under the largest that hold them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from synthesizers.estimation.clique_tables import Clique, aligned, summed
from synthesizers.estimation.models import FloatArray, NoisyMarginal, Shape
from synthesizers.estimation.negatives import norm_sub


@dataclass(frozen=True, eq=False)
class Target:
    """A set of attributes, in the order of the shape, with all that was measured within it."""

    attributes: Clique
    sizes: tuple[int, ...]
    measured: tuple[NoisyMarginal, ...]

    @property
    def curvature(self) -> float:
        """The most that a count's loss curves: Σ over what was measured of its squares/variance."""
        return math.fsum(
            float(_squares(noisy, 1).max()) / noisy.variance for noisy in self.measured
        )

    def compared(self, counts: FloatArray) -> tuple[float, FloatArray]:
        """The loss of a table of counts, one axis an attribute, and its gradient."""
        loss, gradient = 0.0, np.zeros_like(counts)
        for noisy in self.measured:
            kept = tuple(name for name in self.attributes if name in noisy.attributes)
            order = [kept.index(name) for name in noisy.attributes]
            marginal = summed(counts, self.attributes, kept).transpose(order)
            flat = marginal.reshape(-1)
            residual = (flat if noisy.matrix is None else noisy.matrix @ flat) - noisy.counts
            loss += float(residual @ residual) / (2 * noisy.variance)
            slope = _pulled_back(noisy, residual) / noisy.variance
            slope = slope.reshape(marginal.shape).transpose(np.argsort(order))
            gradient += aligned(slope, kept, self.attributes)
        return loss, gradient


def targets_of(shape: Shape, measured: Sequence[NoisyMarginal]) -> tuple[Target, ...]:
    """The largest measured sets of attributes, each with what was measured within it."""
    by_size = sorted(measured, key=lambda noisy: -len(noisy.attributes))
    within: dict[frozenset[str], list[NoisyMarginal]] = {}
    for noisy in by_size:
        members = frozenset(noisy.attributes)
        holder = next((wider for wider in within if members <= wider), members)
        within.setdefault(holder, []).append(noisy)
    found = []
    for members, inside in within.items():
        attributes = tuple(name for name in shape if name in members)
        found.append(Target(attributes, tuple(shape[n] for n in attributes), tuple(inside)))
    return tuple(found)


def first_step(targets: Sequence[Target], total: float) -> float:
    """A step of descent that is never too long: 1/(total · the largest curvature)."""
    return 1 / (total * math.fsum(target.curvature for target in targets)) if targets else 0.0


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
                sums += _pulled_back(noisy, noisy.counts) / noisy.variance
                precision += _squares(noisy, size) / noisy.variance
        if not precision.all():
            shares[name] = np.full(size, 1 / size)
            continue
        values = np.maximum(norm_sub(sums / precision), 0.01 / np.sqrt(precision))
        shares[name] = values / values.sum()
    return shares


def _pulled_back(noisy: NoisyMarginal, answers: FloatArray) -> FloatArray:
    return answers if noisy.matrix is None else np.asarray(noisy.matrix.T @ answers)


def _squares(noisy: NoisyMarginal, cells: int) -> FloatArray:
    """Of each cell of the marginal, the sum of its squared coefficients in what was measured."""
    return np.ones(cells) if noisy.matrix is None else _column_squares(noisy.matrix)


def _column_squares(matrix: csr_array[np.float64]) -> FloatArray:
    return np.asarray(matrix.power(2).sum(axis=0)).reshape(-1)
