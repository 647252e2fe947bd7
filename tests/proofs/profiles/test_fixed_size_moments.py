"""Moments of a Gaussian on a sample of a fixed size, by integrals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs import checker
from proofs.errors import ProofError
from proofs.losses import FixedSizeLoss
from proofs.profiles.fixed_size_moments import MAX_ORDER, fixed_size_moment
from tests.proofs.profiles import slow_profiles
from tests.proofs.profiles.slow_profiles import mp, wide

F = Fraction


@pytest.mark.parametrize(
    ("q", "mu", "order", "slack"),
    [("0.01", "1", 3, "2e-5"), ("0.01", "0.5", 20, "1e-8"), ("0.25", "1", 5, "2e-4")],
)
def test_moments_are_at_least_their_integrals(q: str, mu: str, order: int, slack: str) -> None:
    found = fixed_size_moment(FixedSizeLoss(F(q), F(mu) ** 2), F(order))
    slow = slow_profiles.fixed_size_moment(F(q), mp(mu), mp(order))
    assert found.lower == 0 and slow <= mp(found.upper) <= slow + wide.mpf(slack)


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
