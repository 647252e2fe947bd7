"""Draws that depend on each other, and draws that come back."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from audit.auditors.noise_law.freshness import between, likeliest, repeats, serial
from audit.auditors.noise_law.laws import declared_law

Floats = NDArray[np.float64]
LAPLACE = declared_law("laplace(scale=1)")
INTEGERS = declared_law("discrete_laplace(scale=2)")
N = 5_000


def _integers(rng: np.random.Generator, size: int) -> Floats:
    a = 1 - np.exp(-0.5)
    return (rng.geometric(a, size) - rng.geometric(a, size)).astype(np.float64)


@pytest.mark.parametrize("integers", [False, True])
def test_independent_columns_are_not_accused(integers: bool) -> None:
    # 50 honest pairs at 1e-4 each: an accusation has probability < 0.005 over the choice of seed.
    law = INTEGERS if integers else LAPLACE
    for seed in range(50):
        rng = np.random.default_rng(seed)
        one, two = (_integers(rng, N) if integers else rng.laplace(0, 1, N) for _ in range(2))
        assert between(one, two, law, 0.0 if integers else 1e-14, 1e-4).ratio > 1


@pytest.mark.parametrize(
    ("word", "second"),
    [
        ("equal", lambda one, rng: one + 0.0),
        ("opposite", lambda one, rng: -one),
        ("equal", lambda one, rng: np.where(rng.random(N) < 0.02, one, rng.laplace(0, 1, N))),
        ("signs", lambda one, rng: 0.5 * one + 0.5 * rng.laplace(0, 1, N)),
        ("sizes", lambda one, rng: one * rng.choice([-1, 1], N) * 1.5),
    ],
)
def test_shared_draws_are_found(
    word: str, second: Callable[[Floats, np.random.Generator], Floats]
) -> None:
    rng = np.random.default_rng(3)
    one = rng.laplace(0, 1, N)
    found = between(one, second(one, rng), LAPLACE, 1e-14, 1e-6)
    assert found.ratio <= 1
    assert word in found.words


def test_signs_are_compared_by_fishers_exact_test() -> None:
    one = np.array([1.0, 2, 3, 4, -1, -2, -3, 5, 6, 7])
    two = np.array([1.5, 2.5, 3.5, 4.5, -1.5, -2.5, -3.5, 5.5, 6.5, -7.5])
    table = [[6, 1], [0, 3]]
    tail = fisher_exact(table, alternative="greater").pvalue
    found = between(one, two, LAPLACE, 1e-14, 1.0)
    assert found.ratio == pytest.approx(4 * 2 * tail, rel=1e-5)


def test_draws_that_follow_each_other_are_found() -> None:
    rng = np.random.default_rng(4)
    noise = rng.laplace(0, 1, 20_001)
    assert serial(noise, rng, 1e-6).ratio > 1
    assert serial(noise[1:] + 0.3 * noise[:-1], rng, 1e-6).ratio <= 1
    assert serial(np.tile(noise[:2_000], 5), rng, 1e-6).ratio <= 1
    assert serial(np.repeat(noise[:2_000], 2), rng, 1e-6).ratio <= 1
    assert serial(np.array([1.0]), rng, 1e-6).ratio > 1


def test_the_likeliest_outcome_of_a_rounded_law_is_bounded() -> None:
    rng = np.random.default_rng(0)
    for step in (0.1, 0.5, 1.0):
        draws = np.round(rng.laplace(0, 1, 4_000) / step) * step
        true = 1 - np.exp(-step / 2)
        assert true <= likeliest(LAPLACE, draws) <= 5 * true
    single = rng.laplace(0, 1, 4_000).astype(np.float32).astype(np.float64)
    # Half a step of 2^-23 on either side of 1, where |z| times the density is largest.
    assert 2.0**-23 * 0.18 <= likeliest(LAPLACE, single) < 1e-6
    assert likeliest(INTEGERS, draws) == pytest.approx(np.tanh(0.25), rel=1e-5)
    assert likeliest(LAPLACE, rng.laplace(0, 1, 4_000)) < 1e-8


def test_repeats_are_bounded_by_birthdays_of_the_likeliest_outcome() -> None:
    # All 4^5 rows of five draws from four equal outcomes: the tail of the number of repeats by
    # counting, which the bound may not undercut.
    rows = list(itertools.product(range(4), repeat=5))
    counts = np.array([5 - len(set(row)) for row in rows])
    for row in rows[:: len(rows) // 50]:
        found = repeats(np.array(row, np.float64), 0.25, 1.0)
        assert found.repeats == 5 - len(set(row))
        assert found.ratio >= float(np.mean(counts >= found.repeats)) - 1e-12


def test_a_seed_of_few_bits_comes_back() -> None:
    rng = np.random.default_rng(0)
    for bits, known in ((16, True), (20, True), (24, True), (60, False)):
        seeds = rng.integers(2**bits, size=20_000)
        found = repeats(seeds.astype(np.float64), 1e-12, 1e-6)
        assert (found.ratio <= 1) == known
        if known:
            assert abs(np.log2(found.outcomes) - bits) < 0.7
    assert repeats(np.zeros(10), 1.0, 1e-6).ratio > 1


@pytest.mark.slow
def test_honest_pairs_are_accused_less_often_than_stated() -> None:
    # 1000 honest pairs at an error of 1/10: more than 160 accusations have probability < 1e-8.
    accused = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        accused += between(_integers(rng, 500), _integers(rng, 500), INTEGERS, 0.0, 0.1).ratio <= 1
    assert accused <= 160
