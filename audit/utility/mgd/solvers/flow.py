"""AEMC as a minimum-cost flow, by OR-Tools in whole numbers (Goldberg and Tarjan's cost scaling).

It solves the general case, and takes about a second for ten thousand cells, however far apart the
tables are. The other solvers of this folder are kept for being at least three times as fast on some
row of ``benchmarks/aemc.py`` or ``benchmarks/aemc_dense.py``, as decision 0039 lists them; this one
checks them (``cross_check``).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python import min_cost_flow

from audit.utility.mgd.plan import penalties
from audit.utility.mgd.problem import Plan, Problem, Solution
from audit.utility.mgd.solvers.network import Network, network
from synthesizers.errors import TooLargeError

LARGEST = 2**63 - 1
"""OR-Tools holds amounts and scaled costs in 64 signed bits (``FlowQuantity``, ``CostValue``)."""

Integers = NDArray[np.int64]
Arcs = tuple[Integers, Integers, Integers, Integers]
"""Tails, heads, capacities and the costs of a unit [arcs]."""


def flow(problem: Problem) -> Solution:
    """The optimum with its plan, if no cell is left with less than none on the way.

    That can be where moves cost nothing: a record may then be added in one cell and moved on.

    The compressed graph of Li et al., appendix A.1: the records of each cell enter, and
    max(Q - Δ, 0) leave it, for free as far as Q + Δ and at the penalty beyond. The lower end is
    never negative, or free records would enter where there are none to keep.

    Raises ``TooLargeError`` if amounts, costs or nodes do not fit OR-Tools' integers.

    **Guarantee.** The plan is recounted from what each edge carries. That none is cheaper is by
    OR-Tools' word: backed by the linear programme in
    ``tests/audit/utility/mgd/solvers/test_flow.py``.
    """
    moves = network(problem)
    cells, outside = np.arange(problem.size), np.full(problem.size, moves.nodes)
    synthetic, lowest = problem.synthetic.ravel(), problem.lowest.ravel()
    # No more than all records need ever take one arc.
    total = int(synthetic.sum() + lowest.sum())
    room = np.minimum(problem.highest.ravel() - lowest, total)
    walks, anything = np.full(len(moves.lower), total), np.full(problem.size, total)
    penalty = np.full(problem.size, problem.penalty)
    arcs: list[Arcs] = [
        (moves.lower, moves.upper, walks, moves.steps),
        (moves.upper, moves.lower, walks, moves.steps),
        (cells, outside, room, np.zeros_like(room)),
        (cells, outside, anything, penalty),
        (outside, cells, anything, penalty),
    ]
    supplies = np.zeros(moves.nodes + 1, dtype=np.int64)
    supplies[: problem.size] = synthetic - lowest
    supplies[-1] = -supplies.sum()
    flows = least_cost_flow(arcs, supplies)
    cost = sum(
        exact_cost(amounts, costs) for amounts, (_, _, _, costs) in zip(flows, arcs, strict=True)
    )
    plan = plan_of_edges(problem, moves, flows[0] - flows[1])
    if plan is not None and plan.cost != cost:
        raise ArithmeticError("the plan of a flow does not cost what the flow does")
    return Solution(cost, cost, "minimum-cost flow", plan=plan)


def plan_of_edges(problem: Problem, moves: Network, carried: Integers) -> Plan | None:
    """The plan that carries so much up each edge [edges], less what it carries down.

    None if some cell would be left with less than none.
    """
    change = np.zeros(moves.nodes, dtype=np.int64)
    np.add.at(change, moves.upper, carried)
    np.subtract.at(change, moves.lower, carried)
    kept = problem.synthetic + change[: moves.cells].reshape(problem.shape)
    if change[moves.cells :].any() or kept.min(initial=0) < 0:
        return None
    moving = [0] * len(problem.axes)
    for position, (first, last) in zip(moves.attributes, pairwise(moves.bounds), strict=True):
        axis = problem.axes[position]
        assert axis is not None
        moving[position] += axis.step * int(np.abs(carried[first:last]).sum())
    adding = problem.penalty * int(np.abs(penalties(problem, kept)).sum())
    return Plan(kept, tuple(moving), adding)


def least_cost_flow(arcs: list[Arcs], supplies: Integers) -> list[Integers]:
    """The amounts along each of the arcs of a flow of least cost that meets ``supplies`` [nodes].

    There has to be one. Raises ``TooLargeError`` if amounts or costs do not fit OR-Tools' integers.
    """
    tails, heads, capacities, costs = (np.concatenate(parts) for parts in zip(*arcs, strict=True))
    # Prices of cost scaling lie within a few times the number of nodes times the dearest cost,
    # and all capacities of one node together have to fit.
    if 8 * int(costs.max(initial=0)) * (len(supplies) + 1) > LARGEST:
        raise too_large()
    if (int(capacities.max(initial=0)) + 1) * (len(capacities) + 1) > LARGEST:
        raise too_large()
    solver = min_cost_flow.SimpleMinCostFlow()
    numbers = solver.add_arcs_with_capacity_and_unit_cost(
        tails.astype(np.int32), heads.astype(np.int32), capacities, costs
    )
    solver.set_nodes_supplies(np.arange(len(supplies), dtype=np.int32), supplies)
    status = solver.solve()
    if status in (solver.BAD_COST_RANGE, solver.BAD_CAPACITY_RANGE):
        raise too_large()
    if status != solver.OPTIMAL:
        raise ArithmeticError(f"OR-Tools did not solve a flow that has a solution: {status.name}")
    ends = np.cumsum([len(tail) for tail, _, _, _ in arcs])
    return np.split(solver.flows(numbers), ends[:-1])


def exact_cost(amounts: Integers, costs: Integers) -> int:
    """Σ amounts·costs [arcs] in unbounded integers; the sum of the amounts fits 64 bits."""
    return sum(
        int(cost) * int(amounts[costs == cost].sum()) for cost in np.unique(costs[amounts > 0])
    )


def too_large() -> TooLargeError:
    """The refusal of amounts or costs that 64 bits do not hold."""
    return TooLargeError(
        "the counts or the denominators of weights and tolerance are too large for an exact flow "
        "in 64 bits; take weights and a tolerance with smaller denominators"
    )
