from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solvers import network as networks
from audit.utility.mgd.solvers.four_layer import NEVER
from audit.utility.mgd.solvers.network import Network, network
from audit.utility.mgd.solvers.paths import FAR, settle
from synthesizers.errors import TooLargeError
from tests.audit.utility.mgd import exact_plans
from tests.audit.utility.mgd.exact_plans import problems


def _edge_by_edge(
    ways: Network,
    values: NDArray[np.int64],
    upwards: NDArray[np.int64],
    downwards: NDArray[np.int64],
) -> list[int]:
    """What ``settle`` does, one edge at a time, as often as there are nodes."""
    found = values.tolist()
    for _ in range(ways.nodes):
        for low, high, up, down in zip(ways.lower, ways.upper, upwards, downwards, strict=True):
            found[high] = min(found[high], found[low] + int(up))
            found[low] = min(found[low], found[high] + int(down))
    return found


@given(problems(cells=12))
@settings(max_examples=60)
def test_the_cheapest_paths_cost_what_moves_cost(problem: Problem) -> None:
    ways = network(problem)
    expected = np.full((problem.size, problem.size), NEVER)
    for (i, j), cost in exact_plans.distances(problem).items():
        expected[i, j] = cost
    for cell in range(problem.size):
        away = np.full(ways.nodes, FAR)
        away[cell] = 0
        settle(ways, away, ways.steps, ways.steps)
        reached = np.where(away < FAR // 2, away, NEVER)[: problem.size]
        np.testing.assert_array_equal(reached, expected[cell])
    np.testing.assert_array_equal(exact_plans.matrix(problem), expected)


@given(problems(cells=12))
@settings(max_examples=60)
def test_settling_agrees_with_one_edge_at_a_time_where_ways_differ_up_and_down(
    problem: Problem,
) -> None:
    ways = network(problem)
    rng = np.random.default_rng(problem.size)
    # Falls of a potential along the edges are costs without negative circles.
    height = rng.integers(0, 20, ways.nodes)
    upwards = rng.integers(0, 9, len(ways.lower)) + height[ways.lower] - height[ways.upper]
    downwards = rng.integers(0, 9, len(ways.lower)) + height[ways.upper] - height[ways.lower]
    values = rng.integers(0, 40, ways.nodes)
    expected = _edge_by_edge(ways, values, upwards, downwards)
    settle(ways, values, upwards, downwards)
    assert values.tolist() == expected


@given(problems())
@settings(max_examples=60)
def test_layers_keep_families_together_and_lower_ends_apart(problem: Problem) -> None:
    ways = network(problem)
    inside = np.random.default_rng(problem.size).random(ways.nodes) < 0.6
    part, edges = ways.within(inside)
    old = np.flatnonzero(inside)
    np.testing.assert_array_equal(old[part.lower], ways.lower[edges])
    np.testing.assert_array_equal(old[part.upper], ways.upper[edges])
    assert set(np.flatnonzero(inside[ways.lower] & inside[ways.upper])) == set(edges)
    for each in (ways, part):
        assert (
            each.bounds[-1] == len(each.lower) == sum(len(each.lower[x.edges]) for x in each.layers)
        )
        for layer in each.layers:
            upper, lower = each.upper[layer.edges], each.lower[layer.edges]
            assert len(set(lower.tolist())) == len(lower)
            assert upper[layer.starts].tolist() == layer.heads.tolist()
            assert len(set(upper.tolist())) == len(layer.heads)


def test_groups_are_nodes_once_for_every_combination_of_the_others() -> None:
    star, line = Axis(4, (4, 4, 5, 5, 6, 6, -1), 1), Axis.line(3, 2)
    ways = network(Problem((line, star), np.zeros((3, 4)), np.zeros((3, 4)), 0, 5))
    assert ways.nodes == 12 + 3 * 3
    assert len(ways.lower) == 2 * 4 + 6 * 3
    assert set(ways.attributes) == {0, 1}


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "LARGEST_NODE", 50)
    problem = Problem((Axis.line(9, 1),), np.zeros(9, int), np.zeros(9, int), 0, 1)
    with pytest.raises(TooLargeError, match="fewer than 2\\*\\*31"):
        network(problem)
