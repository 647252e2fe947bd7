"""Calibrated noise costs what was wanted: each function inverts the matching cost."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.guarantees import ApproxDP
from proofs.kernel import prove
from proofs.parts import Part
from proofs.search.best import settle, strongest
from synthesizers.calibration import (
    exponential_rate,
    gaussian_variance,
    laplace_scale,
    zcdp_rho,
)
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove
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


EPSILONS = [Fraction(e) for e in ("0.01", "0.1", "0.5", "1", "3", "8", "20")]
DELTAS = [Fraction(d) for d in ("1e-3", "1e-6", "1e-9", "1e-15")]


def least_log_delta(rho: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """ln δ of ρ-zCDP at its best order: where the derivative, which increases, is 0."""
    with mpmath.workdps(60):
        r, limit = (mpmath.mpf(x.numerator) / x.denominator for x in (rho, epsilon))
        low, high = mpmath.mpf(-80), mpmath.mpf(80)
        for _ in range(250):
            middle = (low + high) / 2
            order = 1 + mpmath.exp(middle)
            rises = (2 * order - 1) * r - limit + mpmath.log1p(-1 / order) > 0
            low, high = (low, middle) if rises else (middle, high)
        order = 1 + mpmath.exp(low)
        gain = order * mpmath.log1p(-1 / order) - mpmath.log(order - 1)
        return (order - 1) * (order * r - limit) + gain


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_rho_is_the_largest_and_never_larger(epsilon: Fraction, delta: Fraction) -> None:
    rho = zcdp_rho(epsilon, delta)
    with mpmath.workdps(60):
        wanted = mpmath.log(mpmath.mpf(delta.numerator) / delta.denominator)
        assert least_log_delta(rho, epsilon) < wanted
        assert least_log_delta(rho * (1 + Fraction(1, 10**7)), epsilon) > wanted
    assert proved(rho, epsilon, delta)
    assert not proved(rho * (1 + Fraction(1, 10**7)), epsilon, delta)


def proved(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the kernel proves the claim of a mechanism that is ρ-zCDP."""
    stated = {"kind": "zcdp", "rho": str(rho)}
    given_ = {"neighbours": AddRemove(), "mechanism": "noisy marginals", "guarantee": stated}
    losses = prove("as-losses", [prove("stated-guarantee", [], given_)])
    one = Part("noisy marginals", 1, losses)
    claim = ApproxDP(epsilon, delta)
    return settle(strongest([one], claim), claim, AddRemove()) is not None


@given(
    epsilon=st.fractions(Fraction(1, 100), 20, max_denominator=1000),
    delta=st.floats(3, 15).map(lambda x: Fraction(10**-x).limit_denominator(10**18)),
)
def test_the_kernel_proves_what_a_rho_is_made_for(epsilon: Fraction, delta: Fraction) -> None:
    assert proved(zcdp_rho(epsilon, delta), epsilon, delta)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0, Fraction(1, 9)), (-1, Fraction(1, 9)), (1, 0), (1, 1), (1, 2)]
)
def test_a_rho_needs_an_epsilon_and_a_delta(epsilon: int, delta: Fraction) -> None:
    with pytest.raises(InputError, match="epsilon > 0 and 0 < delta < 1"):
        zcdp_rho(Fraction(epsilon), Fraction(delta))
