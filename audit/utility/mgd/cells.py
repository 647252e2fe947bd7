"""The cells of a target marginal as an AEMC problem in integers, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.counts import Attributes
from audit.utility.mgd.matrix import Distances, in_units
from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.semantic import semantic
from audit.utility.mgd.solvers.four_layer import MOST_PAIRS, NEVER
from audit.utility.mgd.target import Target
from audit.utility.pair import Marginal
from synthesizers.domain import Domain
from synthesizers.errors import TooLargeError, rounded_count

MOST_CELLS = 2**27
"""Cells that are spelt out at most: a gigabyte for each of the tables."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A problem whose first axis are the combinations of the attributes that nothing crosses.

    Combinations without any record, real or synthetic, cost nothing and are left out.
    ``combinations`` [first axis] are numbered over ``fixed``, the attributes of infinite
    weight, the last fastest; the further axes are the ``finite`` attributes. With ``matrix``
    [cells, cells], a user's own distances in units, no attribute is finite, and all cells that
    the matrix has are there.
    """

    problem: Problem
    fixed: Attributes
    finite: Attributes
    sizes: tuple[int, ...]
    combinations: NDArray[np.int64]
    matrix: NDArray[np.int64] | None = None

    def codes(self, cells: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """The codes [n] of each attribute in cells [n] of the problem, in the order of memory."""
        first, *values = np.unravel_index(cells, self.problem.shape)
        rest = self.combinations[first]
        found = dict(zip(self.finite, values, strict=True))
        for name, size in zip(reversed(self.fixed), reversed(self.sizes), strict=True):
            rest, found[name] = np.divmod(rest, size)
        return found


def cells_of(target: Target, marginal: Marginal, domain: Domain) -> Cells:
    """The problem of a target in integers; exact, as weights and tolerance are.

    Costs are in units of 1/u, u the least common multiple of the denominators of all
    steps; counts are multiplied by the denominator of the tolerance.

    Raises ``InputError`` as ``Target.resolved`` and ``semantic`` do, and ``TooLargeError``
    beyond ``MOST_CELLS`` cells, or if the costs do not fit 64-bit integers.
    """
    weights = target.resolve(domain)
    if target.distances is not None:
        return _between_all(target, target.distances, marginal, domain)
    shape = dict(zip(marginal.attributes, marginal.shape, strict=True))
    found = {
        name: (semantic(domain, name, shape[name]), weight)
        for name, weight in weights.items()
        if weight != "infinite" and shape[name] > 1
    }
    steps = [weight * each.edge for each, weight in found.values()]
    unit = math.lcm(*(step.denominator for step in steps))
    axes: list[Axis | None] = [each.axis(weight, unit) for each, weight in found.values()]
    finite = tuple(found)
    fixed = tuple(name for name in marginal.attributes if name not in found)
    place = np.zeros_like(marginal.cells)
    for name in fixed:
        place = place * shape[name] + marginal.codes(name)
    combinations, place = _number(place, math.prod(shape[name] for name in fixed))
    sizes = tuple(shape[name] for name in finite)
    cells = len(combinations) * math.prod(sizes)
    if cells > MOST_CELLS:
        raise TooLargeError(
            f"the marginal {target.label} has {rounded_count(cells)} cells that records can move "
            f"between and at most {MOST_CELLS} are held; take fewer attributes, or make "
            'weights "infinite"'
        )
    for name in finite:
        place = place * shape[name] + marginal.codes(name)
    problem = _problem(target, marginal, place, (None, *axes), (len(combinations), *sizes), unit)
    return Cells(problem, fixed, finite, tuple(shape[name] for name in fixed), combinations)


def _between_all(target: Target, distances: Distances, marginal: Marginal, domain: Domain) -> Cells:
    """The cells of the matrix, and those outside the domain that have records."""
    what = f"the marginal {target.label}: the distance matrix"
    codes = np.indices([domain.attribute(name).size for name in target.attributes])
    inside = np.zeros(len(distances), dtype=np.int64)
    for name, size in zip(marginal.attributes, marginal.shape, strict=True):
        inside = inside * size + codes[target.attributes.index(name)].ravel()
    combinations = np.union1d(inside, marginal.cells)
    if len(combinations) ** 2 > MOST_PAIRS:
        raise TooLargeError(
            f"{what}: with the cells outside the domain it would have more than {MOST_PAIRS} "
            "entries; take fewer attributes, or declare their values"
        )
    entries, unit = in_units(distances, what)
    matrix = np.full((len(combinations),) * 2, NEVER, dtype=np.int64)
    np.fill_diagonal(matrix, 0)
    rows = np.searchsorted(combinations, inside)
    matrix[np.ix_(rows, rows)] = entries
    place = np.searchsorted(combinations, marginal.cells)
    problem = _problem(target, marginal, place, (None,), (len(combinations),), unit)
    return Cells(problem, marginal.attributes, (), marginal.shape, combinations, matrix)


def _problem(
    target: Target,
    marginal: Marginal,
    place: NDArray[np.int64],
    axes: tuple[Axis | None, ...],
    shape: tuple[int, ...],
    unit: int,
) -> Problem:
    """The problem over the cells of ``shape``, the counts of the marginal at ``place`` [m]."""
    scale = target.tolerance.denominator
    if scale * max(marginal.records) >= 2**62 or target.tolerance >= 2**62:
        raise TooLargeError(
            f"the marginal {target.label}: the tolerance makes counts that 64 bits do not hold; "
            "take a simpler fraction"
        )
    tables = np.zeros((2, math.prod(shape)), dtype=np.int64)
    tables[0, place], tables[1, place] = marginal.synthetic * scale, marginal.real * scale
    return Problem(
        axes,
        tables[0].reshape(shape),
        tables[1].reshape(shape),
        tolerance=target.tolerance.numerator,
        penalty=unit,
        scale=scale,
    )


def _number(place: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct numbers below ``size``, ascending, and where each of ``place`` [n] is."""
    if size > 2**24:
        found, where = np.unique(place, return_inverse=True)
        return found, where.reshape(-1)
    present = np.zeros(size, dtype=bool)
    present[place] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[place]
