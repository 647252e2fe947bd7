"""Declared laws: read from text, and their chances against exact ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from audit.auditors.noise_law.laws import (
    MARGIN,
    SUMMED,
    Gaussian,
    IntegerGaussian,
    declared_law,
    upto,
)
from synthesizers.errors import InputError
from synthesizers.exact import ExpRational
from synthesizers.intervals import Interval
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace

OURS = [
    DiscreteLaplace(Fraction(2)),
    DiscreteLaplace(Fraction(1, 5)),
    RoundedLaplace(Fraction(3, 2)),
    DiscreteGaussian(Fraction(4)),
    DiscreteGaussian(Fraction(1, 9)),
]


def _double(value: object) -> float:
    if isinstance(value, Interval):
        return float((value.lower + value.upper) / 2)
    if isinstance(value, ExpRational):
        return float(value.enclosure().lower)
    assert isinstance(value, Fraction)
    return float(value)


@pytest.mark.parametrize("noise", OURS, ids=str)
def test_chances_of_our_noise_are_those_of_its_exact_law(noise: Noise) -> None:
    law = declared_law(noise)
    for least in (-9, -1, 0, 1, 2, 7, 30):
        exact = _double(noise.tail(least))
        assert float(law.above(least - 1)) == pytest.approx(exact, rel=1e-9)
        assert float(upto(law, -least)) == pytest.approx(exact, rel=1e-9)
        # Between two integers nothing happens.
        assert float(law.above(least - 0.5)) == float(law.above(least - 1))
    assert law.peak == pytest.approx(_double(noise.mass(0)), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("laplace(scale=3/2)", stats.laplace(scale=1.5)),
        ("laplace(epsilon=0.5, sensitivity=2)", stats.laplace(scale=4)),
        ("gaussian(sigma=2)", stats.norm(scale=2)),
        ("gaussian(sigma_squared=9)", stats.norm(scale=3)),
        ("gaussian(mu=0.5)", stats.norm(scale=2)),
        ("uniform(low=-1, high=3)", stats.uniform(-1, 4)),
    ],
)
def test_chances_of_continuous_laws_are_scipys(text: str, reference: stats.rv_frozen) -> None:
    law = declared_law(text)
    places = np.array([-5.0, -0.7, 0.0, 0.4, 1.0, 2.9, 8.0])
    np.testing.assert_allclose(law.above(places), reference.sf(places), rtol=1e-12)
    np.testing.assert_allclose(upto(law, places), reference.cdf(places), rtol=1e-12)
    grid = np.linspace(-50, 50, 1_000_001)
    density = reference.pdf(grid)
    assert law.peak == pytest.approx(density.max(), rel=1e-3)
    assert law.peak_by_size == pytest.approx((abs(grid) * density).max(), rel=1e-3)


def test_a_wide_discrete_gaussian_is_the_normal_law_within_the_margin() -> None:
    # The same law by the sum of its terms, just below the place where the sum is left.
    summed, sigma = IntegerGaussian(SUMMED), SUMMED * (1 + 1e-12)
    places = np.array([0, 1, 100, 5_000, 20_000, 40_000, 60_000])
    np.testing.assert_allclose(
        IntegerGaussian(sigma).above(places), summed.above(places), rtol=MARGIN
    )


def test_laws_scale_within_their_family() -> None:
    for text in ("laplace(scale=2)", "gaussian(sigma=2)", "discrete_gaussian(sigma=2)"):
        twice = declared_law(text).rescale(2)
        assert twice.scale == 4
        np.testing.assert_allclose(
            twice.above([1.0, 9.0]), declared_law(text.replace("2", "4")).above([1.0, 9.0])
        )
    assert declared_law("uniform(low=0, high=2)").rescale(2).above(2.5) == pytest.approx(1 / 8)


@pytest.mark.parametrize("text", ["gaussian(sigma=2)", "rounded_gaussian(sigma=2)"])
def test_the_loss_bounds_the_log_ratio_within_the_window(text: str) -> None:
    law, shift = declared_law(text), 3.0
    low, high = law.window(shift)
    places = np.linspace(low, high, 1001)
    normal = Gaussian(2.0)
    if law.discrete:
        places = np.arange(np.ceil(low), high)
        ends = places - 0.5, places + 0.5
        first, second = (
            normal.above(ends[0] - value) - normal.above(ends[1] - value) for value in (0, shift)
        )
        ratios = np.log(first / second)
    else:
        ratios = stats.norm(0, 2).logpdf(places) - stats.norm(shift, 2).logpdf(places)
    assert (
        0.5 * law.loss(shift, 0.0) < float(abs(ratios).max()) <= law.loss(shift, 0.0) * (1 + 1e-9)
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cauchy(scale=1)", "one of"),
        ("laplace", "such as laplace"),
        ("laplace()", "found nothing"),
        ("laplace(sigma=1)", "takes epsilon or scale"),
        ("laplace(scale=0)", "above 0"),
        ("laplace(scale=-1)", "above 0"),
        ("laplace(scale=one)", "name=number"),
        ("laplace(scale=1, scale=2)", "once"),
        ("laplace(epsilon=1, sensitivity=0)", "above 0"),
        ("uniform(low=1, high=1)", "below"),
        ("laplace(scale=1) + laplace(scale=1)", "such as"),
    ],
)
def test_unknown_laws_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        declared_law(text)


def test_what_is_no_law_is_refused() -> None:
    with pytest.raises(InputError, match="found float"):
        declared_law(1.0)
