"""MCF: plans by hand and against a linear program, and updates that meet their target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from synthesizers.estimation.flows import Flow, cheapest_plan, moves
from synthesizers.estimation.record_targets import RecordTarget


def test_moves_by_hand() -> None:
    # Cells 00, 01, 10, 11 hold 4, 0, 0, 1 and want 1, 1, 1, 2: from 00 to 01 and to 10 one
    # attribute changes, to 11 two.
    target = RecordTarget((0, 1), (2, 2), np.array([1, 1, 1, 2]))
    leaving, going = moves(target, np.array([4, 0, 0, 1]))
    assert leaving.tolist() == [0, 0, 0] and sorted(going.tolist()) == [1, 2, 3]


def test_the_cheapest_way_is_taken_where_the_corner_is_not() -> None:
    # Surplus at 00 and 11, lack at 01 and 12 of a 2x3 table: each may change one attribute; the
    # corner's plan in the order of the cells is the same, but that of 00, 10 -> 12, 01 is not.
    target = RecordTarget((0, 1), (2, 3), np.array([0, 1, 1, 0, 0, 0]))
    held = np.array([0, 0, 0, 0, 1, 1])
    leaving, going = moves(target, held)
    assert (leaving.tolist(), going.tolist()) == ([4, 5], [1, 2])
    crossed = RecordTarget((0, 1), (2, 3), np.array([0, 0, 1, 1, 0, 0]))
    held = np.array([1, 0, 0, 0, 0, 1])
    assert [part.tolist() for part in moves(crossed, held)] == [[0, 5], [3, 2]]
    assert [part.tolist() for part in moves(crossed, held, most_arcs=0)] == [[0, 5], [2, 3]]


@given(st.integers(0, 2**32))
def test_plans_cost_what_a_linear_program_finds(seed: int) -> None:
    random = np.random.default_rng(seed)
    surplus = random.integers(1, 6, 3)
    lack = random.multinomial(surplus.sum(), [0.2, 0.3, 0.1, 0.4])
    costs = random.integers(1, 4, (3, 4))
    plan = cheapest_plan(surplus, lack, costs)
    assert plan.sum(axis=1).tolist() == surplus.tolist()
    assert plan.sum(axis=0).tolist() == lack.tolist()
    sums = np.concatenate([np.kron(np.eye(3), np.ones(4)), np.kron(np.ones(3), np.eye(4))])
    found = linprog(costs.ravel(), A_eq=sums, b_eq=np.concatenate([surplus, lack]))
    assert (plan * costs).sum() == pytest.approx(found.fun)


@pytest.mark.parametrize("most_arcs", [0, 250_000])
def test_an_update_meets_its_target_and_changes_its_columns_alone(most_arcs: int) -> None:
    random = np.random.default_rng(1)
    before = np.asfortranarray(random.integers(0, 3, (500, 3)).astype(np.int32))
    target = RecordTarget.of((2, 0), random.random((3, 3)), 500)
    codes = before.copy(order="F")
    Flow(most_arcs)(codes, target, 0, random)
    assert target.distance(codes) == 0
    assert (codes[:, 1] == before[:, 1]).all()
    moved = (codes != before).any(axis=1).sum()
    assert moved == np.abs(target.count_cells(target.cells(before)) - target.counts).sum() / 2
