"""MCF, the updates by flows: records moved so that a marginal is met at once, at least cost.

Source: Li, Zhang & Wang 2021 (DPSyn), appendix A.1. Moving a record costs the number of
attributes that change, so that most of what other marginals have is kept. Large marginals take
the north-west corner's plan, as DPSyn's code of 2018 did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python import min_cost_flow

from synthesizers.estimation.record_targets import Codes, RecordTarget, rows_of_cells

IntArray = NDArray[np.int64]

MOST_ARCS = 250_000
"""The most arcs of a plan that is solved for; about a second."""


def cheapest_plan(surplus: IntArray, lack: IntArray, costs: IntArray) -> IntArray:
    """How much goes from each surplus to each lack, [surpluses, lacks], at the least cost.

    ``costs``: [surpluses, lacks], whole. The surpluses and the lacks have one sum.
    """
    left, right = len(surplus), len(lack)
    tails = np.repeat(np.arange(left), right)
    heads = left + np.tile(np.arange(right), left)
    solver = min_cost_flow.SimpleMinCostFlow()
    arcs = solver.add_arcs_with_capacity_and_unit_cost(
        tails, heads, np.minimum.outer(surplus, lack).ravel(), costs.ravel()
    )
    solver.set_nodes_supplies(np.arange(left + right), np.concatenate([surplus, -lack]))
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise ArithmeticError(f"OR-Tools did not solve a flow that has a solution: {status.name}")
    return np.asarray(solver.flows(arcs), np.int64).reshape(left, right)


def north_west_corner(surplus: IntArray, lack: IntArray) -> tuple[IntArray, IntArray]:
    """The number of the surplus and of the lack, for each unit moved, both in their order."""
    return np.repeat(np.arange(len(surplus)), surplus), np.repeat(np.arange(len(lack)), lack)


def moves(
    target: RecordTarget, held: IntArray, most_arcs: int = MOST_ARCS
) -> tuple[IntArray, IntArray]:
    """The cell that each moved record leaves, in ascending order, and the one that it goes to."""
    surplus, lack = np.maximum(held - target.counts, 0), np.maximum(target.counts - held, 0)
    sources, sinks = np.flatnonzero(surplus), np.flatnonzero(lack)
    if len(sources) * len(sinks) > most_arcs:
        leaving, going = north_west_corner(surplus[sources], lack[sinks])
    else:
        codes = np.stack(np.unravel_index(np.arange(len(held)), target.shape))
        costs = (codes[:, sources, None] != codes[:, None, sinks]).sum(axis=0)
        plan = cheapest_plan(surplus[sources], lack[sinks], costs)
        leaving, going = (
            np.repeat(part, plan.ravel()) for part in np.indices(plan.shape).reshape(2, -1)
        )
    return sources[leaving], sinks[going]


@dataclass(frozen=True, slots=True)
class Flow:
    """MCF's update: the target is met exactly, by overwriting its columns alone."""

    most_arcs: int = MOST_ARCS

    def __call__(
        self, codes: Codes, target: RecordTarget, number: int, generator: np.random.Generator
    ) -> None:
        """Move the records of one target, in place."""
        cells = target.cells(codes)
        held = target.count_cells(cells)
        leaving, going = moves(target, held, self.most_arcs)
        wanted = np.bincount(leaving, minlength=len(held))
        # Rows of a cell come in random order, so that any of them may go to any of its sinks.
        target.write(codes, rows_of_cells(cells, held, wanted, generator), going)
