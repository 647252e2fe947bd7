"""AdaGrid's queries: fine cells where counts are plausible, sums where they are not.

Source: the Minutemen's entry to NIST's Temporal Map challenge (McKenna, Miklau & Sheldon 2021,
its Adaptive Grid mechanism). The queries of one marginal are a matrix of columns of norm at most 1:
a cell is asked for itself if all marginals below it were plausible there, and otherwise only in the
queries of those marginals, each divided by the root of their number. Here the matrix is scaled by a
public whole number, its *unit*, and every weight is rounded down to a whole number, so that no norm
passes the unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from synthesizers.domain import Domain
from synthesizers.queries import Layer, LinearQueries, Marginal

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Grid:
    """The queries of one marginal, as layers of whole weights.

    ``attributes``: in the domain's order. ``layers``: a weight, and for each cell of the marginal
    the answer that it adds it to, -1 for none; the fine cells' layer, of weight ``unit``, is first.
    ``fine`` [cells]: which cells are asked for themselves.
    """

    attributes: tuple[str, ...]
    unit: int
    layers: tuple[tuple[int, IntArray], ...]
    fine: BoolArray

    @property
    def query(self) -> Marginal | LinearQueries:
        """What is asked: the marginal itself where every cell is fine."""
        if self.fine.all():
            return Marginal(self.attributes)
        return LinearQueries(
            self.attributes,
            tuple(Layer(weight, tuple(rows.tolist())) for weight, rows in self.layers),
        )

    @property
    def weight(self) -> int:
        """What a record adds to a fine cell's answer."""
        return 1 if self.fine.all() else self.unit

    @property
    def matrix(self) -> csr_array[np.float64] | None:
        """The queries over their weight, [answers, cells]; None for the marginal itself."""
        if self.fine.all():
            return None
        rows = np.concatenate([rows for _, rows in self.layers])
        weights = np.repeat([weight / self.unit for weight, _ in self.layers], len(self.fine))
        columns = np.tile(np.arange(len(self.fine)), len(self.layers))
        kept = rows >= 0
        entries = (weights[kept], (rows[kept], columns[kept]))
        return coo_array(entries, shape=(int(rows.max()) + 1, len(self.fine))).tocsr()

    def plausible(self, answers: IntArray, least: int) -> BoolArray:
        """The cells that were asked for themselves, and whose answer is ``least`` or more."""
        found = np.zeros(len(self.fine), np.bool_)
        found[self.fine] = answers[: int(self.fine.sum())] >= least
        return found


@dataclass(frozen=True, eq=False)
class Below:
    """A marginal that was measured: its grid, and its plausible cells."""

    grid: Grid
    plausible: BoolArray


def grid(domain: Domain, attributes: Sequence[str], below: Sequence[Below], unit: int) -> Grid:
    """The queries of a marginal, given those of measured marginals of some of its attributes.

    Every column's norm is at most ``unit``: a fine column has the one entry ``unit``, and of k
    marginals below each gives a column of at most unit/√k. Without any below, all cells are fine.
    Raises InputError, when asked, for a unit of which nothing is left (`lightest`).
    """
    names = tuple(name for name in domain.names if name in attributes)
    fine = np.ones(domain.project(names).size, np.bool_)
    places = [_cells_below(domain, names, member.grid.attributes) for member in below]
    for member, place in zip(below, places, strict=True):
        fine &= member.plausible[place]
    layers: list[tuple[int, IntArray]] = []
    answers = int(fine.sum())
    if answers:
        layers.append((unit, np.where(fine, np.cumsum(fine) - 1, -1)))
    for member, place in zip(below, places, strict=True):
        # Sums over no cell that is left are not asked; answers are numbered anew, each once.
        asked = [np.where(fine, -1, rows[place]) for _, rows in member.grid.layers]
        used, numbers = np.unique(np.concatenate([[-1], *asked]), return_inverse=True)
        numbered = np.split(numbers.reshape(-1)[1:], len(asked))
        for (weight, _), rows in zip(member.grid.layers, numbered, strict=True):
            lighter = math.isqrt(weight * weight // len(below))
            if rows.any():
                layers.append((lighter, np.where(rows > 0, rows - 1 + answers, -1)))
        answers += len(used) - 1
    return Grid(names, unit, tuple(layers), fine)


def _cells_below(domain: Domain, names: tuple[str, ...], part: tuple[str, ...]) -> IntArray:
    """For each cell of a marginal, the cell of a smaller one that it belongs to."""
    sizes = [domain.attribute(name).size if name in part else 1 for name in names]
    cells = np.arange(math.prod(sizes), dtype=np.int64).reshape(sizes)
    return np.broadcast_to(cells, domain.project(names).shape).reshape(-1)


def lightest(unit: int, divisors: Sequence[int]) -> int:
    """The least weight that is left of a unit divided by the roots of these, rounded down."""
    weight = unit
    for divisor in divisors:
        weight = math.isqrt(weight * weight // divisor)
    return weight


def least_plausible(threshold: Fraction, variance: Fraction) -> int:
    """The least whole number that is at least ``threshold`` standard deviations."""
    square = math.ceil(threshold * threshold * variance)
    return math.isqrt(square - 1) + 1 if square else 0
