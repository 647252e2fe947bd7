"""The bound of one run, against the best of all mechanisms on a few coins."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import norm

from audit.auditors.one_run.bound import SMALLEST, Counts, Weights, bound_chance
from audit.auditors.one_run.weighing import bound_right_guesses
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from tests.audit.auditors.one_run.worst_cases import best_by_count, best_of_all


def approximate(epsilon: float, delta: float) -> ApproxDP:
    return ApproxDP(Fraction(epsilon), Fraction(delta))


@pytest.mark.parametrize(
    ("coins", "guesses", "right", "epsilon", "delta"),
    [
        (1, 1, 1, 1.0, 0.1),
        (2, 2, 2, 1.0, 0.05),
        (2, 2, 1, 0.5, 0.1),
        (2, 1, 1, 0.5, 0.1),
        (3, 3, 3, 1.0, 0.02),
        (3, 3, 2, 0.3, 0.1),
        (3, 2, 2, 0.7, 0.03),
        (3, 3, 3, 1.0, 0.0),
    ],
)
def test_no_mechanism_is_guessed_better_and_one_is_guessed_as_well(
    coins: int, guesses: int, right: int, epsilon: float, delta: float
) -> None:
    best = best_of_all(coins, guesses, right, [(epsilon, delta)])
    bound = bound_right_guesses(approximate(epsilon, delta), epsilon, Counts(coins, guesses, right))
    assert best <= bound + 1e-9
    assert bound == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize(("coins", "guesses", "right"), [(2, 2, 2), (3, 3, 3), (3, 2, 2)])
def test_mechanisms_that_treat_coins_alike_are_as_good_as_any(
    coins: int, guesses: int, right: int
) -> None:
    pairs = [(0.3, 0.2), (1.0, 0.03)]
    assert best_by_count(coins, guesses, right, pairs) == pytest.approx(
        best_of_all(coins, guesses, right, pairs), rel=1e-6
    )


@pytest.mark.parametrize(
    ("canaries", "guesses", "right", "epsilon", "delta"),
    [
        (50, 50, 40, 1.0, 0.0),
        (50, 50, 45, 1.0, 1e-4),
        (100, 40, 36, 1.0, 1e-3),
        (200, 200, 130, 0.5, 1e-3),
        (60, 60, 60, 3.0, 1e-6),
    ],
)
def test_one_pair_is_weighed_as_well_as_by_the_linear_program(
    canaries: int, guesses: int, right: int, epsilon: float, delta: float
) -> None:
    best = best_by_count(canaries, guesses, right, [(epsilon, delta)])
    bound = bound_right_guesses(
        approximate(epsilon, delta), epsilon, Counts(canaries, guesses, right)
    )
    assert best * (1 - 1e-6) <= bound
    assert bound == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize(
    ("mu", "canaries", "guesses", "right"),
    [(1.0, 100, 100, 95), (1.0, 200, 50, 48), (0.5, 100, 100, 80), (2.0, 60, 60, 60)],
)
def test_a_profile_is_weighed_nearly_as_well_as_by_the_linear_program(
    mu: float, canaries: int, guesses: int, right: int
) -> None:
    epsilons = np.linspace(0, 6, 49) * mu
    deltas = norm.cdf(mu / 2 - epsilons / mu) - np.exp(epsilons) * norm.cdf(-mu / 2 - epsilons / mu)
    pairs = list(zip(epsilons.tolist(), deltas.tolist(), strict=True))
    best = best_by_count(canaries, guesses, right, pairs)
    bound = bound_right_guesses(GaussianDP(Fraction(mu)), mu, Counts(canaries, guesses, right))
    # The program has fewer pairs than the profile, so that it may lie a little above.
    assert 0.99 * best <= bound <= 1.2 * best


def test_a_pure_claim_is_the_tail_of_a_binomial() -> None:
    with mp.workdps(60):
        accuracy = mp.e / (1 + mp.e)
        tail = sum(
            mp.binomial(300, k) * accuracy**k * (1 - accuracy) ** (300 - k) for k in range(270, 301)
        )
        bound = bound_right_guesses(approximate(1.0, 0.0), 1.0, Counts(1000, 300, 270))
        assert tail <= mpf(bound) <= tail * (1 + mpf("1e-8"))


def test_a_share_that_tells_all_coins_stays_below_the_bound() -> None:
    # With chance δ all is told: (0, δ)-DP, and all of 50 guesses are right with that chance.
    delta = 0.01
    bound = bound_right_guesses(approximate(0.0, delta), 0.0, Counts(50, 50, 50))
    assert bound >= delta + (1 - delta) * 0.5**50


def test_any_weights_bound() -> None:
    rng = np.random.default_rng(1)
    best = best_by_count(30, 20, 18, [(0.5, 0.02), (1.5, 0.001)])
    for _ in range(200):
        weights = Weights(float(rng.uniform(0, 0.2)), (0.5, 1.5), (float(rng.exponential(0.02)),))
        assert bound_chance(Counts(30, 20, 18), weights, (0.02, 0.001)) >= best * (1 - 1e-9)


@pytest.mark.parametrize("right", [0, 1, 5, 10])
def test_bounds_are_chances(right: int) -> None:
    bound = bound_right_guesses(approximate(0.0, 0.0), 0.0, Counts(10, 10, right))
    assert SMALLEST <= bound <= 1


def test_more_right_guesses_are_no_more_likely() -> None:
    for guarantee, value in ((GaussianDP(Fraction(1)), 1.0), (ZCDP(Fraction(1, 2)), 0.5)):
        bounds = [
            bound_right_guesses(guarantee, value, Counts(300, 100, right))
            for right in range(60, 101, 8)
        ]
        # Weights are found by search, within a tenth.
        assert all(b <= a * 1.1 for a, b in pairwise(bounds))
        assert bounds[-1] < 0.5 < bounds[0]


def test_a_bound_below_the_doubles_says_so() -> None:
    assert bound_right_guesses(approximate(0.0, 0.0), 0.0, Counts(5000, 5000, 5000)) < 1e-39
    assert math.isfinite(bound_right_guesses(GaussianDP(Fraction(8)), 8.0, Counts(50, 50, 50)))
