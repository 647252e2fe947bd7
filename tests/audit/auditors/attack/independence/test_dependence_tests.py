"""Each test of dependence: against a slow way of writing it, and quiet on independent runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kendalltau

from audit.auditors.attack.independence.dependence_tests import (
    BETS,
    Sign,
    any_repeats,
    drift,
    lags,
    other_coins,
    repeats,
    uniform_ranks,
    waves,
)

BLIND = np.zeros(6, np.bool_)


def test_sequential_ranks_take_every_combination_once_over_all_orders() -> None:
    # So they are independent and uniform whatever the law of distinct outputs is.
    seen = set()
    for order in itertools.permutations(range(6)):
        random = np.random.default_rng(0)
        ranks = uniform_ranks(np.array(order), BLIND, random) + 0.5
        seen.add(tuple(math.floor(t * rank) for t, rank in enumerate(ranks, 1)))
    assert seen == set(itertools.product(*(range(t) for t in range(1, 7))))


def test_ranks_are_taken_among_earlier_runs_on_the_same_database() -> None:
    coins = np.array([0, 1, 0, 1, 1, 0], np.bool_)
    ranks = uniform_ranks(np.array([5, 0, 9, 7, 3, 6]), coins, np.random.default_rng(0)) + 0.5
    counts = np.array([1, 1, 2, 2, 3, 3])
    assert list(np.floor(ranks * counts)) == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("values", [1, 2, 3, 50])
def test_ties_are_shared_out_so_that_ranks_stay_uniform(values: int) -> None:
    # 20,000 ranks in 20 cells and every product of neighbours, Hoeffding with 22 comparisons: right
    # ranks fail with probability < 22 · 2 exp(-2 · 20,000 · 0.03²) < 1e-13.
    random = np.random.default_rng(1)
    order, coins = random.integers(0, values, 20_000), random.integers(0, 2, 20_000).astype(bool)
    ranks = uniform_ranks(order, coins, random)
    cells = np.histogram(ranks, 20, (-0.5, 0.5))[0] / len(ranks)
    assert np.all(abs(np.cumsum(cells) - np.arange(1, 21) / 20) < 0.03)
    assert abs(float(np.mean(ranks[1:] * ranks[:-1]))) < 0.03 / 4
    assert abs(float(np.mean(ranks[2:] * ranks[:-2]))) < 0.03 / 4


def _uniform(runs: int, seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).random(runs) - 0.5


def test_the_drift_is_kendalls_tau_with_time() -> None:
    random = np.random.default_rng(3)
    order = random.permutation(40)
    ranks = uniform_ranks(order, np.zeros(40, np.bool_), random)
    weights = np.arange(1, 41)
    # Whole ranks 0 … t-1 in place of the spread ones: Σ (2 rank - t + 1) is concordant less
    # discordant pairs.
    whole = np.floor((ranks + 0.5) * weights)
    score = float(np.sum(2 * whole - weights + 1))
    assert score == pytest.approx(kendalltau(np.arange(40), order).statistic * 40 * 39 / 2)
    total = float(np.sum(weights * ranks))
    expected = total**2 / (2 * np.sum(weights**2) / 12) - math.log(2 / 0.01)
    assert drift(ranks, 0.01).nats == pytest.approx(expected)


@pytest.mark.parametrize("runs", [2, 3, 10, 31])
def test_lags_are_those_of_the_double_loop(runs: int) -> None:
    ranks, error = _uniform(runs, runs), 1e-3
    slow = []
    for k in range(1, runs):
        total = sum(ranks[t] * ranks[t + k] for t in range(runs - k))
        variance = sum(ranks[t] ** 2 for t in range(runs - k)) / 12
        needed = math.log(2 * k * (k + 1) / error)
        bet = math.sqrt(2 * needed * 144 / (runs - k))
        slow.append(bet * abs(total) - bet**2 * variance / 2 - needed)
    assert lags(ranks, error).nats == pytest.approx(max(slow))


@pytest.mark.parametrize("runs", [2, 3, 10, 31])
def test_waves_are_those_of_the_double_loop(runs: int) -> None:
    ranks, error, time = _uniform(runs, runs), 1e-3, np.arange(runs)
    slow = []
    for j in range(1, runs // 2 + 1):
        for weights in (
            np.cos(2 * math.pi * j * time / runs),
            np.sin(2 * math.pi * j * time / runs),
        ):
            if np.max(abs(weights)) > 1e-9:
                slow.append(float(weights @ ranks) ** 2 * 12 / (2 * float(weights @ weights)))
    expected = max(slow) - math.log(4 * (runs // 2) / error)
    assert waves(ranks, error).nats == pytest.approx(expected)


@pytest.mark.parametrize("runs", [2, 3, 10, 31])
def test_other_coins_are_those_of_the_double_loop(runs: int) -> None:
    ranks, error = _uniform(runs, runs), 1e-3
    coins = np.random.default_rng(runs + 1).integers(0, 2, runs).astype(bool)
    slow = []
    for k in [k for k in range(1 - runs, runs) if k]:
        places = [t for t in range(runs) if 0 <= t - k < runs]
        total = sum(ranks[t] * (1 if coins[t - k] else -1) for t in places)
        share = error / (2 * abs(k) * (abs(k) + 1))
        slow.append(total**2 * 12 / (2 * len(places)) - math.log(2 / share))
    assert other_coins(ranks, coins, error).nats == pytest.approx(max(slow))


def test_the_direction_of_another_runs_coin_is_told() -> None:
    random = np.random.default_rng(0)
    coins = random.integers(0, 2, 400).astype(bool)
    ranks = random.random(400) - 0.5
    before = np.where(np.roll(coins, 3), abs(ranks), -abs(ranks))
    after = np.where(np.roll(coins, -3), abs(ranks), -abs(ranks))
    assert other_coins(before, coins, 1e-9).words.endswith("of the run 3 before")
    assert other_coins(after, coins, 1e-9).words.endswith("of the run 3 after")


CODES = [
    (0, 1, 2, 3, 4),
    (0, 0, 1, 1, 2),
    (0, 0, 0, 0, 1),
    (0, 0, 0, 0, 0),
]


@pytest.mark.parametrize("values", CODES)
@pytest.mark.parametrize("coins", [(0, 0, 0, 0, 0), (0, 1, 0, 1, 1), (1, 1, 1, 0, 1)])
@pytest.mark.parametrize("lag", [1, 2, 3])
def test_the_evidence_of_repeats_has_the_mean_one_over_all_orders(
    values: tuple[int, ...], coins: tuple[int, ...], lag: int
) -> None:
    # Orders within each database are equally likely for independent draws, whatever their law.
    flips = np.array(coins, np.bool_)
    held = np.array(values, np.uint64)
    evidence = []
    for first in itertools.permutations(held[~flips]):
        for second in itertools.permutations(held[flips]):
            codes = np.empty(5, np.uint64)
            codes[~flips], codes[flips] = first, second
            evidence.append(math.exp(repeats(codes, flips, lag, 1.0).nats))
    assert np.mean(evidence) == pytest.approx(1, abs=1e-12)


def test_repeats_of_distinct_outputs_count_as_often_as_they_could_have_been_others() -> None:
    # Backwards in time, run t is one of the first t, so that a repeat has the chance 1/t.
    codes = np.tile(np.arange(8, dtype=np.uint64), 2)
    found = repeats(codes, np.zeros(16, np.bool_), 8, 1.0).nats
    products = [math.prod(1 + q * (t - 1) for t in range(2, 9)) for q in BETS]
    assert found == pytest.approx(math.log(np.mean(products)))


LAWS: dict[str, Callable[[np.random.Generator, int], NDArray[np.int64]]] = {
    "distinct": lambda random, runs: random.permutation(runs),
    "two values": lambda random, runs: random.integers(0, 2, runs),
    "one rare": lambda random, runs: (random.random(runs) < 0.03).astype(np.int64),
    "geometric": lambda random, runs: random.geometric(0.3, runs),
}
ERROR, TRIALS = 0.2, 200


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("runs", [7, 100])
def test_independent_runs_are_rejected_no_more_often_than_is_stated(law: str, runs: int) -> None:
    # 200 trials at an error of 0.2: more than 80 rejections have, by Hoeffding with 5 tests, a
    # probability < 5 exp(-2 · 200 · 0.2²) < 1e-6 at the very error; the tests are below it.
    tests: list[Callable[[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]], Sign]] = [
        lambda codes, ranks, coins: drift(ranks, ERROR),
        lambda codes, ranks, coins: waves(ranks, ERROR),
        lambda codes, ranks, coins: lags(ranks, ERROR),
        lambda codes, ranks, coins: other_coins(ranks, coins, ERROR),
        lambda codes, ranks, coins: max(
            any_repeats(codes.astype(np.uint64), coins, ERROR), key=lambda sign: sign.nats
        ),
    ]
    rejected = np.zeros(len(tests), np.int64)
    random = np.random.default_rng(5)
    for _ in range(TRIALS):
        codes, coins = LAWS[law](random, runs), random.integers(0, 2, runs).astype(bool)
        ranks = uniform_ranks(codes, coins, random)
        rejected += [test(codes, ranks, coins).nats >= 0 for test in tests]
    assert np.all(rejected <= 80), rejected


def test_one_run_says_nothing() -> None:
    one, coin = np.zeros(1), np.zeros(1, np.bool_)
    assert lags(one, 0.1).nats < 0
    assert waves(one, 0.1).nats < 0
    assert other_coins(one, coin, 0.1).nats < 0
    assert repeats(np.zeros(1, np.uint64), coin, 1, 0.1).nats < 0


def test_repeats_are_found_at_whatever_distance_they_are_commonest() -> None:
    # 30 outputs that cannot repeat by chance, and again: far too few for ranks.
    codes = np.concatenate([np.arange(30), np.arange(40, 47), np.arange(30)]).astype(np.uint64)
    found = max(any_repeats(codes, np.zeros(67, np.bool_), 1e-9), key=lambda sign: sign.nats)
    assert found.nats >= 0
    assert found.words == "30 of 30 outputs of runs 37 apart are the same"
