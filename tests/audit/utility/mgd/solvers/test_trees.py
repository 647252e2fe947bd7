from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from audit.utility.mgd.plan import move_along
from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solve import closed_form
from audit.utility.mgd.solvers import trees
from audit.utility.mgd.solvers.trees import along
from tests.audit.utility.mgd.exact_plans import LEVELS, dual_value, optimum, problems


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


def random_forest(rng: np.random.Generator, size: int, step: int) -> Axis:
    """A forest over values and up to three groups, parents in any order, some lines among them."""
    nodes = size + int(rng.integers(0, 4))
    order = rng.permutation(nodes) if rng.integers(2) else np.arange(nodes)
    parents = [-1] * nodes
    for place in range(1, nodes):
        above = place - 1 if rng.integers(2) else int(rng.integers(-1, place))
        parents[order[place]] = int(order[above]) if above >= 0 else -1
    return Axis(size, tuple(parents), step)


@pytest.mark.parametrize("seed", range(60))
def test_forests_in_any_order_are_solved_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    penalty = int(rng.integers(1, 8))
    axis = random_forest(rng, int(rng.integers(1, 6)), int(rng.integers(0, penalty + 1)))
    tables = rng.integers(0, 9, (2, axis.size, 2))
    problem = Problem((axis, None), tables[0], tables[1], int(rng.integers(0, 4)), penalty)
    found = along(problem, 0, potentials=True)
    assert found.cost == optimum(problem) == move_along(problem, 0).cost
    assert found.potentials is not None
    assert dual_value(problem, found.potentials) == found.cost


def test_a_line_against_the_order_of_the_values_is_no_line() -> None:
    assert Axis(2, (1, -1), 1).lines is None
    assert Axis(3, (-1, 2, -1), 1).lines is None
    assert Axis(3, (-1, 0, -1), 1).lines == (slice(0, 2), slice(2, 3))
    # Value 0 has one to move to value 1 and value 1 wants three: one comes, two are added.
    problem = Problem((Axis(2, (1, -1), 2),), np.array([1, 0]), np.array([0, 3]), 0, 6)
    assert along(problem, 0).cost == 2 + 2 * 6


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
