from __future__ import annotations

import numpy as np
import pytest

from audit.metrics.mgd import four_layer
from audit.metrics.mgd.distances import NEVER
from audit.metrics.mgd.flow import flow
from audit.metrics.mgd.four_layer import four_layer_flow
from audit.metrics.mgd.linear_programme import linear_programme
from audit.metrics.mgd.problem import Axis, Problem
from synthesizers.errors import InputError, TooLargeError


def _random(rng: np.random.Generator) -> Problem:
    cells = int(rng.integers(1, 8))
    tables = rng.integers(0, rng.integers(1, 10), (2, cells))
    return Problem((None,), tables[0], tables[1], int(rng.integers(0, 4)), int(rng.integers(1, 10)))


@pytest.mark.parametrize("seed", range(60))
def test_any_matrix_costs_what_the_linear_programme_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = _random(rng)
    matrix = rng.integers(NEVER, 25, (problem.size, problem.size))
    matrix[np.arange(problem.size), rng.integers(0, problem.size, problem.size)] = 4
    assert four_layer_flow(problem, matrix) == linear_programme(problem, matrix)


def test_a_detour_is_not_taken_for_a_move() -> None:
    # Two moves at cost 1 would do what one does at cost 4; the definition has no detours.
    matrix = np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    problem = Problem((None,), np.array([2, 0, 0]), np.array([0, 0, 2]), 0, 9)
    assert four_layer_flow(problem, matrix) == 8
    assert flow(Problem((Axis.line(3, 1),), problem.synthetic, problem.real, 0, 9)) == 4


def test_staying_may_cost_something() -> None:
    matrix = np.array([[3, 1], [NEVER, 2]])
    problem = Problem((None,), np.array([1, 1]), np.array([1, 1]), 0, 2)
    # The first record stays at 3, or leaves at 1 and is one too many there and one too few here.
    assert four_layer_flow(problem, matrix) == 3 + 2
    assert linear_programme(problem, matrix) == 3 + 2


def test_other_matrices_are_refused() -> None:
    problem = Problem((None,), np.array([1, 1]), np.array([1, 1]), 0, 2)
    with pytest.raises(InputError, match="a row and a column a cell"):
        four_layer_flow(problem, np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(InputError, match="no negative distances"):
        four_layer_flow(problem, np.array([[0, -2], [1, 0]]))
    with pytest.raises(InputError, match="has to reach a cell"):
        four_layer_flow(problem, np.array([[NEVER, NEVER], [1, 0]]))


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(four_layer, "MOST_PAIRS", 3)
    problem = Problem((None,), np.array([1, 1]), np.array([1, 1]), 0, 2)
    with pytest.raises(TooLargeError, match="more than 3 pairs"):
        four_layer_flow(problem)
