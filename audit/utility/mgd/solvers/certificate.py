"""Several finite attributes: what a move along one of them proves about moves along all.

To forbid all moves but those along one attribute makes the optimum dearer, so that line's or
tree's optimum is an upper bound. Its potentials are also a solution of the dual, and prove it
optimal, if they happen to keep the constraints of the other attributes. If they do not, the
largest potentials below them (and the smallest above) that do keep them give a lower bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.plan import move_along, penalties
from audit.utility.mgd.problem import Axis, Plan, Problem, Solution
from audit.utility.mgd.solvers.trees import along, over_siblings


def certificate(problem: Problem) -> Solution:
    """Move along the cheapest attribute alone; its potentials bound the optimum from below.

    The solution is exact if they keep all constraints of the dual, which they often do
    where noise is small beside the tolerance.

    **Guarantee.** ``lower`` ≤ optimum ≤ ``cost``: backed by the linear programme in
    ``tests/audit/utility/mgd/solvers/test_aemc_certificate.py``, which also checks that the
    potentials keep the constraints and are worth ``lower``.
    """
    found = along(problem, cheapest_axis(problem), potentials=True)
    assert found.potentials is not None
    kept = under(problem, found.potentials)
    if np.array_equal(kept, found.potentials):
        return Solution(found.cost, found.cost, f"{found.how}, certified", found.potentials)
    above = -under(problem, -found.potentials)
    candidates = [kept, above, (kept + above) // 2, np.zeros_like(kept)]
    best = max(candidates, key=lambda potentials: worth(problem, potentials))
    lower = worth(problem, best)
    how = f"{found.how}, certified" if lower == found.cost else "bracket"
    return Solution(found.cost, lower, how, best)


def cheapest_axis(problem: Problem) -> int:
    """The finite attribute whose nearest values are the cheapest to move between."""

    def dearness(position: int) -> int:
        axis = problem.axes[position]
        assert axis is not None
        return nearest(axis)

    return min(problem.finite, key=dearness)


def nearest(axis: Axis) -> int:
    """What it costs to move between the two nearest values of an attribute."""
    return axis.step * (1 if any(0 <= parent < axis.size for parent in axis.parents) else 2)


def bracket(problem: Problem, bounds: Solution | None = None) -> Solution:
    """A cheaper plan within bounds: moves along one attribute, then along the next.

    Every attribute is tried as the first. ``bounds`` are those at hand, else the certificate.
    """
    found = certificate(problem) if bounds is None else bounds
    plans = [cheapest_in_turn(problem, first) for first in problem.finite]
    if found.plan is not None:
        plans.append(found.plan)
    plan = min(plans, key=lambda each: each.cost)
    how = "moves along one attribute at a time" if plan.cost == found.lower else "bracket"
    return Solution(plan.cost, found.lower, how, found.potentials, plan)


def cheapest_in_turn(problem: Problem, first: int) -> Plan:
    """A plan along the attribute ``first``, then along each other for what is left."""
    moving = np.zeros(len(problem.axes), dtype=object)
    kept = problem.synthetic
    for position in (first, *(each for each in problem.finite if each != first)):
        left = Problem(
            problem.axes, kept, problem.real, problem.tolerance, problem.penalty, problem.scale
        )
        plan = move_along(left, position)
        kept = plan.kept
        moving += np.array(plan.moving, dtype=object)
    adding = problem.penalty * int(np.abs(penalties(problem, kept)).sum())
    return Plan(kept, tuple(int(cost) for cost in moving), adding)


def worth(problem: Problem, potentials: NDArray[np.int64]) -> int:
    """The value of the dual: a lower bound if the potentials keep its constraints."""
    ends = np.where(potentials >= 0, problem.highest, problem.lowest)
    return int((potentials * (problem.synthetic - ends)).sum())


def under(problem: Problem, potentials: NDArray[np.int64]) -> NDArray[np.int64]:
    """The largest potentials that are nowhere above the given ones and keep all constraints.

    π'_i = min over j of π_j + M_ij, one attribute after the other as M is a sum over them.
    They are the given ones exactly if these keep the constraints.
    """
    for position in problem.finite:
        axis = problem.axes[position]
        assert axis is not None
        front = np.moveaxis(potentials, position, 0)
        lowered = _lower(axis, front.reshape(axis.size, -1), problem.penalty)
        potentials = np.moveaxis(lowered.reshape(front.shape), 0, position)
    return potentials


def _lower(axis: Axis, potentials: NDArray[np.int64], penalty: int) -> NDArray[np.int64]:
    """The minimum over all values of their potential [size, n] plus the way from them."""
    parents = np.array(axis.parents, dtype=np.int64)
    # A group has no potential of its own; π ≤ penalty everywhere, so this never binds.
    reached = np.full((len(parents), potentials.shape[1]), penalty, dtype=np.int64)
    reached[: axis.size] = potentials
    families = list(zip(axis.generations, axis.generations[1:], strict=False))
    for above, nodes in reversed(families):
        raised = over_siblings(reached[nodes], parents[nodes], above, np.minimum) + axis.step
        childless = ~np.isin(above, parents[nodes])
        raised[childless] = penalty
        reached[above] = np.minimum(reached[above], raised)
    for _, nodes in families:
        reached[nodes] = np.minimum(reached[nodes], reached[parents[nodes]] + axis.step)
    return reached[: axis.size]
