"""AEMC as the uncompressed flow of Li et al., section 4.2: one arc for every pair of cells.

It holds for any distances of a user: without the triangle inequality, or with a cost of
staying. The price is cells² arcs, so it is for small domains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.plan import penalties
from audit.utility.mgd.problem import Plan, Problem, Solution
from audit.utility.mgd.solvers.flow import Arcs, exact_cost, least_cost_flow
from synthesizers.errors import InputError

NEVER = -1
"""Stands for an infinite distance."""

MOST_PAIRS = 2**24
"""Arcs beyond which the flow would need more than about 2 GB; whoever builds a matrix minds it."""


def four_layer_flow(problem: Problem, matrix: NDArray[np.int64]) -> Solution:
    """The optimum for distances [cells, cells] in whole units, or ``NEVER`` where infinite.

    What moving costs in its plan is one number, for all attributes together. Raises
    ``InputError`` for another matrix, or one in which a cell reaches no cell, and
    ``TooLargeError`` for numbers that 64 bits do not hold.

    A record that arrives in a cell takes one of three places there: one of max(Q - Δ, 0) that
    would otherwise have to be filled at the penalty, one of those up to Q + Δ, or one beyond,
    at the penalty. So it pays 0, 1 or 2 penalties, and Σ max(Q - Δ, 0) - ΣP are added.

    **Guarantee.** Exact: backed by the comparison with an exact linear programme in
    ``tests/audit/utility/mgd/solvers/test_four_layer.py``.
    """
    if matrix.shape != (problem.size, problem.size) or matrix.min(initial=0) < NEVER:
        raise InputError(
            "a distance matrix has a row and a column a cell and no negative distances; "
            "build it over the cells of the marginal in their order"
        )
    if bool((matrix.max(axis=1, initial=NEVER) == NEVER).any()):
        raise InputError("every cell of a distance matrix has to reach a cell at a finite distance")
    synthetic, lowest = problem.synthetic.ravel(), problem.lowest.ravel()
    total = int(synthetic.sum())
    from_cell, to_cell = np.nonzero((matrix != NEVER) & (synthetic > 0)[:, None])
    cells, end = np.arange(problem.size), np.full(problem.size, 2 * problem.size)
    places = (lowest, problem.highest.ravel() - lowest, np.full_like(lowest, total))
    moves: Arcs = (
        from_cell,
        problem.size + to_cell,
        synthetic[from_cell],
        matrix[from_cell, to_cell].astype(np.int64),
    )
    arcs: list[Arcs] = [moves]
    for times, place in enumerate(places):
        price = np.full_like(lowest, times * problem.penalty)
        arcs.append((problem.size + cells, end, np.minimum(place, total), price))
    supplies = np.zeros(2 * problem.size + 1, dtype=np.int64)
    supplies[: problem.size], supplies[-1] = synthetic, -total
    moved = least_cost_flow(arcs, supplies)[0]
    kept = np.zeros(problem.size, dtype=np.int64)
    np.add.at(kept, to_cell, moved)
    kept = kept.reshape(problem.shape)
    adding = problem.penalty * int(np.abs(penalties(problem, kept)).sum())
    plan = Plan(kept, (exact_cost(moved, moves[3]),), adding)
    return Solution(plan.cost, plan.cost, "flow between all pairs of cells", plan=plan)
