from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings

from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solve import closed_form
from audit.utility.mgd.solvers.certificate import bracket, certificate, under, worth
from audit.utility.mgd.solvers.trees import along
from tests.audit.utility.mgd.exact_plans import (
    distances,
    dual_value,
    optimum,
    problems,
    random_grid,
)


@given(problems((1, 3)))
@settings(max_examples=100)
def test_both_bounds_hold_and_the_lower_one_is_proven(problem: Problem) -> None:
    assume(problem.finite)
    found, best = certificate(problem), optimum(problem)
    assert found.lower <= best <= found.cost <= closed_form(problem).cost
    assert found.potentials is not None
    assert dual_value(problem, found.potentials) == found.lower
    closer = bracket(problem, found)
    assert found.lower == closer.lower <= best <= closer.cost <= found.cost
    assert closer.plan is not None and closer.plan.cost == closer.cost
    assert closer.plan.kept.sum() == problem.synthetic.sum()
    for each in (found, closer):
        assert each.exact == (each.how != "bracket")


def test_dense_noise_leaves_some_brackets_open_and_none_wrong() -> None:
    rng = np.random.default_rng(8)
    exact = []
    for _ in range(25):
        problem = random_grid(rng, (3, 3), tolerance=int(rng.integers(0, 2)))
        found, best = bracket(problem), optimum(problem)
        assert found.lower <= best <= found.cost
        line = along(problem, 0, potentials=True).potentials
        assert line is not None
        for kept in (under(problem, line), -under(problem, -line)):
            assert worth(problem, kept) <= found.lower
        exact.append(found.exact)
    assert 0 < sum(exact) < len(exact)


@given(problems((1, 3), cells=12))
@settings(max_examples=80)
def test_lowered_potentials_are_the_largest_that_keep_the_constraints(problem: Problem) -> None:
    assume(problem.finite)
    rng = np.random.default_rng(problem.size)
    given_ = rng.integers(-problem.penalty, problem.penalty + 1, problem.shape)
    flat, pairs = given_.ravel(), distances(problem)
    slow = [
        min(int(flat[i]) + cost for (i, j), cost in pairs.items() if j == cell)
        for cell in range(problem.size)
    ]
    assert under(problem, given_).ravel().tolist() == slow


def test_mild_noise_is_certified_by_the_cheapest_attribute() -> None:
    # A step of the first is 1/10, the others' is 1/4: one record, one step of the first.
    axes = (Axis.line(3, 2), Axis.line(3, 5))
    synthetic = np.full((3, 3), 4)
    real = synthetic.copy()
    synthetic[0, 0], real[1, 0] = 5, 5
    found = certificate(Problem(axes, synthetic, real, 0, 20))
    assert found.exact and found.cost == 2 and "certified" in found.how


def test_a_bracket_moves_along_one_attribute_and_then_the_other() -> None:
    # One record has to go a step along the first attribute, another a step along the second:
    # 2 + 5 units. Along one attribute alone the other record is removed and added, 2·20.
    axes = (Axis.line(2, 2), Axis.line(4, 5))
    synthetic, real = np.array([[1, 0, 1, 0], [0] * 4]), np.array([[0, 0, 0, 1], [1, 0, 0, 0]])
    problem = Problem(axes, synthetic, real, 0, 20)
    assert certificate(problem).cost == 2 + 40
    found = bracket(problem)
    assert found.plan is not None
    assert found.cost == 7 == optimum(problem)
    assert found.plan.moving == (2, 5) and found.plan.adding == 0


def test_worth_is_the_value_of_the_dual() -> None:
    rng = np.random.default_rng(3)
    problem = random_grid(rng, (2, 3), tolerance=1)
    constant = np.full(problem.shape, -problem.penalty)
    assert worth(problem, constant) == dual_value(problem, constant)
