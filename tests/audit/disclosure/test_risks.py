"""Intervals of risks: how often they miss, and how wide they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from audit.disclosure.risks import Risk, Trials

NO_BASELINE = Trials(1, 0)


def risk(real: tuple[int, int], holdout: tuple[int, int], error: float = 0.05) -> Risk:
    return Risk("", Trials(*real), Trials(*holdout), NO_BASELINE, error)


@pytest.mark.parametrize(
    ("real", "holdout", "sizes"),
    [
        (0.3, 0.3, (500, 500)),
        (0.5, 0.2, (300, 1000)),
        (0.02, 0.01, (2000, 400)),
        (0.98, 0.9, (60, 40)),
        (1.0, 0.5, (50, 50)),
        (0.0, 0.0, (20, 30)),
    ],
)
def test_a_side_misses_as_seldom_as_it_may(
    real: float, holdout: float, sizes: tuple[int, int]
) -> None:
    # 1,000 draws, each side misses with at most 0.025 by the theorem: 60 misses or more have a
    # chance of 2e-9 (binomial), so that a right interval fails one of these 12 with < 3e-8.
    random = np.random.default_rng(7)
    truth = max(0.0, (real - holdout) / (1 - holdout))
    low = high = 0
    for _ in range(1000):
        hits = random.binomial(sizes, (real, holdout)).tolist()
        ends = risk((sizes[0], hits[0]), (sizes[1], hits[1])).interval
        low += ends[0] > truth
        high += ends[1] < truth
    assert low < 60 and high < 60


def test_the_interval_is_the_set_of_risks_that_no_pair_of_chances_excludes() -> None:
    """Beside a search over the holdout's chance, of the largest product of both p-values."""
    made, hits, others, theirs = 200, 90, 150, 30

    def largest(value: float) -> float:
        chances = np.linspace(1e-6, 1 - 1e-6, 40_001)
        own = 1 - (1 - value) * (1 - chances)
        product = binom.sf(hits - 1, made, own) * binom.cdf(theirs, others, chances)
        return float(product.max())

    product = brentq(lambda c: c * (1 - math.log(c)) - 0.025, 1e-9, 0.5)
    expected = brentq(lambda value: largest(value) - product, 0.0, 0.9)
    low, _ = risk((made, hits), (others, theirs)).interval
    assert expected - 0.002 < low <= expected


def test_it_is_an_eighth_wider_than_a_normal_one_at_most() -> None:
    real, holdout = Trials(2000, 700), Trials(2000, 600)
    low, high = risk((2000, 700), (2000, 600)).interval
    rates = 0.35, 0.3
    spread = [rate * (1 - rate) / 2000 for rate in rates]
    normal = (
        2
        * norm.ppf(0.975)
        * math.hypot(math.sqrt(spread[0]) / 0.7, math.sqrt(spread[1]) * 0.65 / 0.49)
    )
    assert normal < high - low < 1.15 * normal
    assert real.rate == 0.35 and holdout.rate == 0.3


def test_edges_say_what_is_known() -> None:
    assert risk((0, 0), (0, 0)).interval == (0.0, 1.0) and risk((0, 0), (5, 1)).estimate is None
    everything = risk((1000, 1000), (1000, 0))
    assert everything.estimate == 1 and everything.interval[0] > 0.99
    assert everything.interval[1] == 1
    blind = risk((100, 100), (100, 100))
    assert blind.estimate is None and blind.interval == (0.0, 1.0)
    assert risk((100, 5), (100, 50)).estimate == 0
    assert risk((100, 60), (100, 20)).estimate == pytest.approx(0.5)
    assert risk((10**6, 10), (10, 0)).interval[0] == 0


def test_power_is_more_hits_than_the_baseline() -> None:
    assert Risk("", Trials(10, 5), Trials(10, 5), Trials(10, 4), 0.05).has_power
    assert not Risk("", Trials(10, 5), Trials(10, 0), Trials(10, 5), 0.05).has_power
    assert not Risk("", Trials(0, 0), Trials(10, 0), Trials(0, 0), 0.05).has_power
