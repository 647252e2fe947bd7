"""AEMC as a minimum-cost flow, for any number of finite attributes.

Li et al., appendix A.1, in its tight form: every cell starts at its synthetic count moved
to the nearest end of its free interval [max(Q - Δ, 0), Q + Δ]. The lower end is never
negative, or free records would enter where there are none to keep. What a cell has beyond
its start flows away, to cells that may take more or out at the penalty. OR-Tools solves it
in whole numbers (Goldberg and Tarjan's cost scaling).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python import min_cost_flow
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from audit.utility.mgd.problem import Problem
from audit.utility.mgd.solvers.network import Network, network
from audit.utility.mgd.solvers.slack import Slack, slack
from synthesizers.errors import TooLargeError

LARGEST = 2**63 - 1
"""OR-Tools holds amounts and scaled costs in 64 signed bits (``FlowQuantity``, ``CostValue``)."""


def flow(problem: Problem) -> int:
    """The least cost, in units.

    Raises ``TooLargeError`` if amounts, costs or nodes do not fit OR-Tools' integers.
    """
    moves, free = network(problem), slack(problem)
    keep = _concerned(moves, free)
    if not keep.any():
        return 0
    kept, _ = moves.within(keep)
    return least_cost(kept, free.at(keep[: moves.cells]), problem.penalty)


def least_cost(moves: Network, free: Slack, penalty: int) -> int:
    """The least cost over a network whose cells have the slack ``free``, in units.

    Raises ``TooLargeError`` if amounts or costs do not fit OR-Tools' integers.
    """
    amounts, costs, tails, heads = _arcs(moves, free, penalty)
    _check_sizes(moves, amounts, penalty)
    solver = min_cost_flow.SimpleMinCostFlow()
    arcs = solver.add_arcs_with_capacity_and_unit_cost(tails, heads, amounts, costs)
    supply = free.surplus - free.missing
    solver.set_nodes_supplies(np.arange(moves.cells, dtype=np.int32), supply)
    solver.set_node_supply(moves.nodes, -int(supply.sum()))
    status = solver.solve()
    if status in (solver.BAD_COST_RANGE, solver.BAD_CAPACITY_RANGE):
        raise too_large()
    if status != solver.OPTIMAL:
        raise ArithmeticError(f"OR-Tools did not solve a flow that has a solution: {status.name}")
    return exact_cost(solver.flows(arcs), costs)


def exact_cost(amounts: NDArray[np.int64], costs: NDArray[np.int64]) -> int:
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


def _concerned(moves: Network, free: Slack) -> NDArray[np.bool_]:
    """The nodes [nodes] that a cell with a surplus or a lack is connected to."""
    ones = np.ones(len(moves.lower), dtype=bool)
    edges = coo_array((ones, (moves.lower, moves.upper)), shape=(moves.nodes, moves.nodes))
    _, part = connected_components(edges, directed=False)
    needed = np.zeros(int(part.max(initial=0)) + 1, dtype=bool)
    needed[part[: moves.cells][(free.surplus > 0) | (free.missing > 0)]] = True
    return needed[part]


def _arcs(
    moves: Network, free: Slack, penalty: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Capacities, costs, tails and heads; the last node is where records enter and leave.

    No arc carries more than all that has to or may leave a cell, as each of these records
    takes a path without a circle.
    """
    most = min(
        int(free.surplus.sum()) + int(free.spare.sum()),
        int(free.room.sum()) + int(free.missing.sum()),
    )
    walks = np.full(len(moves.lower), most, dtype=np.int64)
    amounts, costs = [walks, walks], [moves.steps, moves.steps]
    tails, heads = [moves.lower, moves.upper], [moves.upper, moves.lower]
    for amount, cost, leaves in (
        (free.room, 0, True),
        (free.spare, 0, False),
        (free.surplus, penalty, True),
        (free.missing, penalty, False),
    ):
        cells = np.flatnonzero(amount)
        hub = np.full(len(cells), moves.nodes, dtype=np.int64)
        amounts.append(amount[cells])
        costs.append(np.full(len(cells), cost, dtype=np.int64))
        tails.append(cells if leaves else hub)
        heads.append(hub if leaves else cells)
    return (
        np.concatenate(amounts),
        np.concatenate(costs),
        np.concatenate(tails).astype(np.int32),
        np.concatenate(heads).astype(np.int32),
    )


def _check_sizes(moves: Network, amounts: NDArray[np.int64], penalty: int) -> None:
    """Refuse what could overflow: scaled costs, or all capacities of one node together."""
    dearest = max(penalty, int(moves.steps.max(initial=0)))
    # Prices of cost scaling lie within a few times the number of nodes times the scaled cost.
    if 8 * dearest * (moves.nodes + 2) > LARGEST:
        raise too_large()
    if int(amounts.max(initial=0)) * (len(amounts) + 1) > LARGEST:
        raise too_large()
