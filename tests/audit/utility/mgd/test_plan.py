from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from audit.utility.mgd.plan import move_along, penalties, stay
from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solve import closed_form
from audit.utility.mgd.solvers.trees import along
from tests.audit.utility.mgd.exact_plans import least_cost, optimum, path_lengths, problems


@given(problems((1, 1)))
@settings(max_examples=100)
def test_a_plan_costs_what_the_dual_is_worth(problem: Problem) -> None:
    (position,) = (p for p, axis in enumerate(problem.axes) if axis is not None)
    plan = move_along(problem, position)
    assert plan.cost == along(problem, position).cost == optimum(problem)
    assert (plan.kept >= 0).all()
    np.testing.assert_array_equal(
        plan.kept.sum(axis=position), problem.synthetic.sum(axis=position)
    )
    left = problem.penalty * int(np.abs(penalties(problem, plan.kept)).sum())
    assert plan.adding == left
    assert sum(plan.moving) == plan.moving[position]


@given(problems((1, 1), cells=6))
@settings(max_examples=60)
def test_what_it_calls_moving_is_what_moving_there_costs(problem: Problem) -> None:
    """Each component by itself, from P to what the plan keeps, without adding or removing."""
    (position,) = (p for p, axis in enumerate(problem.axes) if axis is not None)
    axis = problem.axes[position]
    assert axis is not None
    plan = move_along(problem, position)
    dear = 10 * (1 + axis.step) * axis.size
    edges = {pair: axis.step * length for pair, length in path_lengths(axis).items()}
    tables = [
        np.moveaxis(table, position, 0).reshape(axis.size, -1)
        for table in (problem.synthetic, plan.kept)
    ]
    moved = sum(
        least_cost(edges, P.tolist(), kept.tolist(), 0, dear)
        for P, kept in zip(tables[0].T, tables[1].T, strict=True)
    )
    assert moved == plan.moving[position]


@given(problems((0, 3)))
@settings(max_examples=30)
def test_staying_costs_the_closed_form(problem: Problem) -> None:
    assert stay(problem).cost == closed_form(problem).cost


def test_a_worked_plan() -> None:
    # Three records go one step right; nothing is added or removed.
    problem = Problem((Axis.line(2, 1),), np.array([5, 0]), np.array([2, 3]), 0, 1)
    plan = move_along(problem, 0)
    assert plan.kept.tolist() == [2, 3]
    assert (plan.moving, plan.adding, plan.cost) == ((3,), 0, 3)
