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

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Axis:
    """What moving along one attribute costs: a tree over its values, every edge the same.

    Nodes 0 to ``size`` - 1 are the values; ``parents`` [nodes] is each node's parent, -1 at
    the root, and further nodes are groups of a hierarchy. ``step`` is the cost of an edge in
    units. A line is the tree in which every value's parent is the value before it.
    """

    size: int
    parents: tuple[int, ...]
    step: int

    @classmethod
    def line(cls, size: int, step: int) -> Axis:
        """An ordinal attribute: neighbouring values are ``step`` apart."""
        return cls(size, tuple(range(-1, size - 1)), step)

    @property
    def is_line(self) -> bool:
        """Whether the tree is the line over the values in their order."""
        return self.parents == tuple(range(-1, self.size - 1))


@dataclass(frozen=True, eq=False)
class Problem:
    """AEMC over the cells of ``shape`` in whole numbers.

    ``axes``: one an attribute, None where its weight is infinite and nothing moves along
    it. ``synthetic`` and ``real`` [*shape], int64, are P and Q times ``scale``, and
    ``tolerance`` is Δ times ``scale``. ``penalty`` is the cost of adding or removing one
    record, in the units of the axes' steps.
    """

    axes: tuple[Axis | None, ...]
    synthetic: NDArray[np.int64]
    real: NDArray[np.int64]
    tolerance: int
    penalty: int
    scale: int = 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return self.real.shape

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    def value(self, cost: int) -> Fraction | None:
        """AEMC for a ``cost`` in units; None (infinite) for a cost without any real record.

        0/0 is 0: nothing has to be moved into an empty table that is to stay empty.
        """
        total = int(self.real.sum())
        if total == 0:
            return Fraction(0) if cost == 0 else None
        return Fraction(cost, self.penalty * total)
