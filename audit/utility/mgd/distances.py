"""M, the cost of moving a record from any cell to any other, written out for small domains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.problem import Axis, Problem

NEVER = -1
"""Stands for an infinite distance."""


def tree_distances(axis: Axis) -> NDArray[np.int64]:
    """The cost of moving between the values [size, size], in units; ``NEVER`` between trees."""
    nodes = len(axis.parents)
    edges = np.full((nodes, nodes), nodes, dtype=np.int64)
    np.fill_diagonal(edges, 0)
    for child, parent in enumerate(axis.parents):
        if parent >= 0:
            edges[child, parent] = edges[parent, child] = 1
    for middle in range(nodes):
        edges = np.minimum(edges, edges[:, [middle]] + edges[[middle], :])
    edges = edges[: axis.size, : axis.size]
    return np.where(edges < nodes, edges * axis.step, NEVER)


def distances(problem: Problem) -> NDArray[np.int64]:
    """M [cells, cells] in units, cells in the order of memory; ``NEVER`` where infinite."""
    cells = np.indices(problem.shape).reshape(len(problem.shape), -1)
    found = np.zeros((problem.size, problem.size), dtype=np.int64)
    never = np.zeros(found.shape, dtype=bool)
    for axis, size, values in zip(problem.axes, problem.shape, cells, strict=True):
        apart = tree_distances(axis or Axis(size, (-1,) * size, 0))
        along = apart[np.ix_(values, values)]
        found += along
        never |= along == NEVER
    found[never] = NEVER
    return found
