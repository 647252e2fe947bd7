"""Moments of a Gaussian on a sample of a fixed size, by integrals."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs import checker
from proofs.errors import ProofError
from proofs.losses import FixedSizeLoss
from proofs.profiles.fixed_size_moments import MAX_ORDER, fixed_size_moment

F = Fraction
wide = mpmath.mp.clone()
wide.dps = 25


def exact(value: Fraction) -> mpmath.mpf:
    return wide.mpf(value.numerator) / value.denominator


def integrated(q: str, mu: str, order: int) -> mpmath.mpf:
    """ln of the three parts of E[e^(cL)]."""
    fraction, m = wide.mpf(q), wide.mpf(mu)

    def ratio(x: mpmath.mpf) -> mpmath.mpf:
        return 1 - fraction + fraction * wide.exp(m * x - m * m / 2)

    def integral(power: int) -> mpmath.mpf:
        ends = [m / 2 + i for i in (0, 1, 2, 4, 8, 16, 32, 40 + m * order)]
        return wide.quad(lambda x: wide.npdf(x) * ratio(x) ** power, ends)

    rest = 1 - integral(1) - integral(0)
    return wide.log(integral(1 + order) + integral(-order) + rest)


@pytest.mark.parametrize(
    ("q", "mu", "order", "slack"),
    [("0.01", "1", 3, "2e-5"), ("0.01", "0.5", 20, "1e-8"), ("0.25", "1", 5, "2e-4")],
)
def test_moments_are_at_least_their_integrals(q: str, mu: str, order: int, slack: str) -> None:
    found = fixed_size_moment(FixedSizeLoss(F(q), F(mu) ** 2), F(order))
    slow = integrated(q, mu, order)
    assert found.lower == 0 and slow <= exact(found.upper) <= slow + wide.mpf(slack)


def test_moments_between_integers_lie_below_the_line() -> None:
    loss = FixedSizeLoss(F(1, 10), F(1))
    ends = [fixed_size_moment(loss, F(c)).upper for c in (2, 3)]
    assert fixed_size_moment(loss, F(5, 2)).upper == sum(ends) / 2


def test_orders_have_a_limit() -> None:
    with pytest.raises(ProofError, match="order of at most"):
        fixed_size_moment(FixedSizeLoss(F(1, 2), F(1)), F(MAX_ORDER + 1))


@pytest.mark.parametrize("order", [1, 2, 9, 40])
def test_the_checker_finds_the_same(order: int) -> None:
    loss, data = FixedSizeLoss(F(1, 50), F(1, 2)), {"fraction": F(1, 50), "mu_squared": F(1, 2)}
    theirs = checker._fixed_size_moment(data, order + 1, 192)
    assert abs(theirs - fixed_size_moment(loss, F(order)).upper) < F(1, 10**25)
