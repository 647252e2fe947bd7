"""AEMC as the uncompressed flow of Li et al., one arc for every pair of cells.

It holds for any M, of a user too: without the triangle inequality, or with a cost of
staying. The price is cells² arcs, so it is for small domains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python import min_cost_flow

from audit.utility.mgd.distances import NEVER, distances
from audit.utility.mgd.plan import penalties
from audit.utility.mgd.problem import Plan, Problem
from audit.utility.mgd.solvers.flow import LARGEST, exact_cost, too_large
from synthesizers.errors import InputError, TooLargeError, rounded_count

MOST_PAIRS = 2**24
"""Arcs beyond which the flow would need more than about 2 GB."""


def four_layer_flow(problem: Problem, matrix: NDArray[np.int64] | None = None) -> Plan:
    """A cheapest plan; what moving costs is one number, for all attributes together.

    ``matrix`` [cells, cells] replaces M: whole units, or ``NEVER`` where infinite; every cell
    has to reach some cell. Raises ``InputError`` for any other matrix, ``TooLargeError``
    beyond ``MOST_PAIRS`` pairs of cells or numbers that 64 bits do not hold.

    A record that arrives in a cell takes one of three places there: one of max(Q - Δ, 0) that
    would otherwise have to be filled at the penalty, one of those up to Q + Δ, or one beyond,
    at the penalty. So it pays 0, 1 or 2 penalties, and Σ max(Q - Δ, 0) - ΣP are added.
    """
    if problem.size**2 > MOST_PAIRS:
        raise TooLargeError(
            f"a distance matrix over {rounded_count(problem.size)} cells is more than "
            f"{MOST_PAIRS} pairs; take fewer attributes, or distances that add up by attribute"
        )
    costs = distances(problem) if matrix is None else matrix
    if costs.shape != (problem.size, problem.size) or costs.min(initial=0) < NEVER:
        raise InputError(
            "a distance matrix has a row and a column a cell and no negative distances; "
            "build it over the cells of the marginal in their order"
        )
    if bool((costs.max(axis=1, initial=NEVER) == NEVER).any()):
        raise InputError("every cell of a distance matrix has to reach a cell at a finite distance")
    synthetic, real = problem.synthetic.ravel(), problem.real.ravel()
    lowest = np.maximum(real - problem.tolerance, 0)
    total = int(synthetic.sum())
    ends, dearest = problem.size * 2, max(int(costs.max(initial=0)), 2 * problem.penalty)
    if 8 * dearest * (ends + 2) > LARGEST or (total + 1) * (problem.size**2 + 3 * ends) > LARGEST:
        raise too_large()
    from_cell, to_cell = np.nonzero((costs != NEVER) & (synthetic > 0)[:, None])
    places = (lowest, real + problem.tolerance - lowest, np.full_like(real, total))
    cells = np.arange(problem.size)
    tails = [from_cell, *[problem.size + cells] * 3]
    heads = [problem.size + to_cell, *[np.full(problem.size, ends)] * 3]
    amounts = [synthetic[from_cell], *(np.minimum(place, total) for place in places)]
    prices = [
        costs[from_cell, to_cell],
        *(np.full_like(real, n * problem.penalty) for n in (0, 1, 2)),
    ]
    solver = min_cost_flow.SimpleMinCostFlow()
    price = np.concatenate(prices).astype(np.int64)
    arcs = solver.add_arcs_with_capacity_and_unit_cost(
        np.concatenate(tails).astype(np.int32),
        np.concatenate(heads).astype(np.int32),
        np.concatenate(amounts).astype(np.int64),
        price,
    )
    solver.set_nodes_supplies(cells.astype(np.int32), synthetic)
    solver.set_node_supply(ends, -total)
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise ArithmeticError(f"OR-Tools did not solve a flow that has a solution: {status.name}")
    moved = solver.flows(arcs)[: len(from_cell)]
    kept = np.zeros(problem.size, dtype=np.int64)
    np.add.at(kept, to_cell, moved)
    kept = kept.reshape(problem.shape)
    adding = problem.penalty * int(np.abs(penalties(problem, kept)).sum())
    return Plan(kept, (exact_cost(moved, price[: len(moved)]),), adding)
