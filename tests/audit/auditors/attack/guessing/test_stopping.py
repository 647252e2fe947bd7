"""Stopping early: errors hold at every stop, and what would be refuted is seldom given up."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from audit.auditors.attack.guessing.betting import EProcess, along
from audit.auditors.attack.guessing.floors import BETTOR_SHARE, claimed_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import Bets, Binomial, find_fewest_right
from audit.auditors.attack.guessing.stopping import (
    LOOKS,
    bet,
    is_futile,
    is_look,
    stopped_floor,
    stopped_p_value,
)
from proofs.guarantees import ApproxDP, Guarantee, parse_guarantee

ONE = ApproxDP(Fraction(1))
SHARE = float(BETTOR_SHARE)
ALARM = 1e-6
AT_CLAIM = math.e / (1 + math.e)


def count(right: int, runs: int, missing: int = 0) -> Guesses:
    return Guesses(runs, right, runs - right - missing, abstains=missing > 0)


@pytest.mark.parametrize("text", ["epsilon=1", "epsilon=1, delta=1/100", "mu=1", "rho=1/2"])
@pytest.mark.parametrize("right", [700, 760, 900])
def test_the_p_value_and_the_floor_are_of_one_process(text: str, right: int) -> None:
    guarantee, guesses = parse_guarantee(text), count(right, 1000)
    p = stopped_p_value(guesses, guarantee, 1)
    for error in (0.5, 0.05, 1e-6):
        floor = stopped_floor(guesses, guarantee, error, 1)
        assert (floor >= float(claimed_value(guarantee))) == (p <= error)


def test_the_order_of_guesses_does_not_matter() -> None:
    start = along(ONE, 1, False, SHARE / 20)
    parts = [np.array([[[8, 2, 0]]]), np.array([[[3, 5, 2]]]), np.array([[[9, 0, 1]]])]

    def end(order: list[int]) -> EProcess:
        process = start
        for place in order:
            process = process.after(parts[place])
        return process

    whole = bet(Guesses(30, 20, 7, abstains=True), ONE, 1 / 20, 1)
    for order in ([0, 1, 2], [2, 1, 0]):
        assert end(order).log_wealth == pytest.approx(whole.log_wealth, abs=1e-9)
    assert whole.error == pytest.approx(SHARE / 20)


@pytest.mark.parametrize("text", ["epsilon=1", "epsilon=1, delta=1/100"])
def test_a_claim_that_holds_is_seldom_refuted_by_whoever_stops_at_the_best_time(text: str) -> None:
    """2,000 repetitions of 200 runs that use the claim up; the error of the test is 1e-6."""
    guarantee: Guarantee = parse_guarantee(text)
    random = np.random.default_rng(3)
    repetitions, runs = 2000, 200
    accuracy = AT_CLAIM if guarantee == ONE else AT_CLAIM + 0.01 / (1 + math.e)
    right = np.cumsum(random.random((repetitions, runs)) < accuracy, axis=1)
    least: dict[int, int] = {}
    bets = Bets(guarantee, SHARE / 2)
    for made in range(1, runs + 1):
        # The fewest right guesses whose p-value is at most 1/2.
        found = find_fewest_right(bets, count(0, made))
        least[made] = made + 1 if found is None else found
        if found is not None:
            assert stopped_p_value(count(found, made), guarantee, 1) <= 0.5 + 1e-6
    limits = np.array([least[made] for made in range(1, runs + 1)])
    refuted = int(np.count_nonzero((right >= limits).any(axis=1)))
    # A p-value of 1/2 comes with a chance of at most 1/2 of the bettor's share.
    assert refuted <= binom.ppf(1 - 1e-6, repetitions, SHARE / 2)
    assert refuted > 0


def test_runs_that_cannot_refute_any_more_are_futile() -> None:
    test = Binomial(ONE, ALARM)
    needed = find_fewest_right(test, count(0, 1000))
    assert needed is not None
    # Even if all that are left are right.
    assert is_futile(count(needed - 10, 999), 1000, test)
    assert not is_futile(count(needed, 999), 1000, test)


@pytest.mark.parametrize(("accuracy", "futile"), [(0.6, True), (AT_CLAIM, True), (0.95, False)])
def test_half_the_runs_tell_what_the_rest_will_do(accuracy: float, futile: bool) -> None:
    assert is_futile(count(round(500 * accuracy), 500), 1000, Binomial(ONE, ALARM)) is futile
    guesses = count(round(500 * accuracy), 1000, 500)
    assert is_futile(guesses, 2000, Binomial(ONE, ALARM)) is futile


def test_what_all_runs_would_refute_is_seldom_given_up() -> None:
    """20,000 repetitions at the accuracy that 1,000 runs refute in nine of ten cases.

    In six looks at most six times 0.3 % are given up that would have been refuted; the error of
    the test is 1e-6.
    """
    test, runs, repetitions = Binomial(ONE, ALARM), 1000, 20_000
    needed = find_fewest_right(test, count(0, runs))
    assert needed is not None
    accuracy = next(p for p in np.arange(0.75, 1, 0.001) if binom.sf(needed - 1, runs, p) >= 0.9)
    random = np.random.default_rng(5)
    right = np.zeros(repetitions, np.int64)
    given_up, made = np.zeros(repetitions, np.bool_), 0
    for part in LOOKS:
        more = round(part * runs) - made
        right, made = right + random.binomial(more, accuracy, repetitions), made + more
        last = max(k for k in range(made + 1) if is_futile(count(k, made), runs, test))
        given_up |= right <= last
    right += random.binomial(runs - made, accuracy, repetitions)
    lost = int(np.count_nonzero(given_up & (right >= needed)))
    assert lost <= binom.ppf(1 - 1e-6, repetitions, 6 * 0.003)


def test_each_look_comes_once() -> None:
    ends = [*range(0, 1000, 7), 1000]
    assert sum(is_look(before, after, 1000) for before, after in pairwise(ends)) == len(LOOKS)
    assert not is_look(875, 1000, 1000)
    assert is_look(0, 1000, 1000)


def test_no_guess_shows_nothing() -> None:
    none = Guesses(100, 0, 0)
    assert stopped_p_value(none, ONE, 1) == 1.0
    assert stopped_floor(none, ONE, 0.05, 1) == 0.0
    assert is_futile(none, 1000, Binomial(ONE, ALARM))
