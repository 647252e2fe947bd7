"""The sparse network whose paths cost what a move costs: neighbours, and groups as dummy nodes.

Li et al., appendix A.1 (compressed graph). A move changes one attribute after the other,
and within one attribute it walks along the tree of its values. So an inner node of a tree
is needed once for every combination of the *other* attributes' values, and never for
combinations of inner nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.problem import Problem
from synthesizers.errors import TooLargeError, rounded_count

LARGEST_NODE = 2**31 - 1
"""OR-Tools numbers nodes and arcs in 32 signed bits (``NodeIndex``, ``ArcIndex``)."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Edges between two generations of an attribute, its position among the attributes.

    ``starts`` [families] is where each family starts among the edges, ``heads`` [families]
    its upper end.
    """

    attribute: int
    edges: slice
    starts: NDArray[np.int64]
    heads: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Network:
    """Edges, each usable both ways at its cost for any number of records.

    Nodes below ``cells`` are the cells in the order of memory (last attribute fastest), the
    others up to ``nodes`` are groups. ``lower``, ``upper`` [edges] are the ends, ``upper``
    nearer to the root, and ``steps`` [edges] the costs in units. Layer after layer
    (``bounds`` [layers + 1]) the edges come by attribute (``attributes`` [layers] are their
    positions), then from the leaves to the root; those of a layer that share their upper
    end stand side by side, and no node is the lower end of two.
    """

    cells: int
    nodes: int
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    steps: NDArray[np.int64]
    bounds: tuple[int, ...]
    attributes: tuple[int, ...]

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers that have edges."""
        found = []
        for attribute, (first, last) in zip(self.attributes, pairwise(self.bounds), strict=True):
            upper = self.upper[first:last]
            starts = np.flatnonzero(np.diff(upper, prepend=-1))
            found.append(Layer(attribute, slice(first, last), starts, upper[starts]))
        return tuple(layer for layer in found if len(layer.starts))

    def within(self, inside: NDArray[np.bool_]) -> tuple[Network, NDArray[np.int64]]:
        """The network of the nodes in a mask [nodes], renumbered, and which edges it kept."""
        edges = np.flatnonzero(inside[self.lower] & inside[self.upper])
        number = np.cumsum(inside) - 1
        return (
            Network(
                int(inside[: self.cells].sum()),
                int(inside.sum()),
                number[self.lower[edges]],
                number[self.upper[edges]],
                self.steps[edges],
                tuple(np.searchsorted(edges, self.bounds).tolist()),
                self.attributes,
            ),
            edges,
        )


def network(problem: Problem) -> Network:
    """The network of a problem; the cost of its cheapest path from i to j is M_ij.

    Raises ``TooLargeError`` if OR-Tools could not number its nodes or arcs.
    """
    slices = [problem.size // max(size, 1) for size in problem.shape]
    counts = [
        (len(axis.parents) * count, (len(axis.parents) - axis.size) * count)
        for axis, count in zip(problem.axes, slices, strict=True)
        if axis
    ]
    nodes = problem.size + sum(groups for _, groups in counts)
    most = 2 * sum(edges for edges, _ in counts) + 4 * nodes
    if most > LARGEST_NODE:
        raise TooLargeError(
            f"the marginal needs a network of {rounded_count(most)} nodes and arcs and fewer than "
            "2**31 can be numbered; take fewer attributes or make more weights infinite"
        )
    lower, upper, steps, bounds, attributes = [], [], [], [0], []
    for position, step, low, high in _generations(problem):
        lower.append(low)
        upper.append(high)
        steps.append(np.full(len(low), step, dtype=np.int64))
        bounds.append(bounds[-1] + len(low))
        attributes.append(position)
    nothing = np.empty(0, dtype=np.int64)
    return Network(
        problem.size,
        nodes,
        np.concatenate([nothing, *lower]),
        np.concatenate([nothing, *upper]),
        np.concatenate([nothing, *steps]),
        tuple(bounds),
        tuple(attributes),
    )


def _generations(
    problem: Problem,
) -> Iterator[tuple[int, int, NDArray[np.int64], NDArray[np.int64]]]:
    """Attribute, step, lower and upper ends of the edges to each generation."""
    cells = np.arange(problem.size).reshape(problem.shape)
    first = problem.size
    for position, axis in enumerate(problem.axes):
        if axis is None:
            continue
        inner = len(axis.parents) - axis.size
        count = problem.size // max(axis.size, 1)
        groups = np.arange(first, first + inner * count).reshape(inner, count)
        numbers = np.concatenate(
            [np.moveaxis(cells, position, 0).reshape(axis.size, count), groups]
        )
        first += inner * count
        parents = np.array(axis.parents)
        for generation in axis.generations[:0:-1]:
            high = numbers[parents[generation]].ravel()
            order = np.argsort(high, kind="stable")
            yield position, axis.step, numbers[generation].ravel()[order], high[order]
