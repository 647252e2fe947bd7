"""One AEMC problem in integers: what to move, what moving costs, what stays free.

Li et al., equation 1, with X ≥ 0 stated: P are the counts of the synthetic table over the
cells of a marginal, Q those of the real one,

    cost = min over X ≥ 0 with Σ_j X_ij = P_i of Σ_ij X_ij·M_ij + Σ_j max(|Σ_i X_ij - Q_j| - Δ, 0)

and AEMC = cost / ΣQ. All costs are whole numbers of a unit, so that every solver is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import TooLargeError, rounded_count


@dataclass(frozen=True)
class Axis:
    """What moving along one attribute costs: a tree over its values, every edge the same.

    Nodes 0 to ``size`` - 1 are the values; ``parents`` [nodes] is each node's parent, -1 at
    the root, and further nodes are groups of a hierarchy. ``step`` is the cost of an edge in
    units. A line is the tree in which every value's parent is the value before it. There
    may be several roots: nothing moves from one tree to another.
    """

    size: int
    parents: tuple[int, ...]
    step: int

    @classmethod
    def line(cls, size: int, step: int) -> Axis:
        """An ordinal attribute: neighbouring values are ``step`` apart."""
        return cls(size, tuple(range(-1, size - 1)), step)

    @cached_property
    def lines(self) -> tuple[slice, ...] | None:
        """The values of each tree, if all are lines in the order of the values from their root."""
        starts = [value for value, parent in enumerate(self.parents) if parent < 0]
        ends = [*starts[1:], len(self.parents)]
        parts = list(zip(starts, ends, strict=True))
        # Values before the first root would be in no part.
        if starts[0] or len(self.parents) > self.size:
            return None
        if not all(self.parents[a:b] == (-1, *range(a, b - 1)) for a, b in parts):
            return None
        return tuple(slice(a, b) for a, b in parts)

    @cached_property
    def generations(self) -> tuple[NDArray[np.int64], ...]:
        """The nodes by their distance from the root, the roots first; siblings side by side."""
        parents = np.array(self.parents, dtype=np.int64)
        order = np.argsort(parents, kind="stable")
        ends = np.searchsorted(parents[order], np.arange(-1, len(parents) + 1))
        found = [order[: ends[1]]]
        while found[-1].size:
            above = found[-1] + 1
            found.append(np.concatenate([order[ends[n] : ends[n + 1]] for n in above.tolist()]))
        return tuple(found[:-1])


@dataclass(frozen=True, eq=False)
class Problem:
    """AEMC over the cells of ``shape`` in whole numbers.

    ``axes``: one an attribute, None where its weight is infinite and nothing moves along
    it. ``synthetic`` and ``real`` [*shape], int64, are P and Q times ``scale``, and
    ``tolerance`` is Δ times ``scale``. ``penalty`` is the cost of adding or removing one
    record, in the units of the axes' steps.

    Raises ``TooLargeError`` if a cost could reach 2**63 units.
    """

    axes: tuple[Axis | None, ...]
    synthetic: NDArray[np.int64]
    real: NDArray[np.int64]
    tolerance: int
    penalty: int
    scale: int = 1

    def __post_init__(self) -> None:
        """Refuse counts that 64-bit integers would not hold once they are costs."""
        counts = [int(table.sum(dtype=np.float64)) for table in (self.synthetic, self.real)]
        most = self.penalty * (sum(counts) + 2 * self.tolerance * self.size)
        # Half of what an integer holds: the sum above is rounded, and solvers add two such.
        if most >= 2**62:
            raise TooLargeError(
                f"the costs would reach {rounded_count(most)} units and must stay "
                "below 2**62; give weights and tolerance as simpler fractions"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return self.real.shape

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    @property
    def finite(self) -> tuple[int, ...]:
        """The attributes along which there is somewhere to move to, by position."""
        return tuple(
            position
            for position, axis in enumerate(self.axes)
            if axis is not None and max(axis.parents) >= 0
        )

    @property
    def lowest(self) -> NDArray[np.int64]:
        """The fewest records that each cell may keep for free: max(Q - Δ, 0)."""
        return np.maximum(self.real - self.tolerance, 0)

    @property
    def highest(self) -> NDArray[np.int64]:
        """The most records that each cell may keep for free: Q + Δ."""
        return self.real + self.tolerance

    def value(self, cost: int) -> Fraction:
        """AEMC for a ``cost`` in units; there has to be a real record to divide by."""
        return Fraction(cost, self.penalty * int(self.real.sum()))


@dataclass(frozen=True, eq=False)
class Plan:
    """Where the records of each cell end up.

    ``kept`` [*shape] are the records of each cell after moving, before any is added or
    removed. ``moving`` is the cost of moving along each attribute, in units, and
    ``adding`` that of adding and removing.
    """

    kept: NDArray[np.int64]
    moving: tuple[int, ...]
    adding: int

    @property
    def cost(self) -> int:
        """What the plan costs in all."""
        return sum(self.moving) + self.adding


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver found: the cheapest plan costs ``lower`` to ``cost`` units.

    ``cost`` is that of a plan that exists, so the two are equal where the optimum was
    found. ``how`` names the solver. ``potentials`` [*shape], if known, are worth of being
    rid of a record in each cell: a solution of the dual whose value is ``lower``. ``plan``,
    if one was made on the way, costs ``cost``.
    """

    cost: int
    lower: int
    how: str
    potentials: NDArray[np.int64] | None = None
    plan: Plan | None = None

    @property
    def exact(self) -> bool:
        """Whether ``cost`` is the optimum."""
        return self.lower == self.cost
