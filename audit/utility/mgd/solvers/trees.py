"""AEMC along one finite attribute: the dual, level by level, from the leaves to the root.

The dual of Li et al., equation 1, for distances that obey the triangle inequality is

    max over π of Σ_j min(π_j·(P_j - low_j), π_j·(P_j - high_j)),  |π_j| ≤ K,  |π_i - π_j| ≤ M_ij

with low = max(Q - Δ, 0), high = Q + Δ and K the penalty. Constraints on differences alone
make whole π optimal. Along a tree, V_v(π), the best of the subtree of v with π at v, is

    V_v(π) = gain_v(π) + Σ over children c of max over |π' - π| ≤ step of V_c(π')

which is concave: its slopes from level to level fall. Here it is held as V_v(0) and these
slopes. A gain then adds one number to all slopes below 0 and another to those above; the
maximum over a window moves positive slopes ``step`` down, negative ones ``step`` up, and leaves
zeros in between. All other attributes being infinite, every combination of theirs is a
component by itself, and all of them are computed side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.problem import Axis, Problem, Solution
from audit.utility.mgd.solvers.lines import FEW, LONG, long_line

CACHED = 2**17
"""Slopes of one generation held at a time: a megabyte, about the cache of one core."""


@dataclass(frozen=True, eq=False)
class Components:
    """The combinations of the other attributes in which something is beyond the tolerance.

    ``kept`` [all of them] says which; of these, ``synthetic``, ``lowest`` and ``highest``
    [size, components] are P and the ends of the free intervals.
    """

    kept: NDArray[np.bool_]
    synthetic: NDArray[np.int64]
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, position: int) -> Components:
        """The components when only the attribute at ``position`` is finite."""
        size = problem.shape[position]
        P, Q = (
            np.moveaxis(table, position, 0).reshape(size, -1)
            for table in (problem.synthetic, problem.real)
        )
        kept = (np.abs(P - Q) > problem.tolerance).any(axis=0)
        if not kept.all():
            P, Q = P[:, kept], Q[:, kept]
        lowest = np.maximum(Q - problem.tolerance, 0)
        return cls(kept, P, lowest, Q + problem.tolerance)


def along(problem: Problem, position: int, potentials: bool = False) -> Solution:
    """The least cost when records move along the attribute at ``position`` alone.

    It is the optimum if that is the only finite attribute; the ``lower`` of the solution
    takes this for granted. Of several optimal ``potentials`` the ones near 0 are preferred.

    **Guarantee.** Exact in 64-bit integers for every tree: backed by the comparison with an
    exact linear programme in ``tests/audit/utility/mgd/solvers/test_trees.py``.
    """
    axis = problem.axes[position]
    assert axis is not None
    components = Components.of(problem, position)
    cost, chosen = programme(axis, problem.penalty, components, potentials)
    how = "level programme over a line" if axis.lines else "level programme over a tree"
    if chosen is None:
        return Solution(cost, cost, how)
    rest = problem.shape[:position] + problem.shape[position + 1 :]
    found = np.zeros((axis.size, len(components.kept)), dtype=np.int64)
    found[:, components.kept] = chosen[: axis.size]
    return Solution(cost, cost, how, np.moveaxis(found.reshape(axis.size, *rest), 0, position))


def programme(
    axis: Axis, penalty: int, components: Components, potentials: bool
) -> tuple[int, NDArray[np.int64] | None]:
    """The cost of all components in units, and optimal π [nodes, components] if wanted."""
    below = components.synthetic - components.lowest
    above = components.synthetic - components.highest
    count = below.shape[1]
    chosen = np.zeros((len(axis.parents), count), dtype=np.int64) if potentials else None
    unit = math.gcd(axis.step, penalty)
    half, shift = penalty // unit, axis.step // unit
    cost = 0
    if axis.lines is not None and (half >= LONG or count < FEW):
        for line in axis.lines:
            for component in range(count):
                found, levels = long_line(
                    below[line, component].tolist(),
                    above[line, component].tolist(),
                    axis.step,
                    penalty,
                    potentials,
                )
                cost += found
                if chosen is not None:
                    chosen[line, component] = levels
        return cost, chosen
    widest = max(len(nodes) for nodes in axis.generations)
    chunk = max(CACHED // (2 * half * widest), 1)
    for start in range(0, count, chunk):
        part = slice(start, start + chunk)
        rises = _Rises.empty(len(axis.parents), below[:, part].shape[1]) if potentials else None
        cost += unit * _upwards(axis, half, shift, below[:, part], above[:, part], rises)
        if chosen is not None and rises is not None:
            chosen[:, part] = unit * _downwards(axis, half, shift, rises)
    return cost, chosen


@dataclass(frozen=True, eq=False)
class _Rises:
    """Where V_v is largest: from level ``first`` to level ``last`` [nodes, components]."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def empty(cls, nodes: int, components: int) -> _Rises:
        return cls(*np.empty((2, nodes, components), dtype=np.int64))


