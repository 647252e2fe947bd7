from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.mgd.problem import Axis, Problem, Solution
from audit.utility.mgd.solvers import primal_dual as module
from audit.utility.mgd.solvers.ascent import Ascent
from audit.utility.mgd.solvers.certificate import under, worth
from audit.utility.mgd.solvers.flow import flow, plan_of_edges
from audit.utility.mgd.solvers.network import network
from audit.utility.mgd.solvers.primal_dual import primal_dual
from audit.utility.mgd.solvers.trees import along
from synthesizers.errors import TooLargeError
from tests.audit.utility.mgd.exact_plans import LEVELS, dual_value, optimum, problems


@pytest.fixture(params=["in parts", "as a whole"])
def _search(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small networks would hardly ever be searched in parts."""
    monkeypatch.setattr(module, "SMALL", 0.95 if request.param == "in parts" else 0.0)


def _check_plan(problem: Problem, found: Solution) -> None:
    """The plan adds up: no records are lost on the way, and the rest is added or removed."""
    plan = found.plan
    assert plan is not None
    assert plan.cost == found.cost
    assert plan.kept.min() >= 0
    assert plan.kept.sum() == problem.synthetic.sum()
    outside = np.maximum(np.maximum(plan.kept - problem.highest, problem.lowest - plan.kept), 0)
    assert plan.adding == problem.penalty * int(outside.sum())
    still = [k for k, axis in enumerate(problem.axes) if axis is None]
    assert not any(plan.moving[k] for k in still)


@pytest.mark.usefixtures("_search")
@given(problems((1, 3)))
@settings(max_examples=100)
def test_the_optimum_is_found_and_proven(problem: Problem) -> None:
    if not problem.finite:
        return
    found = primal_dual(problem)
    assert found.exact
    assert found.cost == optimum(problem)
    assert found.potentials is not None
    assert dual_value(problem, found.potentials) == found.cost
    _check_plan(problem, found)


@pytest.mark.usefixtures("_search")
@given(problems((2, 3), cells=300, top=40))
@settings(max_examples=60)
def test_it_agrees_with_the_flow(problem: Problem) -> None:
    if problem.finite:
        assert primal_dual(problem).cost == flow(problem).cost


def _noisy(rng: np.random.Generator, spread: float, tolerance: int) -> Problem:
    """12 × 20 × 18 cells as in a marginal of months, places and types."""
    real = rng.poisson(rng.gamma(0.3, 6, (12, 20, 18)))
    noise = np.rint(rng.laplace(0, spread, real.shape)).astype(np.int64)
    axes = (
        Axis.line(12, 4),
        Axis(20, LEVELS["deep"](20), 11),
        Axis(18, LEVELS["pairs"](18), 11),
    )
    return Problem(axes, np.maximum(real + noise, 0), real, tolerance, 132)


@pytest.mark.parametrize(
    ("spread", "tolerance"), [(1, 2), (20, 2), (1, 0), (3, 5), (20, 0), (200, 10)]
)
def test_noise_of_every_size_on_three_attributes(spread: float, tolerance: int) -> None:
    problem = _noisy(np.random.default_rng(tolerance), spread, tolerance)
    found = primal_dual(problem)
    assert found.lower == found.cost == flow(problem).cost
    _check_plan(problem, found)


@pytest.mark.parametrize("kept", ["none", "half", "one place", "other places"])
def test_tables_that_lack_records_or_have_them_elsewhere(kept: str) -> None:
    rng = np.random.default_rng(3)
    problem = _noisy(rng, 1, 2)
    real = problem.real
    synthetic = {
        "none": np.zeros_like(real),
        "half": rng.binomial(real, 0.5),
        "one place": np.where(np.arange(20)[:, None] == 7, 9 * real, 0),
        "other places": real[:, rng.permutation(20)],
    }[kept]
    problem = replace(problem, synthetic=synthetic)
    found = primal_dual(problem)
    assert found.lower == found.cost == flow(problem).cost
    _check_plan(problem, found)


@pytest.mark.usefixtures("_search")
@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_a_budget_that_runs_out_leaves_a_bracket(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The clock stands still for so many looks at it, then jumps: one look a maximum flow.
    looks, flows = iter(range(10**6)), []
    carry = Ascent.carry
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(looks) > steps))
    monkeypatch.setattr(Ascent, "carry", lambda ascent: (flows.append(1), carry(ascent))[1])
    problem = _noisy(np.random.default_rng(1), 20, 2)
    found = primal_dual(problem, budget_seconds=0.5)
    assert len(flows) <= steps
    assert found.potentials is not None
    assert np.abs(found.potentials).max() <= problem.penalty
    assert 0 < found.lower < flow(problem).cost <= found.cost
    assert found.cost <= along(problem, 0).cost
    assert found.how == "bracket"


@given(problems((1, 3), cells=60))
@settings(max_examples=60)
def test_every_lift_raises_the_dual_by_what_was_left(problem: Problem) -> None:
    free = (problem.lowest.ravel(), problem.highest.ravel())
    synthetic, start = problem.synthetic.ravel(), np.zeros(problem.size, dtype=np.int64)
    ascent = Ascent.start(network(problem), problem.penalty, free, synthetic, start)
    while ascent.left:
        ascent.carry()
        before = ascent.potentials
        value = worth(problem, before[: problem.size].reshape(problem.shape))
        ascent.lift()
        risen = worth(problem, ascent.potentials[: problem.size].reshape(problem.shape)) - value
        assert risen == int(((ascent.potentials - before) * ascent.excess).sum())
        assert (risen > 0) == (ascent.left > 0)


@given(problems((1, 3), cells=60), st.integers(0, 99))
@settings(max_examples=60)
def test_potentials_to_start_from_are_feasible_and_no_worse_than_the_plain_ones(
    problem: Problem, seed: int
) -> None:
    if not problem.finite:
        return
    K = problem.penalty
    prices = np.random.default_rng(seed).integers(-K, K + 1, problem.shape)
    found = module._feasible(problem, prices)
    value = dual_value(problem, found) if problem.size <= 18 else worth(problem, found)
    np.testing.assert_array_equal(under(problem, found), found)
    plain = (under(problem, prices), -under(problem, -prices), np.zeros_like(prices))
    assert value >= max(worth(problem, each) for each in plain)


def test_a_plan_that_moves_more_than_there_is_does_not_count() -> None:
    nothing = np.zeros(2, dtype=np.int64)
    problem = Problem((Axis.line(2, 1),), nothing, nothing + 1, 0, 3)
    free = (problem.lowest, problem.highest)
    ascent = Ascent.start(network(problem), 3, free, nothing, nothing)
    assert plan_of_edges(problem, ascent.network, ascent.carried) is not None
    ascent.carried[0] = 1
    assert plan_of_edges(problem, ascent.network, ascent.carried) is None


def test_a_budget_that_suffices_changes_nothing() -> None:
    problem = _noisy(np.random.default_rng(1), 20, 2)
    assert primal_dual(problem, budget_seconds=1e6).cost == primal_dual(problem).cost


def test_costs_that_do_not_fit_are_refused() -> None:
    nothing, one = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    with pytest.raises(TooLargeError, match="smaller denominators"):
        primal_dual(Problem((Axis.line(2, 2**57),), one, nothing, 0, 2**59))


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1, 20])
def test_it_agrees_with_the_flow_on_large_tables(spread: int) -> None:
    rng = np.random.default_rng(spread)
    real = rng.poisson(rng.gamma(0.1, 20, (12, 60, 50)))
    noise = np.rint(rng.laplace(0, spread, real.shape)).astype(np.int64)
    axes = (Axis.line(12, 4), Axis(60, LEVELS["pairs"](60), 11), Axis(50, LEVELS["star"](50), 22))
    problem = Problem(axes, np.maximum(real + noise, 0), real, 2, 132)
    assert primal_dual(problem).cost == flow(problem).cost
