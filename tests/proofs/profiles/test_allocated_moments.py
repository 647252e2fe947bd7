"""Moments of a Gaussian in one step of several: enumeration, integrals, Monte Carlo."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from proofs import checker
from proofs.errors import ProofError
from proofs.losses import SIDES, AllocationLoss
from proofs.profiles.allocated_moments import MAX_ORDER, allocated_moment
from proofs.search.float_moments import log_moment as float_moment
from tests.proofs.profiles.slow_profiles import mp, two_steps_moment, wide

F = Fraction


def enumerated(steps: int, squared: Fraction, order: int) -> mpmath.mpf:
    """ln E[(S/t)^n]: the n factors S of the power are multiplied out, term by term."""
    total = wide.mpf(0)
    for chosen in itertools.product(range(steps), repeat=order):
        counts = [chosen.count(step) for step in range(steps)]
        pairs = sum(count * (count - 1) for count in counts)
        total += wide.exp(mp(squared * pairs / 2))
    return wide.log(total / wide.mpf(steps) ** order)


@pytest.mark.parametrize(("steps", "squared"), [(2, "1"), (3, "1/4"), (5, "2")])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_what_is_removed_has_the_moments_of_all_products(
    steps: int, squared: str, order: int
) -> None:
    found = allocated_moment(AllocationLoss(steps, F(squared)), F(order), "remove")
    slow = enumerated(steps, F(squared), order + 1)
    assert found.upper - found.lower < F(1, 10**40)
    assert abs(mp(found.upper) - slow) < wide.mpf("1e-25")


@pytest.mark.parametrize(("mu", "order"), [("1", 1), ("1", 6), ("0.5", 3), ("2", 2)])
def test_what_is_added_has_the_moments_of_its_integral(mu: str, order: int) -> None:
    found = allocated_moment(AllocationLoss(2, F(mu) ** 2), F(order), "add").upper
    slow = two_steps_moment(mp(mu), -mp(order))
    assert abs(mp(found) - slow) < wide.mpf("1e-13")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("steps", "squared", "order"), [(60, "1/4", 3), (300, "1", 1)])
def test_moments_are_those_of_a_sample(steps: int, squared: str, order: int, side: str) -> None:
    """Within 5 standard errors of the mean of 40,000 draws, and not far above."""
    mu = math.sqrt(F(squared))
    x = np.random.default_rng(8).standard_normal((40_000, steps))
    ratio = np.exp(mu * x - mu * mu / 2).mean(axis=1)
    drawn = ratio ** (1 + order if side == "remove" else -order)
    error = 5 * drawn.std() / math.sqrt(len(drawn))
    found = allocated_moment(AllocationLoss(steps, F(squared)), F(order), side)  # type: ignore[arg-type]
    assert abs(math.exp(found.upper) - drawn.mean()) <= error


def test_moments_between_integers_lie_below_the_line() -> None:
    loss = AllocationLoss(3, F(1, 2))
    for side in SIDES:
        ends = [allocated_moment(loss, F(c), side).upper for c in (2, 3)]
        assert allocated_moment(loss, F(9, 4), side).upper == (3 * ends[0] + ends[1]) / 4
        assert allocated_moment(loss, F(1, 2), side).upper > 0


@pytest.mark.parametrize("squared", ["1/1000000000", "1/100", "400"])
def test_where_there_are_too_many_nodes_the_geometric_mean_bounds_the_moments(squared: str) -> None:
    found = allocated_moment(AllocationLoss(4, F(squared)), F(30), "add").upper
    assert 0 < found <= 15 * F(squared) + 900 * F(squared) / 8


def test_orders_have_a_limit() -> None:
    with pytest.raises(ProofError, match="order of at most"):
        allocated_moment(AllocationLoss(2, F(1)), F(MAX_ORDER + 1), "remove")


@pytest.mark.parametrize(
    ("steps", "squared", "order"), [(2, "1", 3), (100, "1/16", 20), (1000, "1", 1), (7, "4", 2)]
)
def test_the_checker_finds_the_same(steps: int, squared: str, order: int) -> None:
    loss, data = AllocationLoss(steps, F(squared)), {"steps": steps, "mu_squared": F(squared)}
    functions = checker._allocated_moment, checker._added_moment
    for side, theirs in zip(SIDES, functions, strict=True):
        ours = allocated_moment(loss, F(order), side).upper
        assert abs(theirs(checker.Meter(), data, order + 1, 128) - ours) < F(1, 10**12)
    in_doubles = float_moment(loss, float(order))
    assert in_doubles == pytest.approx(float(allocated_moment(loss, F(order), "remove").upper))
