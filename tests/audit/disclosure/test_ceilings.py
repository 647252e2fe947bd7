"""Ceilings beside mechanisms that attain them, and beside numbers from elsewhere."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import norm

from audit.disclosure.ceilings import find_ceiling
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

HAIR = 1e-12


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0, 0), (1, 0), (Fraction(1, 2), Fraction(1, 10)), (3, Fraction(1, 100))]
)
def test_a_pair_is_attained_by_the_worst_mechanism(
    epsilon: Fraction | int, delta: Fraction | int, steps: int
) -> None:
    """It tells all with chance δ, and answers by randomised response otherwise."""
    guarantee = ApproxDP(Fraction(epsilon), Fraction(delta))
    found = find_ceiling(guarantee, steps)
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    gain = float(delta) + (1 - float(delta)) * (2 * right - 1)
    if steps == 1:
        assert gain - HAIR <= found.advantage <= gain + HAIR
        assert found.factor is not None and found.addend == delta
        assert math.exp(epsilon) - HAIR <= found.factor <= math.exp(epsilon) + HAIR
    else:
        assert gain - HAIR <= found.advantage <= min(1.0, 2 * gain) + HAIR
        # P <= e^ε Q + δ twice.
        assert found.addend == pytest.approx(min(1, float(delta) * (1 + math.exp(epsilon))))


def test_known_numbers() -> None:
    assert float(find_ceiling(ApproxDP(Fraction(1)), 1).advantage) == pytest.approx(
        (math.e - 1) / (math.e + 1), abs=HAIR
    )
    for mu, steps in product((Fraction(1, 10), Fraction(1), Fraction(4)), (1, 2)):
        exact = 2 * norm.cdf(float(mu) * steps / 2) - 1
        assert float(find_ceiling(GaussianDP(mu), steps).advantage) == pytest.approx(
            exact, abs=1e-9
        )


@pytest.mark.parametrize("rho", [Fraction(1, 1000), Fraction(1, 2), Fraction(2), Fraction(8)])
def test_a_gaussian_lies_below_the_ceilings_of_its_divergences(rho: Fraction) -> None:
    for steps in (1, 2):
        truth = 2 * norm.cdf(steps * math.sqrt(2 * rho) / 2) - 1
        zcdp = find_ceiling(ZCDP(rho), steps).advantage
        renyi = find_ceiling(RenyiDP(Fraction(3), 3 * rho), steps).advantage
        assert truth <= zcdp <= min(1.0, 1.9 * truth) and truth <= renyi <= 1


@pytest.mark.parametrize(
    "guarantee",
    [ApproxDP(Fraction(10**9)), GaussianDP(Fraction(10**9)), ZCDP(Fraction(10**9)),
     RenyiDP(Fraction(2), Fraction(10**9)), ApproxDP(Fraction(0), Fraction(999, 1000))],
)  # fmt: skip
def test_a_ceiling_is_never_above_one(guarantee: Guarantee) -> None:
    assert Fraction(99, 100) < find_ceiling(guarantee, 1).advantage <= 1
    assert find_ceiling(guarantee, 2).advantage <= 1


@pytest.mark.parametrize(
    "guarantee", [ApproxDP(Fraction(0)), GaussianDP(Fraction(0)), ZCDP(Fraction(0))]
)
def test_nothing_is_gained_where_nothing_is_told(guarantee: Guarantee) -> None:
    assert find_ceiling(guarantee, 1).advantage == 0 == find_ceiling(guarantee, 2).advantage
