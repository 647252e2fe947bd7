from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from audit.metrics.mgd import trees
from audit.metrics.mgd.closed_form import closed_form
from audit.metrics.mgd.problem import Axis, Problem
from audit.metrics.mgd.trees import along
from tests.audit.metrics.mgd.exact_plans import LEVELS, dual_value, optimum, problems


@pytest.fixture(autouse=True, params=["levels", "breakpoints too"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small lines would all go to ``lines.py``, whose tests are elsewhere."""
    if request.param == "levels":
        monkeypatch.setattr(trees, "FEW", 0)
        monkeypatch.setattr(trees, "LONG", 10**9)


@given(problems((1, 1)))
@settings(max_examples=100)
def test_one_finite_attribute_is_solved_exactly(problem: Problem) -> None:
    (position,) = (p for p, axis in enumerate(problem.axes) if axis is not None)
    found = along(problem, position, potentials=True)
    assert found.cost == optimum(problem)
    assert along(problem, position).cost == found.cost
    assert found.potentials is not None
    assert dual_value(problem, found.potentials) == found.cost
    assert found.cost <= closed_form(problem).cost


@pytest.mark.parametrize("kind", LEVELS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_every_kind_of_tree_at_many_weights(kind: str, size: int) -> None:
    rng = np.random.default_rng(size)
    for step, penalty, tolerance in [(0, 1, 0), (1, 2, 1), (1, 6, 0), (2, 5, 3), (5, 5, 1)]:
        tables = rng.integers(0, 9, (2, size, 2))
        axis = Axis(size, LEVELS[kind](size), step)
        problem = Problem((axis, None), tables[0], tables[1], tolerance, penalty)
        assert along(problem, 0).cost == optimum(problem)


def test_components_are_solved_alike_in_one_chunk_or_in_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trees, "FEW", 0)
    rng = np.random.default_rng(4)
    tables = rng.integers(0, 30, (2, 5, 40))
    problem = Problem((Axis.line(5, 1), None), tables[0], tables[1], 2, 4)
    whole = along(problem, 0, potentials=True)
    monkeypatch.setattr(trees, "CACHED", 50)
    parts = along(problem, 0, potentials=True)
    assert whole.cost == parts.cost
    assert whole.potentials is not None
    np.testing.assert_array_equal(whole.potentials, parts.potentials)


def test_nothing_beyond_the_tolerance_costs_nothing() -> None:
    real = np.array([[4, 0, 2]])
    problem = Problem((None, Axis.line(3, 1)), real + np.array([[2, 1, -2]]), real, 2, 2)
    found = along(problem, 1, potentials=True)
    assert found.cost == 0
    assert found.potentials is not None and not found.potentials.any()


def test_a_worked_line() -> None:
    # One step costs 1/2. With Δ = 1 the first cell has to lose three records and the last has
    # to gain three, so either step is gone three times: 3·1/2 + 3·1/2 = 3.
    problem = Problem((Axis.line(3, 1),), np.array([6, 5, 1]), np.array([2, 5, 5]), 1, 2)
    assert along(problem, 0).cost == optimum(problem) == 6


def test_of_equal_potentials_those_near_zero_are_taken() -> None:
    # One record too many (too few) in the first cell; what is worth nothing further on is
    # as near to 0 as the step from there allows.
    nothing, one = np.zeros(3, dtype=np.int64), np.array([1, 0, 0])
    for synthetic, real, expected in [(one, nothing, [2, 1, 0]), (nothing, one, [-2, -1, 0])]:
        found = along(Problem((Axis.line(3, 1),), synthetic, real, 0, 2), 0, potentials=True)
        assert found.potentials is not None and found.potentials.tolist() == expected
