"""Calibrated noise costs what was wanted: each function inverts the matching cost."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.calibration import exponential_rate, gaussian_variance, laplace_scale
from synthesizers.errors import InputError
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import Sensitivity
from synthesizers.selection import Exponential

WANTED = [Fraction(1, 7), Fraction(2), 3]


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("norms", [(1, 1, 1), (6, 18, 3)])
def test_inverses(wanted: Fraction, monotone: bool, norms: tuple[int, int, int]) -> None:
    sensitivity = Sensitivity(*norms, monotone)
    for make in (DiscreteLaplace, RoundedLaplace):
        assert make(laplace_scale(wanted, sensitivity)).cost(sensitivity).epsilon == wanted
    gaussian = DiscreteGaussian(gaussian_variance(wanted, sensitivity))
    assert gaussian.cost(sensitivity).rho == wanted
    chosen = Exponential(exponential_rate(wanted, sensitivity))
    assert chosen.cost(sensitivity).epsilon == wanted


def test_floats_do_not_slip_through() -> None:
    sensitivity = Sensitivity(1, 1, 1, True)
    with pytest.raises(InputError):
        DiscreteLaplace(laplace_scale(0.1, sensitivity))
    with pytest.raises(InputError):
        Exponential(exponential_rate(0.1, sensitivity))
