"""Maximum entropy against a direct maximisation, and its rounding against all choices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from synthesizers.errors import InputError
from synthesizers.laws import maximum_entropy as entropies
from synthesizers.laws.maximum_entropy import GRID, STEPS, maximum_entropy, round_to_sum, variances

HALF = Fraction(1, 2)


def moments(values: Sequence[int], weights: Sequence[int]) -> tuple[float, float, float]:
    """Sum, mean and mean square of chances in units of 1/GRID."""
    pairs = list(zip(values, weights, strict=True))
    return tuple(sum(w * v**power for v, w in pairs) / GRID for power in range(3))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ((-2, -1, 0, 1, 2), (0, 4)),
        ((-1, 0, 1, 2), (0, 2)),
        ((-1, 2, 3), (2, 3)),
        ((-3, -2, 1, 4), (2, 12)),
        ((-1, 5), (5, 5)),
        ((0, 1, 2), (0, 0)),
        ((-1, 0), (0, 0)),
        ((0,), (0, 0)),
    ],
)
def test_possible_variances(values: tuple[int, ...], wanted: tuple[int, int]) -> None:
    assert variances(values) == wanted


def test_laws_by_hand() -> None:
    """Three values and three equations leave one law."""
    quarter = GRID // 4
    assert maximum_entropy((-1, 0, 1), HALF) == [quarter, 2 * quarter, quarter]
    found = maximum_entropy((-1, 2, 3), Fraction(5, 2))
    assert found == [round(GRID * p) for p in (Fraction(17, 24), Fraction(1, 6), Fraction(1, 8))]


def test_extreme_variances_sit_on_two_values() -> None:
    assert maximum_entropy((-1, 0, 2, 5), Fraction(5)) == [5 * GRID // 6, 0, 0, GRID // 6]
    assert maximum_entropy((-2, -1, 2, 3), Fraction(2)) == [0, 2 * GRID // 3, GRID // 3, 0]


SUPPORTS = [
    range(-2, 3),
    range(-1, 3),
    range(-5, 6),
    range(-1, 6),
    (-1, 2, 3, 4, 5),
    (-4, -1, 0, 3),
]


@pytest.mark.parametrize("values", SUPPORTS, ids=str)
@pytest.mark.parametrize("part", ["1/100", "1/3", "1/2", "3/4", "99/100"])
def test_moments_and_shape(values: Sequence[int], part: str) -> None:
    low, high = variances(values)
    variance = low + (high - low) * Fraction(part)
    found = maximum_entropy(values, variance)
    total, mean, square = moments(values, found)
    assert max(abs(total - 1), abs(mean), abs(square - float(variance))) < 1e-10
    # Logarithms that are quadratic in the value are those of the greatest entropy.
    seen = [(v, math.log(w / GRID)) for v, w in zip(values, found, strict=True) if w > GRID // 1000]
    if len(seen) > 3:
        powers = np.array([[v**power for power in range(3)] for v, _ in seen], float)
        logs = np.array([log for _, log in seen])
        fitted = powers @ np.linalg.lstsq(powers, logs, rcond=None)[0]
        assert np.abs(fitted - logs).max() < 1e-7


@pytest.mark.parametrize("values", SUPPORTS, ids=str)
def test_entropy_is_that_of_a_direct_maximisation(values: Sequence[int]) -> None:
    low, high = variances(values)
    variance = low + (high - low) / 3
    array = np.array(values, float)
    conditions = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: p @ array},
        {"type": "eq", "fun": lambda p: p @ array**2 - variance},
    ]
    direct = minimize(
        lambda p: float(np.sum(p * np.log(np.maximum(p, 1e-300)))),
        np.full(len(array), 1 / len(array)),
        bounds=[(1e-12, 1)] * len(array),
        constraints=conditions,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    found = np.array(maximum_entropy(values, low + Fraction(high - low, 3))) / GRID
    assert direct.success and np.abs(direct.x - found).max() < 1e-5


def test_a_law_that_is_not_found_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropies, "MAX_STEPS", 1)
    with pytest.raises(InputError, match="too near the limits, 0 and 5"):
        maximum_entropy(range(-1, 6), Fraction(4))


def test_variances_beside_their_limits_are_found() -> None:
    for variance in (Fraction(1, 10**15), 5 - Fraction(1, 10**15), 5 - Fraction(1, 10**60)):
        total, mean, square = moments(range(-1, 6), maximum_entropy(range(-1, 6), variance))
        assert max(abs(total - 1), abs(mean), abs(square - float(variance))) < 1e-10


def slow_rounded(values: Sequence[int], weights: Sequence[int], keys: int) -> tuple[int, int]:
    """The best mean and then the best distance over all choices of steps."""
    total = sum(weights)
    shares = [Fraction(weight * keys, total) for weight in weights]
    best = []
    for steps in itertools.product(STEPS, repeat=len(values)):
        numbers = [math.floor(share) + step for share, step in zip(shares, steps, strict=True)]
        if min(numbers) >= 0 and sum(numbers) == keys:
            best.append(judged(values, weights, keys, numbers))
    return min(best)


def judged(
    values: Sequence[int], weights: Sequence[int], keys: int, numbers: Sequence[int]
) -> tuple[int, int]:
    total = sum(weights)
    mean = abs(sum(v * n for v, n in zip(values, numbers, strict=True)))
    return mean, sum(abs(n * total - w * keys) for n, w in zip(numbers, weights, strict=True))


@given(
    values=st.lists(st.integers(-4, 4), min_size=1, max_size=5, unique=True).map(sorted),
    weights=st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(any),
    keys=st.integers(1, 40),
)
def test_rounding_against_all_choices(values: list[int], weights: list[int], keys: int) -> None:
    weights = weights[: len(values)]
    if not any(weights):
        weights[0] = 1
    found = round_to_sum(values, weights, keys)
    assert sum(found) == keys and min(found) >= 0
    assert judged(values, weights, keys, found) == slow_rounded(values, weights, keys)


def test_no_share_falls_below_zero_for_the_sake_of_the_mean() -> None:
    assert round_to_sum((1, 3), (1, 0), 2) == [2, 0]


def test_shares_that_are_whole_stay() -> None:
    assert round_to_sum((-1, 0, 1), (1, 2, 1), 256) == [64, 128, 64]


def test_the_mean_comes_before_the_distances() -> None:
    # Shares 2.5, 5, 2.5: rounded to the nearest, the mean would be ±1/10.
    assert round_to_sum((-1, 0, 1), (1, 2, 1), 10) in ([2, 6, 2], [3, 4, 3])
