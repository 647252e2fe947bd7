"""Lattices of outputs, and outputs that tell the true value."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.noise_law.lattice import Leak, last_bits, leak, precision, spacing
from audit.auditors.noise_law.laws import declared_law

N = 20_000
Pairs = tuple[NDArray[np.float64], NDArray[np.float64]]


@pytest.mark.parametrize("step", [1.0, 0.1, 2.0**-20, 3.7, 1e-6, 1 / 3])
@pytest.mark.parametrize("count", [50, 2_000])
def test_the_step_of_a_lattice_is_never_found_too_small(step: float, count: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        draws = np.round(rng.laplace(0, 1, count) / step) * step
        found = spacing(draws)
        assert found >= step
        if step >= 1e-3 and count == 2_000:
            assert found == pytest.approx(step, rel=1e-6)


def test_equal_draws_may_lie_on_any_lattice() -> None:
    assert spacing(np.full(9, 0.3)) == math.inf
    assert spacing(np.array([0.25, 0.75])) == pytest.approx(0.5)


def test_doubles_have_no_lattice() -> None:
    for seed in range(20):
        assert spacing(np.random.default_rng(seed).laplace(0, 1, 2_000)) < 1e-8


def test_bits_are_counted_as_exact_fractions_have_them() -> None:
    rng = np.random.default_rng(0)
    draws = np.concatenate([rng.laplace(0, 1, 200), [1.0, -6.0, 0.1, 2.0**-1074, 3 * 2.0**40]])
    for value, last in zip(draws.tolist(), last_bits(draws).tolist(), strict=True):
        exact = Fraction(value)
        assert (exact / Fraction(2) ** last).denominator == 1
        assert (exact / Fraction(2) ** last).numerator % 2 == 1
    assert last_bits(np.array([0.0]))[0] > 1000
    assert precision(rng.laplace(0, 1, 500)) == 53
    assert precision(rng.laplace(0, 1, 500).astype(np.float32).astype(np.float64)) == 24
    assert precision(rng.laplace(0, 1, 500).astype(np.float16).astype(np.float64)) == 11
    assert precision(np.array([1.0, 2.0, -0.5])) == 1


def _leak(first: NDArray[np.float64], second: NDArray[np.float64], text: str, shift: float) -> Leak:
    coins = np.random.default_rng(99).integers(2, size=len(first)).astype(bool)
    found = leak(first, second, declared_law(text), (0.0, shift), coins, 1e-6)
    assert found is not None
    return found


def _naive(text: str, shift: float, seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    draw = rng.laplace if text.startswith("laplace") else rng.normal
    scale = declared_law(text).scale
    return 0.0 + draw(0, scale, N), shift + draw(0, scale, N)


@pytest.mark.parametrize("text", ["laplace(scale=1)", "gaussian(sigma=1)", "laplace(scale=3)"])
@pytest.mark.parametrize("shift", [0.5, 1.0])
def test_noise_added_in_doubles_tells_the_value(text: str, shift: float) -> None:
    found = _leak(*_naive(text, shift, 0), text, shift)
    assert found.ratio <= 1
    assert found.floor > found.limit
    assert "multiples of 2^" in found.words


@pytest.mark.parametrize("step", [2.0**-10, 0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("text", ["laplace(scale=1)", "gaussian(sigma=1)", "laplace(scale=3)"])
def test_noise_on_a_fixed_lattice_tells_nothing(text: str, step: float) -> None:
    # An honest mechanism is accused with probability 1e-6 at most; these are 10 of them a case.
    for seed in range(10):
        for rounding in (np.round, np.floor):
            first, second = (rounding(outputs / step) * step for outputs in _naive(text, 1.0, seed))
            assert _leak(first, second, text, 1.0).ratio > 1


def test_values_that_are_rounded_before_noise_is_added_tell_no_more_than_the_step() -> None:
    rng = np.random.default_rng(0)
    step = 0.25
    for seed in range(10):
        rng = np.random.default_rng(seed)
        noise = np.round(rng.laplace(0, 1, (2, N)) / step) * step
        # The values are 0 and 0.1875, of which the second becomes 0.25.
        assert _leak(noise[0], noise[1] + 0.25, "laplace(scale=1)", 0.1875).ratio > 1


def test_a_lattice_that_moves_with_the_value_tells_it() -> None:
    rng = np.random.default_rng(1)
    noise = np.round(rng.laplace(0, 1, (2, N)) / 0.3) * 0.3
    found = _leak(noise[0], noise[1] + 1.0, "laplace(scale=1)", 1.0)
    assert found.ratio <= 1


def test_noise_of_few_outcomes_tells_the_value() -> None:
    rng = np.random.default_rng(1)
    outcomes = np.random.default_rng(7).laplace(0, 1, 2**10)
    first, second = rng.choice(outcomes, (2, N))
    found = _leak(first, second + 0.7, "laplace(scale=1)", 0.7)
    assert found.ratio <= 1
    assert "came out before" in found.words


def test_a_loss_beyond_reach_is_not_looked_at() -> None:
    first, second = _naive("laplace(scale=1)", 1.0, 0)
    coins = np.zeros(N, np.bool_)
    law = declared_law("laplace(scale=1)")
    assert leak(first, second + 99, law, (0.0, 100.0), coins, 1e-6) is None
    uniform = declared_law("uniform(low=0, high=1)")
    assert leak(first, second, uniform, (0.0, 2.0), coins, 1e-6) is None


@pytest.mark.slow
def test_honest_mechanisms_are_accused_less_often_than_stated() -> None:
    # 600 honest mechanisms at an error of 1/20: more than 60 accusations have probability
    # binom.sf(60, 600, 1/20) < 1e-6.
    accused = 0
    law = declared_law("laplace(scale=1)")
    for seed in range(600):
        rng = np.random.default_rng(seed)
        noise = np.round(rng.laplace(0, 1, (2, 2_000)) * 16) / 16
        coins = rng.integers(2, size=2_000).astype(bool)
        found = leak(noise[0], noise[1] + 0.5, law, (0.0, 0.5), coins, 1 / 20)
        assert found is not None
        accused += found.ratio <= 1
    assert accused <= 60
