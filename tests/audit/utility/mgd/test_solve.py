from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.mgd import solve as solve_module
from audit.utility.mgd.deep_dive import plan_of
from audit.utility.mgd.problem import Axis, Problem, Solution
from audit.utility.mgd.solve import closed_form, solve
from audit.utility.mgd.solvers.certificate import bracket
from audit.utility.mgd.solvers.flow import flow
from synthesizers.errors import TooLargeError
from tests.audit.utility.mgd.exact_plans import optimum, problems, random_grid


@given(problems())
@settings(max_examples=120)
def test_every_problem_is_solved_exactly(problem: Problem) -> None:
    found = solve(problem)
    assert found.exact and found.cost == optimum(problem)
    assert found.how != "bracket"


def test_dense_noise_over_several_attributes_needs_more_than_one_solver() -> None:
    rng = np.random.default_rng(8)
    seen: Counter[str] = Counter()
    for _ in range(25):
        problem = random_grid(rng, (3, 3), tolerance=int(rng.integers(0, 2)))
        found = solve(problem)
        assert found.exact and found.cost == optimum(problem)
        seen[found.how] += 1
    assert len(seen) > 1, "the instances should reach more than one solver"


def test_a_budget_gives_a_bracket_that_is_not_called_exact() -> None:
    rng = np.random.default_rng(8)
    open_brackets = 0
    for _ in range(25):
        problem = random_grid(rng, (3, 3), tolerance=0)
        found, best = solve(problem, budget_seconds=1e-9), optimum(problem)
        assert found.lower <= best <= found.cost <= bracket(problem).cost
        assert found.plan is None or found.plan.cost == found.cost
        assert found.exact == (found.lower == found.cost) == (found.how != "bracket")
        open_brackets += not found.exact
        generous = solve(problem, budget_seconds=1e9)
        assert generous.exact and generous.cost == best
    assert open_brackets


@given(problems((2, 3), cells=12))
@settings(max_examples=40)
def test_the_flow_confirms_what_is_found(problem: Problem) -> None:
    assert solve(problem, cross_check=True).cost == solve(problem).cost
    assert solve(problem, 1e-9, cross_check=True).lower <= solve(problem).cost


@pytest.mark.parametrize("error", [-1, 1])
@pytest.mark.parametrize("cells", [2**16, 1])
def test_a_second_solver_that_disagrees_is_an_error(
    error: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = random_grid(np.random.default_rng(8), (3, 3), tolerance=0)
    monkeypatch.setattr(solve_module, "FLOW_CELLS", cells)
    assert solve(problem, cross_check=True).cost == flow(problem).cost
    name = "primal_dual" if problem.size <= cells else "flow"
    whole = getattr(solve_module, name)

    def err(problem: Problem) -> Solution:
        return replace(whole(problem), cost=whole(problem).cost + error)

    monkeypatch.setattr(solve_module, name, err)
    assert solve(problem).exact
    with pytest.raises(ArithmeticError, match="contradicts"):
        solve(problem, cross_check=True)


@given(problems((2, 3), cells=30))
@settings(max_examples=60)
def test_small_and_large_problems_have_the_same_optimum_and_plans_that_cost_it(
    problem: Problem,
) -> None:
    if len(problem.finite) < 2:
        return
    small = solve(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solve_module, "FLOW_CELLS", 0)
        large = solve(problem)
    assert small.cost == large.cost and small.exact
    assert plan_of(problem, small).cost == small.cost


@given(problems((0, 2), cells=10), st.integers(0, 5))
@settings(max_examples=40)
def test_a_larger_tolerance_never_costs_more(problem: Problem, more: int) -> None:
    wider = Problem(
        problem.axes,
        problem.synthetic,
        problem.real,
        problem.tolerance + more,
        problem.penalty,
    )
    assert solve(wider).cost <= solve(problem).cost <= closed_form(problem).cost


@given(problems((0, 2), cells=10), st.integers(2, 5))
@settings(max_examples=40)
def test_counts_and_tolerance_multiplied_alike_multiply_the_cost(
    problem: Problem, factor: int
) -> None:
    larger = Problem(
        problem.axes,
        problem.synthetic * factor,
        problem.real * factor,
        problem.tolerance * factor,
        problem.penalty,
        factor,
    )
    assert solve(larger).cost == factor * solve(problem).cost
    if problem.real.any():
        assert larger.value(solve(larger).cost) == problem.value(solve(problem).cost)


@given(problems((0, 2), cells=10))
@settings(max_examples=40)
def test_it_is_zero_exactly_where_a_free_plan_exists(problem: Problem) -> None:
    """Where moving costs, that is where no cell is beyond the tolerance."""
    if all(axis is None or axis.step for axis in problem.axes):
        within = np.abs(problem.synthetic - problem.real) <= problem.tolerance
        assert (solve(problem).cost == 0) == within.all()
    assert (solve(problem).cost == 0) == (optimum(problem) == 0)


@pytest.mark.parametrize("seed", range(8))
def test_reversing_a_line_and_relabelling_a_nominal_attribute_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    star = Axis(4, (4,) * 4 + (-1,), 1)
    for axes in [(Axis.line(3, 1), star), (Axis.line(3, 1), None), (None, star)]:
        tables = rng.integers(0, 9, (2, 3, 4))
        order = rng.permutation(4)
        turned = tables[:, ::-1][:, :, order]
        costs = [solve(Problem(axes, P, Q, 1, 6)).cost for P, Q in (tables, turned)]
        assert costs[0] == costs[1]


@pytest.mark.parametrize("axes", [(None,), (Axis.line(1, 0),), (Axis(1, (1, -1), 2),)])
def test_a_single_cell_can_only_be_filled_or_emptied(axes: tuple[Axis | None]) -> None:
    for synthetic, real, cost in [(7, 2, 3 * 4), (2, 7, 3 * 4), (3, 2, 0), (0, 1, 0)]:
        problem = Problem(axes, np.array([synthetic]), np.array([real]), 1, 3)
        assert solve(problem).cost == cost


def test_an_empty_synthetic_table_costs_all_that_is_not_tolerated() -> None:
    real = np.array([[5, 1], [0, 9]])
    for axes in [(None, None), (Axis.line(2, 1), None), (Axis.line(2, 1), Axis.line(2, 1))]:
        problem = Problem(axes, np.zeros_like(real), real, 2, 2)
        assert solve(problem).cost == 2 * (3 + 0 + 0 + 7)


def test_without_a_real_record_what_is_beyond_the_tolerance_is_removed() -> None:
    for axes in [(None,), (Axis.line(2, 1),)]:
        problem = Problem(axes, np.array([1, 5]), np.zeros(2, dtype=np.int64), 2, 4)
        # The first cell takes one of the three for free, at a step.
        assert solve(problem).cost == (12 if axes[0] is None else 1 + 2 * 4)


def test_costs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TooLargeError, match="simpler fractions"):
        Problem((None,), np.array([2**40]), np.array([0]), 0, 2**30)


@pytest.mark.slow
def test_level_programmes_and_the_flow_agree_on_larger_tables() -> None:
    rng = np.random.default_rng(6)
    star = Axis(9, (9,) * 9 + (-1,), 1)
    for axes, penalty in [((Axis.line(12, 1), None, None), 11), ((None, star, None), 2)]:
        for spread in (1, 20):
            real = rng.poisson(3, (12, 9, 30))
            noise = np.rint(rng.laplace(0, spread, real.shape)).astype(np.int64)
            problem = Problem(axes, np.maximum(real + noise, 0), real, 2, penalty)
            assert solve(problem).cost == flow(problem).cost
