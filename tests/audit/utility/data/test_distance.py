"""Distances of counts, and those of two samples of one table."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from audit.utility.data.distance import chance_distance, total_variation


def test_total_variation_is_half_the_distance_of_shares() -> None:
    real, synthetic = np.array([3, 0, 1, 4]), np.array([0, 1, 1, 1])
    exact = sum(abs(Fraction(a, 8) - Fraction(b, 3)) for a, b in zip(real, synthetic, strict=True))
    assert total_variation(real, synthetic) == float(exact / 2)
    assert total_variation(real, real) == 0.0
    assert total_variation(np.array([1, 0]), np.array([0, 5])) == 1.0


@pytest.mark.parametrize(
    ("real", "synthetic"),
    [
        ([3, 1, 0], [2, 2, 1]),
        ([5, 0], [0, 4]),
        ([1, 1, 1, 1, 1], [1, 1, 0, 0, 0]),
        ([7, 0], [3, 0]),
        ([0, 1], [6, 2]),
    ],
)
def test_chance_is_the_mean_over_all_ways_to_deal_the_records(
    real: list[int], synthetic: list[int]
) -> None:
    values = [v for v, n in enumerate(np.add(real, synthetic)) for _ in range(n)]
    dealt = list(combinations(range(len(values)), sum(real)))
    total = Fraction(0)
    for hand in dealt:
        first = [sum(values[k] == v for k in hand) for v in range(len(real))]
        second = np.add(real, synthetic) - first
        total += sum(
            abs(Fraction(a, sum(real)) - Fraction(int(b), sum(synthetic))) / 2
            for a, b in zip(first, second, strict=True)
        )
    found = chance_distance(np.array(real), np.array(synthetic))
    assert found == pytest.approx(float(total / len(dealt)), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("sizes", [(400, 400), (150, 900)])
@pytest.mark.parametrize("values", [2, 300])
def test_chance_is_what_samples_of_one_table_differ_by(sizes: tuple[int, int], values: int) -> None:
    """The difference has the mean 0 and a deviation below 0.04 over 400 pairs of samples.

    Six standard errors are below 0.012: about 2e-9 for a right implementation.
    """
    random = np.random.default_rng(5)
    shares = random.dirichlet(np.ones(values))
    apart = []
    for _ in range(400):
        real, synthetic = (random.multinomial(size, shares) for size in sizes)
        apart.append(total_variation(real, synthetic) - chance_distance(real, synthetic))
    assert np.std(apart) < 0.04 and abs(np.mean(apart)) < 0.012


def test_chance_of_large_tables_is_computed() -> None:
    """Half a million records in two values: sqrt(2/pi) deviations of the difference of shares."""
    half = np.array([250_000, 250_000])
    assert chance_distance(half, half) == pytest.approx(
        float(np.sqrt(2 / np.pi) * np.sqrt(0.25 * 2 / 500_000)), rel=1e-5
    )
