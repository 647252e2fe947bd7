from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from audit.utility.mgd.problem import Problem
from audit.utility.mgd.solve import closed_form
from tests.audit.utility.mgd.exact_plans import optimum, problems


@given(problems((0, 0)))
@settings(max_examples=60)
def test_without_moves_it_is_the_optimum(problem: Problem) -> None:
    found = closed_form(problem)
    assert found.exact and found.cost == optimum(problem)


@given(problems((0, 3)))
@settings(max_examples=60)
def test_with_moves_it_is_an_upper_bound(problem: Problem) -> None:
    found = closed_form(problem)
    assert found.lower <= optimum(problem) <= found.cost


def test_without_tolerance_it_is_the_l1_distance() -> None:
    synthetic, real = np.array([[3, 0], [1, 4]]), np.array([[1, 1], [1, 9]])
    found = closed_form(Problem((None, None), synthetic, real, 0, 1))
    assert found.cost == 2 + 1 + 0 + 5


def test_counts_are_left_as_they_are() -> None:
    synthetic, real = np.array([5, 0]), np.array([1, 1])
    closed_form(Problem((None,), synthetic, real, 1, 3))
    assert synthetic.tolist() == [5, 0] and real.tolist() == [1, 1]
