"""AEMC with several finite attributes, exactly, at the size of a real marginal.

The primal-dual method: potentials that are feasible and a plan that fits them but for some
cells, until it fits in all. It starts from potentials that are optimal along one attribute.
These are nearly right nearly everywhere, so a few maximum flows do where cost scaling, which
starts from nothing, has to look at every edge many times.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.problem import Problem, Solution
from audit.utility.mgd.solvers.ascent import Ascent
from audit.utility.mgd.solvers.certificate import cheapest_axis, nearest, under, worth
from audit.utility.mgd.solvers.flow import plan_of_edges, too_large
from audit.utility.mgd.solvers.network import network
from audit.utility.mgd.solvers.paths import FAR
from audit.utility.mgd.solvers.trees import along

SMALL = 0.4
"""A part of the network is searched by itself if it has at most this share of the nodes.

Measured with ``benchmarks/aemc_dense.py``: from 0.3 to 0.6 it makes little difference.
"""


def primal_dual(problem: Problem, budget_seconds: float | None = None) -> Solution:
    """The optimum, or the bracket that was reached when the budget ran out.

    The budget is looked at between steps, each of which takes about a second for a million
    cells. Some attribute has to be finite. Raises ``TooLargeError`` if amounts, costs or
    nodes do not fit the integers of OR-Tools.

    **Guarantee.** ``cost`` is that of a plan and ``lower`` the value of feasible potentials:
    both are recomputed from the end result, from the counts and the axes alone, and found
    allowed. So ``exact`` rests on neither the search nor OR-Tools. That the search gets
    there: backed by the comparison with the minimum-cost flow and the linear programme in
    ``tests/audit/utility/mgd/solvers/test_primal_dual.py``.
    """
    deadline = math.inf if budget_seconds is None else time.monotonic() + budget_seconds
    if max(problem.penalty, *(axis.step for axis in problem.axes if axis)) > FAR // 8:
        raise too_large()
    one = along(problem, cheapest_axis(problem), potentials=True)
    assert one.potentials is not None
    ascent = Ascent.start(
        network(problem),
        problem.penalty,
        (problem.lowest.ravel(), problem.highest.ravel()),
        problem.synthetic.ravel(),
        _feasible(problem, one.potentials).ravel(),
    )
    _search(ascent, deadline)
    potentials = ascent.potentials[: problem.size].reshape(problem.shape)
    within = bool((np.abs(potentials) <= problem.penalty).all())
    if not within or not np.array_equal(under(problem, potentials), potentials):
        raise ArithmeticError("the potentials found do not keep the constraints of the dual")
    lower = worth(problem, potentials)
    plan = plan_of_edges(problem, ascent.network, ascent.carried)
    if plan is None or plan.cost > one.cost:
        how = f"{one.how}, certified" if one.cost == lower else "bracket"
        return Solution(one.cost, lower, how, potentials)
    if not ascent.left and plan.cost != lower:
        raise ArithmeticError("the plan found is not optimal, and nothing is left to carry")
    how = "primal-dual" if plan.cost == lower else "bracket"
    return Solution(plan.cost, lower, how, potentials, plan)


def _search(ascent: Ascent, deadline: float) -> None:
    """Carry and lift until nothing is left, in a small part of the network where that will do.

    A part keeps what is around it in place, so it can get stuck at its rim; then it is made
    twice as wide, in the end as wide as the network.
    """
    radius = int(ascent.network.steps.min(initial=ascent.penalty))
    while ascent.left and time.monotonic() < deadline:
        inside = ascent.near(radius)
        if inside.mean() <= SMALL:
            part, edges = ascent.part(inside)
            part.carry()
            while part.left and part.lift() and time.monotonic() < deadline:
                part.carry()
            ascent.take_over(part, inside, edges)
            radius = 2 * max(radius, 1)
        else:
            ascent.carry()
            if ascent.left:
                radius = max(ascent.lift() // 2, 1)


def _feasible(problem: Problem, prices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Feasible potentials that are worth much, from those of one attribute.

    Either end of too great a difference may give way. Where another attribute's values are no
    further apart than ``reach``, differences beyond it rarely stay, and which of them go
    depends on whether records abound or lack: hence the windows.
    """
    penalty = problem.penalty
    axes = [axis for axis in problem.axes if axis]
    reach = min([penalty, *sorted(nearest(axis) for axis in axes)[1:]])
    best, value = np.zeros_like(prices), 0
    for window in (
        (-penalty, penalty),
        (-reach, reach),
        (penalty - reach, penalty),
        (-penalty, reach - penalty),
    ):
        clipped = np.clip(prices, *window)
        for found in (under(problem, clipped), -under(problem, -clipped)):
            if worth(problem, found) > value:
                best, value = found, worth(problem, found)
    return best
