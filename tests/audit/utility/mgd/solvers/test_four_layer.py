from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.utility.mgd.plan import penalties
from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solvers.flow import flow
from audit.utility.mgd.solvers.four_layer import NEVER, four_layer_flow
from synthesizers.errors import InputError
from tests.audit.utility.mgd.exact_plans import least_cost


def _random(rng: np.random.Generator) -> Problem:
    cells = int(rng.integers(1, 8))
    tables = rng.integers(0, rng.integers(1, 10), (2, cells))
    return Problem((None,), tables[0], tables[1], int(rng.integers(0, 4)), int(rng.integers(1, 10)))


def _optimum(problem: Problem, matrix: NDArray[np.int64]) -> int:
    finite = zip(*np.nonzero(matrix != NEVER), strict=True)
    return least_cost(
        {(int(i), int(j)): int(matrix[i, j]) for i, j in finite},
        problem.synthetic.tolist(),
        problem.real.tolist(),
        problem.tolerance,
        problem.penalty,
    )


@pytest.mark.parametrize("seed", range(60))
def test_any_matrix_costs_what_the_linear_programme_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = _random(rng)
    matrix = rng.integers(NEVER, 25, (problem.size, problem.size))
    matrix[np.arange(problem.size), rng.integers(0, problem.size, problem.size)] = 4
    plan = four_layer_flow(problem, matrix).plan
    assert plan is not None and plan.cost == _optimum(problem, matrix)
    assert plan.kept.sum() == problem.synthetic.sum() and plan.kept.min() >= 0
    assert plan.adding == problem.penalty * int(np.abs(penalties(problem, plan.kept)).sum())


def test_a_detour_is_not_taken_for_a_move() -> None:
    # Two moves at cost 1 would do what one does at cost 4; the definition has no detours.
    matrix = np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    problem = Problem((None,), np.array([2, 0, 0]), np.array([0, 0, 2]), 0, 9)
    assert four_layer_flow(problem, matrix).cost == 8
    assert flow(Problem((Axis.line(3, 1),), problem.synthetic, problem.real, 0, 9)).cost == 4


def test_staying_may_cost_something() -> None:
    matrix = np.array([[3, 1], [NEVER, 2]])
    problem = Problem((None,), np.array([1, 1]), np.array([1, 1]), 0, 2)
    # The first record stays at 3, or leaves at 1 and is one too many there and one too few here.
    assert four_layer_flow(problem, matrix).cost == 3 + 2
    assert _optimum(problem, matrix) == 3 + 2


def test_other_matrices_are_refused() -> None:
    problem = Problem((None,), np.array([1, 1]), np.array([1, 1]), 0, 2)
    with pytest.raises(InputError, match="a row and a column a cell"):
        four_layer_flow(problem, np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(InputError, match="no negative distances"):
        four_layer_flow(problem, np.array([[0, -2], [1, 0]]))
    with pytest.raises(InputError, match="has to reach a cell"):
        four_layer_flow(problem, np.array([[NEVER, NEVER], [1, 0]]))
