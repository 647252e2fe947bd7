"""The tests of a law: exact, and able to see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from audit.auditors.noise_law.fit import (
    Blur,
    Place,
    band,
    cell_places,
    estimate_scale,
    event_tests,
    least_visible_change,
    p_value,
    scale_places,
    tail_places,
)
from audit.auditors.noise_law.laws import declared_law

SHARP = Blur()
TEXTS = [
    "laplace(scale=3)",
    "gaussian(sigma=2)",
    "uniform(low=-1, high=3)",
    "discrete_laplace(scale=2)",
    "discrete_gaussian(sigma=1/3)",
    "discrete_gaussian(sigma=40)",
    "rounded_laplace(scale=3/2)",
    "discrete_laplace(scale=1/10)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_cells_are_a_partition_and_their_chances_sum_to_1(text: str) -> None:
    law = declared_law(text)
    cells = cell_places(law)
    assert sum(place.chance(law, SHARP)[0] for place in cells) == pytest.approx(1, abs=1e-5)
    assert sum(place.chance(law, SHARP)[1] for place in cells) == pytest.approx(1, abs=1e-5)
    places = np.linspace(-30, 30, 241)
    held = np.sum([place.holds(places, law) for place in cells], axis=0)
    assert np.all(held == 1)


@pytest.mark.parametrize("text", TEXTS)
def test_every_event_happens_as_often_as_its_chance(text: str) -> None:
    # Chances of events against shares of the law's own quantiles: 10,000 draws at the middles of
    # as many equal slices, so that each share is off by 2 slices at most.
    law = declared_law(text)
    grid = np.linspace(-400, 400, 1_600_001)
    if law.discrete:
        grid = np.unique(np.round(grid))
    levels = (np.arange(10_000) + 0.5) / 10_000
    draws = grid[np.searchsorted(1 - law.above(grid), levels)]
    for place in (*scale_places(law), *tail_places(law), *cell_places(law)):
        low, high = place.chance(law, SHARP)
        share = float(np.mean(place.holds(draws, law)))
        assert low - 3e-4 <= share <= high + 3e-4, place.words(law)


def test_p_values_are_twice_the_exact_tail() -> None:
    assert p_value(9, 10, (0.5, 0.5)) == pytest.approx(22 / 1024, rel=1e-5)
    assert p_value(1, 10, (0.5, 0.5)) == pytest.approx(22 / 1024, rel=1e-5)
    assert p_value(9, 10, (0.2, 0.9)) > 0.5
    assert p_value(0, 10, (0.0, 0.0)) == 1
    assert p_value(1, 10, (0.0, 0.0)) == 0
    one_sided = binomtest(30, 100, 0.2, alternative="greater").pvalue
    assert p_value(30, 100, (0.1, 0.2)) == pytest.approx(2 * one_sided, rel=1e-5)


@pytest.mark.parametrize("chance", [0.001, 0.3, 0.5])
def test_p_values_are_valid_for_every_count(chance: float) -> None:
    values = np.array([p_value(k, 60, (chance, chance)) for k in range(61)])
    weights = binom.pmf(np.arange(61), 60, chance)
    for level in (0.3, 0.05, 1e-3, 1e-6):
        assert float(weights[values <= level].sum()) <= level


def test_rounding_widens_every_chance() -> None:
    law, blur = declared_law("laplace(scale=1)"), Blur(0.1)
    for place in (*scale_places(law), *cell_places(law)):
        low, high = place.chance(law, blur)
        # Wherever the ends are moved by less, the chance stays within.
        for inner in (Blur(0.05), SHARP):
            assert low <= place.chance(law, inner)[0] <= place.chance(law, inner)[1] <= high
    half = Place(-math.inf, math.log(2), True)
    assert half.chance(law, blur) == pytest.approx(
        (math.exp(-0.1) / 2, math.exp(0.1) / 2), rel=1e-5
    )


@pytest.mark.parametrize("text", ["laplace(scale=1)", "discrete_laplace(scale=3)"])
def test_the_band_is_massarts_of_the_largest_distance(text: str) -> None:
    law = declared_law(text)
    draws = np.array([0.0, 0.0, 1.0, 5.0, 5.0])
    values = np.linspace(-20, 20, 40_001)
    values = np.unique(np.round(values)) if law.discrete else values
    empirical = np.mean(draws[:, None] <= values, axis=0)
    distance = float(np.max(abs(empirical - (1 - law.above(values)))))
    expected = min(1.0, 2 * math.exp(-10 * distance**2)) / 0.01
    assert band(draws, law, SHARP, 0.01).ratio == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize("factor", [1 / math.sqrt(2), 0.95, 1.05, 2.0])
@pytest.mark.parametrize("text", ["laplace(scale=1)", "gaussian(sigma=3)"])
def test_the_interval_holds_the_scale_that_was_drawn(text: str, factor: float) -> None:
    # Fails for a right interval with probability < 1e-6, of which each test has 8 seeds: < 1e-5.
    law = declared_law(text)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        true = law.scale * factor
        draws = rng.laplace(0, true, 50_000) if "lap" in text else rng.normal(0, true, 50_000)
        found = estimate_scale(draws, law, SHARP, 1e-6)
        assert found.low < factor < found.high
        assert found.high / found.low < 1.08
        assert found.rejected and not found.low <= 1 <= found.high


@pytest.mark.slow
def test_the_change_that_would_be_seen_is_seen_four_times_in_five() -> None:
    # 100 experiments at the change of which the power of the best event alone is 0.8: fewer than
    # 58 rejections have probability binom.cdf(57, 100, 0.8) < 1e-6.
    law, draws, error = declared_law("laplace(scale=1)"), 5_000, 1e-3
    change = least_visible_change(draws, law, SHARP, error)
    for factor in (1 + change, 1 - change):
        rng = np.random.default_rng(5)
        rejected = sum(
            estimate_scale(rng.laplace(0, factor, draws), law, SHARP, error).rejected
            for _ in range(100)
        )
        assert rejected >= 58
    assert least_visible_change(10, law, SHARP, 1e-6) == math.inf
    assert least_visible_change(400_000, law, SHARP, 1e-6) < change / 4


def test_far_tails_are_tested_where_privacy_fails() -> None:
    law = declared_law("laplace(scale=1)")
    rng = np.random.default_rng(0)
    draws = rng.laplace(0, 1, 100_000)
    # One draw in a thousand is moved: the scale does not change by as much as can be seen.
    cut = np.clip(draws, -7, 7)
    assert not estimate_scale(cut, law, SHARP, 1e-6).rejected
    assert min(test.ratio for test in event_tests(tail_places(law), cut, law, SHARP, 1e-6)) <= 1
    heavy = draws.copy()
    heavy[:3] = [60.0, -80.0, 71.0]
    assert min(test.ratio for test in event_tests(tail_places(law), heavy, law, SHARP, 1e-6)) <= 1
    assert min(test.ratio for test in event_tests(tail_places(law), draws, law, SHARP, 1e-6)) > 1
