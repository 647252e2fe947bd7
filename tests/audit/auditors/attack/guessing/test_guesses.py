"""Bounds on chances of guesses: against exact sums over all counts, and over all sequences."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from audit.auditors.attack.guessing.guesses import Guesses, at_least, chances
from audit.auditors.attack.scores.rules import GuessingRule
from audit.subjects.outcomes import Outcomes
from synthesizers.errors import InputError

ERRORS = (0.5, 0.05, 1e-6)


@dataclass(frozen=True)
class Itself:
    """A number as its own score."""

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        return np.asarray(outcomes.blocks[0])[:, 0]

    def to_json(self) -> dict[str, Any]:
        return {"score": "itself"}

    def words(self) -> str:
        return "itself"


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("trials", [1, 7, 1000])
def test_at_its_bound_a_chance_gives_as_many_successes_with_just_the_error(
    trials: int, error: float
) -> None:
    for successes in {1, trials // 2 + 1, trials}:
        found = at_least(successes, trials, error)
        assert binom.sf(successes - 1, trials, found) == pytest.approx(error, rel=1e-8)
    assert at_least(0, trials, error) == 0


@pytest.mark.parametrize("error", [0.3, 0.05, 0.01])
def test_a_bound_exceeds_the_chance_with_no_more_than_the_error(error: float) -> None:
    for trials in (1, 2, 10, 60):
        bounds = np.array([at_least(k, trials, error) for k in range(trials + 1)])
        for chance in np.linspace(0.02, 0.98, 49):
            weights = binom.pmf(np.arange(trials + 1), trials, chance)
            assert weights[bounds > chance].sum() <= error + 1e-12


@pytest.mark.parametrize("error", [0.3, 0.05])
@pytest.mark.parametrize("one_sided", [False, True])
def test_the_bounds_of_accuracy_and_rate_hold_together(error: float, one_sided: bool) -> None:
    runs = 24
    # What is bounded for every count of right and wrong guesses.
    found = {
        (correct, made): chances(Guesses(runs, correct, made - correct, one_sided), error, True)
        for made in range(runs + 1)
        for correct in range(made + 1)
    }
    for rate, accuracy in itertools.product((0.05, 0.3, 0.5), (0.5, 0.73, 0.95)):
        # A one-sided rule guesses in half of what both coins together have of its event.
        real = 2 * rate if one_sided else rate
        missed = sum(
            binom.pmf(made, runs, rate) * binom.pmf(correct, made, accuracy)
            for (correct, made), bounds in found.items()
            if bounds.accuracy > accuracy or bounds.rate > real
        )
        assert missed <= error


@pytest.mark.parametrize("one_sided", [False, True])
def test_the_errors_of_both_bounds_add_up_to_the_error(one_sided: bool) -> None:
    found = chances(Guesses(500, 150, 40, one_sided), 0.05, True)
    rate = found.rate / 2 if one_sided else found.rate
    of_accuracy = binom.sf(149, 190, found.accuracy)
    of_rate = binom.sf(189, 500, rate)
    assert of_accuracy + of_rate == pytest.approx(0.05, rel=1e-8)
    assert 0 < of_rate < 0.1 * of_accuracy


def test_counts_of_a_rule_have_the_law_that_the_bounds_rest_on() -> None:
    # Two laws of three outcomes; the rule guesses at both ends. All sequences of coins and
    # outcomes of four runs, one by one, through the rule's own counting.
    laws = {False: (0.5, 0.3, 0.2), True: (0.1, 0.3, 0.6)}
    rule = GuessingRule(Itself(), 0.0, 2.0)
    steps = [(coin, out, laws[coin][out] / 2) for coin in laws for out in range(3)]
    found: dict[tuple[int, int], float] = {}
    for sequence in itertools.product(steps, repeat=4):
        outcomes = Outcomes.of_batch(np.array([float(out) for _, out, _ in sequence]), 4)
        counted = rule.count(outcomes, np.array([coin for coin, _, _ in sequence]))
        key = (counted.correct, counted.number)
        found[key] = found.get(key, 0.0) + math.prod(chance for *_, chance in sequence)
    rate = (0.5 + 0.2 + 0.1 + 0.6) / 2
    accuracy = (0.5 + 0.6) / (0.5 + 0.2 + 0.1 + 0.6)
    for (correct, made), chance in found.items():
        right = binom.pmf(made, 4, rate) * binom.pmf(correct, made, accuracy)
        assert chance == pytest.approx(right, rel=1e-9)


def test_a_rule_that_always_guesses_spends_no_error_on_its_rate() -> None:
    always = chances(Guesses(100, 70, 30, abstains=False), 0.05, True)
    assert always.rate == 1
    assert always.accuracy == at_least(70, 100, 0.05)
    assert chances(Guesses(100, 70, 30), 0.05, True).rate < 1


def test_guesses_add_up() -> None:
    both = Guesses(10, 3, 2, one_sided=True) + Guesses(5, 1, 0, one_sided=True)
    assert both == Guesses(15, 4, 2, one_sided=True)
    assert both.number == 6


@pytest.mark.parametrize("counts", [(1, 1, 1), (-1, 0, 0), (3, -1, 2), (3, 1.0, 1), (3, True, 1)])
def test_impossible_counts_are_refused(counts: tuple[Any, Any, Any]) -> None:
    with pytest.raises(InputError, match="guesses"):
        Guesses(*counts)


def test_a_rule_that_never_abstains_has_guessed_in_every_run() -> None:
    with pytest.raises(InputError, match="every run"):
        Guesses(3, 1, 1, abstains=False)


@pytest.mark.parametrize("error", [0.0, 1.0, -0.1, math.nan])
def test_an_error_outside_its_range_is_refused(error: float) -> None:
    with pytest.raises(InputError, match="strictly between"):
        chances(Guesses(3, 1, 1), error, False)
