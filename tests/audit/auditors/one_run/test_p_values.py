"""p-values and floors of a few runs: how often they are wrong is computed, not drawn."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from audit.auditors.one_run.bound import Counts
from audit.auditors.one_run.p_values import (
    find_floor,
    find_limit,
    find_p_value,
    make_bound,
)
from proofs.guarantees import ApproxDP, GaussianDP
from tests.audit.auditors.one_run.worst_cases import worst_law

PURE = ApproxDP(Fraction(1))
ACCURACY = 1 / (1 + np.exp(-1.0))


@pytest.mark.parametrize("guesses", [20, 100, 400])
def test_floors_of_randomised_response_miss_seldom_and_nearly_as_often_as_they_may(
    guesses: int,
) -> None:
    law = binom.pmf(np.arange(guesses + 1), guesses, ACCURACY)
    miss = sum(
        float(law[right])
        for right in range(guesses + 1)
        if find_floor([Counts(guesses, guesses, right)], PURE, 0.05) > 1
    )
    assert 0.015 < miss <= 0.05


@pytest.mark.parametrize(("canaries", "guesses", "delta"), [(100, 100, 1e-2), (300, 60, 1e-3)])
def test_floors_of_the_worst_case_miss_seldom_and_the_correction_is_needed(
    canaries: int, guesses: int, delta: float
) -> None:
    claim = ApproxDP(Fraction(1), Fraction(delta))
    fewest = next(
        right
        for right in range(guesses // 2, guesses + 1)
        if find_floor([Counts(canaries, guesses, right)], claim, 0.05) > 1
    )
    law = worst_law(canaries, guesses, fewest, 1.0, delta)
    assert 0.02 < law[fewest:].sum() <= 0.05
    # Without the correction for δ, so many right guesses would be refuted, and occur more often.
    uncorrected = next(
        right
        for right in range(guesses // 2, guesses + 1)
        if find_floor([Counts(canaries, guesses, right)], PURE, 0.05) > 1
    )
    assert uncorrected < fewest
    assert worst_law(canaries, guesses, uncorrected, 1.0, delta)[uncorrected:].sum() > 0.05


def test_the_worst_case_keeps_its_claim() -> None:
    canaries, guesses, delta = 100, 40, 1e-3
    law = worst_law(canaries, guesses, 36, 1.0, delta)
    assert law.sum() == pytest.approx(1) and law.min() >= 0
    counts = np.arange(1, guesses + 1)
    # Guess i is right with one coin, and wrong with the other, of the same output.
    right, wrong = counts * law[1:], (guesses - counts + 1) * law[:-1]
    for first, second in ((right, wrong), (wrong, right)):
        excess = np.maximum(first - np.e * second, 0).sum() / canaries
        # The solver keeps its conditions to 1e-7 or so.
        assert excess <= delta * (1 + 1e-5)


def test_several_runs_are_multiplied_as_fisher_does() -> None:
    one, two = Counts(50, 50, 42), Counts(50, 50, 40)
    chances = [find_p_value([counts], PURE, 1.0) for counts in (one, two)]
    product = chances[0] * chances[1]
    assert find_p_value([one, two], PURE, 1.0) == pytest.approx(product * (1 - np.log(product)))


def test_fishers_p_value_is_wrong_as_seldom_as_it_says() -> None:
    law = binom.pmf(np.arange(21), 20, ACCURACY)
    both = np.outer(law, law)
    p_values = np.array(
        [
            [find_p_value([Counts(20, 20, a), Counts(20, 20, b)], PURE, 1.0) for b in range(21)]
            for a in range(21)
        ]
    )
    for level in (0.5, 0.1, 0.05, 0.01, 1e-4, 1e-6):
        assert both[p_values <= level].sum() <= level


def test_floors_grow_with_right_guesses_up_to_the_limit() -> None:
    floors = [find_floor([Counts(100, 60, right)], PURE, 0.05) for right in (30, 40, 50, 55, 60)]
    assert floors == sorted(floors)
    assert floors[0] == 0
    assert floors[-1] == find_limit([Counts(100, 60, 7)], PURE, 0.05)
    # All of 60 right, 0.95 = 1 - accuracy^60.
    assert floors[-1] == pytest.approx(-np.log(0.05 ** (-1 / 60) - 1), rel=2e-3)


def test_a_floor_of_mu_is_none_of_epsilon() -> None:
    bound = make_bound([Counts(1000, 250, 245)], GaussianDP(Fraction(1)), Fraction(1, 20), "it")
    assert bound.parameter is not None and bound.parameter[0] == "mu"
    assert 1.1 < bound.parameter[1].lower < 1.3
    assert bound.epsilon.lower == 0