def _upwards(
    axis: Axis,
    half: int,
    shift: int,
    below: NDArray[np.int64],
    above: NDArray[np.int64],
    rises: _Rises | None,
) -> int:
    """Σ of max V at the roots, in levels; notes in ``rises`` where each V is largest.

    Slopes [nodes of a generation, 2·half, components]: row ``half`` + l leads from level l
    to l + 1.
    """
    total = 0
    parents = np.array(axis.parents, dtype=np.int64)
    generations = axis.generations
    count = below.shape[1]
    slopes = np.zeros((len(generations[-1]), 2 * half, count), dtype=np.int64)
    for depth in range(len(generations) - 1, -1, -1):
        nodes = generations[depth]
        valued = nodes < axis.size
        if valued.all():
            slopes[:, :half] += below[nodes, None]
            slopes[:, half:] += above[nodes, None]
        elif valued.any():
            slopes[valued, :half] += below[nodes[valued], None]
            slopes[valued, half:] += above[nodes[valued], None]
        if rises is not None:
            rises.first[nodes] = np.count_nonzero(slopes > 0, axis=1) - half
            rises.last[nodes] = np.count_nonzero(slopes >= 0, axis=1) - half
        reach = shift if depth else half
        # V(0) becomes the maximum over the window: 0 plus what rises to either side.
        total += int(np.maximum(slopes[:, half : half + reach], 0).sum())
        total -= int(np.minimum(slopes[:, max(half - reach, 0) : half], 0).sum())
        if depth:
            moved = _window(slopes, shift)
            slopes = over_siblings(moved, parents[nodes], generations[depth - 1])
    return total


def _window(slopes: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    """The slopes of π -> max over |π' - π| ≤ shift of V(π')."""
    kept = max(slopes.shape[1] - shift, 0)
    moved = np.zeros_like(slopes)
    if kept:
        np.maximum(slopes[:, -kept:], 0, out=moved[:, :kept])
        moved[:, -kept:] += np.minimum(slopes[:, :kept], 0)
    return moved


def over_siblings(
    values: NDArray[np.int64],
    parents: NDArray[np.int64],
    generation: NDArray[np.int64],
    combine: np.ufunc = np.add,
) -> NDArray[np.int64]:
    """``values`` [children, ...] combined for each node of the generation above them.

    ``parents`` [children] in the order of ``generation``, as ``Axis.generations`` has them;
    a node without children gets 0.
    """
    if len(parents) == len(generation) == 1:
        return values
    starts = np.flatnonzero(np.diff(parents, prepend=-1))
    found = values if len(starts) == len(parents) else combine.reduceat(values, starts, axis=0)
    if len(starts) == len(generation):
        return found
    spread = np.zeros((len(generation), *values.shape[1:]), dtype=np.int64)
    spread[np.isin(generation, parents)] = found
    return spread


def _downwards(axis: Axis, half: int, shift: int, rises: _Rises) -> NDArray[np.int64]:
    """An optimal π in levels [nodes, components], from the roots to the leaves.

    V being concave, the best level of a window is the one in it that is nearest to where V
    is largest. Among equals the one nearest to 0 is taken.
    """
    chosen = np.empty_like(rises.first)
    for depth, nodes in enumerate(axis.generations):
        first, last = rises.first[nodes], rises.last[nodes]
        if depth:
            centre = chosen[np.array(axis.parents)[nodes]]
            low = np.maximum(centre - shift, -half)
            high = np.minimum(centre + shift, half)
            first = np.clip(first, low, high)
            last = np.clip(last, low, high)
        chosen[nodes] = np.clip(0, first, last)
    return chosen
