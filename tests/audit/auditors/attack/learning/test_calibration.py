"""Calibration: lines against counts of known laws, and shrinkage where counts are few.

Tests that draw have a fixed seed; a comment says how sure their outcome is over the seed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logit

from audit.auditors.attack.learning.calibration import (
    calibrate,
    calibrate_cells,
    prior_size,
    shrink,
)


def laplace(seed: int, runs: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, runs).astype(bool)
    return coins + rng.laplace(size=runs), coins


def test_calibrated_scores_of_laplace_noise_are_its_chances() -> None:
    for seed in range(5):
        scores, coins = laplace(seed, 30_000)
        truth = np.clip(2 * scores - 1, -1, 1)
        # A plateau's logit has a standard error of 0.02, a kink's place as much.
        assert np.abs(logit(calibrate(scores, coins).chances) - truth).max() < 0.1


def test_scores_that_tell_nothing_are_calibrated_to_nothing() -> None:
    rng = np.random.default_rng(1)
    scores, coins = rng.normal(size=20_000), rng.integers(0, 2, 20_000).astype(bool)
    # The best of some hundred lines: four standard errors of a tail of a twentieth.
    assert np.abs(logit(calibrate(scores, coins).chances)).max() < 4 * math.sqrt(4 / 1000)


def test_counts_that_lie_on_no_line_are_believed() -> None:
    # Every third score speaks for the second coin with the ratio e², the others for neither.
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 30, 60_000).astype(float)
    truth = np.where(scores % 3 == 0, 2.0, 0.0)
    coins = rng.random(60_000) < expit(truth)
    # Four standard errors of a bin of 2000 runs at the ratio e².
    assert np.abs(logit(calibrate(scores, coins).chances) - truth).max() < 4 / math.sqrt(
        2000 * 0.105
    )


def test_rare_cells_are_drawn_to_what_their_scores_say() -> None:
    rng = np.random.default_rng(3)
    scores = np.linspace(-2, 2, 500)
    ones = rng.binomial(20, expit(scores)).astype(float)
    found = logit(calibrate_cells(scores, 20 - ones, ones))
    # Alone, twenty runs tell a logit to 0.5 at best.
    assert np.abs(found - scores).max() < 0.3


def test_infinite_and_equal_scores_are_calibrated() -> None:
    biggest = float(np.finfo(np.float64).max)
    scores = np.array([-biggest] * 40 + [0.0] * 40 + [biggest] * 40)
    coins = np.arange(120) >= 60
    assert np.isfinite(calibrate(scores, coins).chances).all()
    assert np.isfinite(calibrate(np.zeros(40), coins[40:80]).chances).all()
    for few in ([], [True], [True, False]):
        assert np.isfinite(calibrate(np.arange(float(len(few))), np.array(few, bool)).chances).all()


def test_scores_that_differ_in_their_last_bits_are_calibrated() -> None:
    rng = np.random.default_rng(4)
    scores = 0.7 + rng.integers(0, 40, 2000) * 2.0**-53
    with np.errstate(over="raise"):
        found = calibrate(scores, rng.integers(0, 2, 2000).astype(bool)).chances
    assert np.isfinite(found).all()


def test_the_prior_is_as_wide_as_the_chances_are_spread() -> None:
    rng = np.random.default_rng(9)
    for size in (1.0, 6.0, 40.0):
        means = rng.uniform(0.2, 0.8, 5000)
        chances = rng.beta(size * means, size * (1 - means))
        ones = rng.binomial(30, chances).astype(np.float64)
        # The error of a likelihood from 5000 cells is some percent.
        assert prior_size(30 - ones, ones, means) == pytest.approx(size, rel=0.2)


def test_shrunk_chances_err_as_much_as_they_say() -> None:
    rng = np.random.default_rng(10)
    means = rng.uniform(0.2, 0.8, 20_000)
    truth = rng.beta(6 * means, 6 * (1 - means))
    ones = rng.binomial(30, truth).astype(np.float64)
    found = shrink(30 - ones, ones, means)
    # A mean of 20,000 squares has a standard error of a hundredth, the prior's size of two.
    assert np.mean((found.chances - truth) ** 2 / found.variances) == pytest.approx(1, abs=0.08)
