"""Rounded continuous Gaussian noise: chances against quadrature, draws against chances."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

from synthesizers.budget import Cost
from synthesizers.errors import InputError
from synthesizers.gaussian_noise import LARGEST_DEVIATION, RoundedGaussian
from synthesizers.noise import clamped_mass
from synthesizers.queries import Sensitivity
from synthesizers.randomness import InsecureSeededEntropy

DEVIATIONS = [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)]


@pytest.mark.parametrize("deviation", DEVIATIONS)
@pytest.mark.parametrize("value", [0, 1, -1, 2, -5, 30])
def test_chances_are_integrals_of_the_density(deviation: Fraction, value: int) -> None:
    law = RoundedGaussian(deviation)
    with mpmath.workdps(40):
        sigma = mpmath.mpf(deviation.numerator) / deviation.denominator
        ends = mpmath.linspace(value - mpmath.mpf(1) / 2, value + mpmath.mpf(1) / 2, 33)
        wanted = mpmath.quad(lambda x: mpmath.npdf(x, 0, sigma), ends)
        beyond = mpmath.ncdf(-ends[0] / sigma)
    # Quadrature is good to five digits where the density falls by 1e17 within a cell.
    assert float(law.mass(value).lower / law.mass(value).upper) == pytest.approx(1, rel=1e-14)
    assert float(law.mass(value).lower) == pytest.approx(float(wanted), rel=1e-5, abs=0)
    assert float(law.tail(value).lower) == pytest.approx(float(beyond), rel=1e-14, abs=0)


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_clamped_chances_sum_to_one(deviation: Fraction) -> None:
    law = RoundedGaussian(deviation)
    total = sum((clamped_mass(law, 1, answer, -3, 4) for answer in range(-3, 5)), Fraction(0))
    assert total.lower <= 1 <= total.upper and total.upper - total.lower < Fraction(1, 2**150)


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_draws_have_the_law(deviation: Fraction) -> None:
    """A right sampler fails with chance 1e-6, over the choice of the seed."""
    law, draws = RoundedGaussian(deviation), 100_001
    drawn = law.sample(draws, InsecureSeededEntropy(7))
    assert drawn.shape == (draws,) and drawn.dtype == np.int64
    reach = int(3 * deviation) + 1
    expected = [
        float(clamped_mass(law, 0, v, -reach, reach).lower) for v in range(-reach, reach + 1)
    ]
    seen = np.bincount(drawn.clip(-reach, reach) + reach, minlength=2 * reach + 1)
    kept = np.array(expected) * draws >= 20
    statistic = ((seen - draws * np.array(expected)) ** 2 / (draws * np.array(expected)))[
        kept
    ].sum()
    assert statistic < chi2.ppf(1 - 1e-6, kept.sum())


def test_a_fine_grid_has_no_gaps() -> None:
    # 2^20 steps to a deviation, as gradients are noised: nearly every draw is another integer.
    drawn = RoundedGaussian(Fraction(2**20)).sample(10_000, InsecureSeededEntropy(1))
    assert len(np.unique(drawn)) > 9_900
    assert abs(float(drawn.std()) / 2**20 - 1) < 0.05 and abs(float(drawn.mean())) < 0.05 * 2**20


def test_the_largest_noise_hides_whether_a_sum_is_odd() -> None:
    """A right sampler fails with chance 1e-6, over the choice of the seed."""
    drawn = RoundedGaussian(Fraction(LARGEST_DEVIATION)).sample(200_000, InsecureSeededEntropy(3))
    for far in (0, 1, 2):
        odd = drawn[np.abs(drawn) >= far * LARGEST_DEVIATION] % 2
        assert abs(float(odd.mean()) - 1 / 2) < 5.2 / 2 / np.sqrt(len(odd))


def test_cost_is_that_of_the_continuous_law() -> None:
    law = RoundedGaussian(Fraction(3, 2))
    assert law.cost(Sensitivity(2, 3, 1, False)) == Cost(None, Fraction(2, 3))
    assert law.cost(Sensitivity(0, 0, 0, True)) == Cost.pure(Fraction(0))
    assert law.shift_loss(0) == 0 and law.shift_loss(1) is None
    assert law.to_json() == {"law": "rounded-gaussian", "deviation": "3/2"}


@pytest.mark.parametrize("deviation", [Fraction(0), Fraction(-1), 0.5, Fraction(2**32 + 1)])
def test_impossible_deviations_are_refused(deviation: Fraction) -> None:
    with pytest.raises(InputError):
        RoundedGaussian(deviation)
