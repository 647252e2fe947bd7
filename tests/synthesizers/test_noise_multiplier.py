"""Noise for sampled steps: the moments by quadrature, and what the kernel proves of it."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.guarantees import ApproxDP
from proofs.ledger.programs import of_budget
from proofs.search.ways import renyi
from synthesizers.budget import SampledGaussianBudget
from synthesizers.calibration import _sampled_epsilon, noise_multiplier
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

F = Fraction


@pytest.mark.parametrize(
    ("order", "rate", "sigma"), [(2, 0.3, 1.0), (5, 0.01, 0.7), (17, 0.2, 3.0)]
)
def test_moments_are_those_of_quadrature(order: int, rate: float, sigma: float) -> None:
    def ratio(x: mpmath.mpf) -> mpmath.mpf:
        power = mpmath.exp((x - mpmath.mpf(1) / 2) / sigma**2)
        return mpmath.npdf(x, 0, sigma) * (1 - rate + rate * power) ** order

    with mpmath.workdps(30):
        moment = mpmath.log(mpmath.quad(ratio, [-20 * sigma, 0, order, order + 20 * sigma]))
        gain = order * mpmath.log1p(-1 / mpmath.mpf(order)) - mpmath.log(order - 1) + 7
        wanted = (40 * moment + gain) / (order - 1)
    assert _sampled_epsilon(order, rate, sigma, 40, -7.0) == pytest.approx(float(wanted), rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rate", "steps"),
    [
        (F(1), F(1, 10**9), F(64, 48842), 1000),
        (F(1, 10), F(1, 10**6), F(1, 50), 500),
        (F(8), F(1, 10**5), F(1, 20), 300),
        (F(1), F(1, 100), F(1, 2), 2),
    ],
)
def test_the_kernel_proves_the_claim_at_the_noise_found_and_not_at_less(
    epsilon: Fraction, delta: Fraction, rate: Fraction, steps: int
) -> None:
    multiplier = noise_multiplier(epsilon, delta, rate, steps)

    def proved(sigma: Fraction) -> Fraction:
        found = of_budget(SampledGaussianBudget(rate, 1 / sigma**2, steps), AddRemove(), {})
        assert found is not None
        offer = renyi(found, delta)
        assert offer is not None and not offer.kernel_only
        assert ApproxDP(offer.value, delta)
        return offer.value

    assert epsilon * F(95, 100) <= proved(multiplier) <= epsilon
    assert proved(multiplier * F(9, 10)) > epsilon


@pytest.mark.parametrize(
    "wrong", [(0, 0.1, 0.5, 1), (1, 0, 0.5, 1), (1, 0.1, 1, 1), (1, 0.1, 0.5, 0)]
)
def test_impossible_wishes_are_refused(wrong: tuple[float, float, float, int]) -> None:
    epsilon, delta, rate, steps = wrong
    with pytest.raises(InputError):
        noise_multiplier(F(epsilon), F(delta), F(rate), steps)
