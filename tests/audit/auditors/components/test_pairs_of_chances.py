"""Losses of choices by sums over all outcomes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import norm

from audit.auditors.components.comparing import may_violate, violates
from audit.auditors.components.pairs_of_chances import (
    delta_of,
    multiply,
    renyi_of,
    state_chances,
)
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.losses import GaussianLoss, LaplaceLoss

ONE = state_chances([0.5, 0.3, 0.2], [0.2, 0.5, 0.3])
OTHER = state_chances([0.9, 0.1, 0.0], [0.6, 0.3, 0.1])
EPSILON = 0.3


def test_the_product_has_the_profile_of_all_pairs_of_outcomes():
    pairs = list(product(ONE.outcomes, OTHER.outcomes))
    expected = sum(max(0, p * r - math.exp(EPSILON) * q * s) for (p, q), (r, s) in pairs)
    found = multiply([ONE, OTHER])
    assert found is not None
    assert delta_of(found, EPSILON, None) == pytest.approx(expected, rel=1e-12)


def test_beside_normal_noise_each_outcome_has_its_own_threshold():
    """By the sum of p·δ of each outcome, with the closed form of Balle & Wang 2018, Theorem 8."""

    def profile(epsilon):
        near, far = 1 / 2 - epsilon, -1 / 2 - epsilon
        return norm.cdf(near) - math.exp(epsilon) * norm.cdf(far)

    exact = sum(p * profile(EPSILON - math.log(p / q)) for p, q in ONE.outcomes)
    turned = sum(q * profile(EPSILON - math.log(q / p)) for p, q in ONE.outcomes)
    worst = max(exact, turned)
    losses = (ONE, GaussianLoss(Fraction(1)))
    epsilon = Fraction(EPSILON)
    for share, against in ((0.9999, True), (1.0001, False)):
        claim = ApproxDP(epsilon, Fraction(worst * share))
        assert violates(losses, 0, claim) is against
        assert may_violate(losses, 0, claim) is against


def test_divergences_add_up():
    order = 3.0
    exact = math.log(sum(p**order * q ** (1 - order) for p, q in ONE.outcomes)) / (order - 1)
    assert renyi_of(ONE, order) == pytest.approx(exact)
    worst = 2 * max(renyi_of(ONE, order), renyi_of(ONE.turned, order))
    for share, against in ((0.999, True), (1.001, False)):
        claim = RenyiDP(Fraction(3), Fraction(worst * share))
        assert violates((ONE, ONE), 0, claim) is against


@pytest.mark.parametrize(
    "claim", [ApproxDP(Fraction(9)), ZCDP(Fraction(9)), GaussianDP(Fraction(1, 10))]
)
def test_what_has_no_chance_on_one_side_breaks_claims(claim):
    assert violates((OTHER,), 0, claim)
    assert not violates((OTHER,), 0, ApproxDP(Fraction(9), Fraction(1, 10)))


def test_pure_losses_add_up():
    both = (ONE, LaplaceLoss(Fraction(1)))
    total = 1 + math.log(0.5 / 0.2)
    assert violates(both, 0, ApproxDP(Fraction(total * 0.999)))
    assert not may_violate(both, 0, ApproxDP(Fraction(total * 1.001)))


def test_what_nobody_can_compare_is_no_violation_and_not_kept():
    many = state_chances([0.5 + k for k in range(300)], [1.0 + k**0.5 for k in range(300)])
    claim = ApproxDP(Fraction(1), Fraction(1, 2))
    assert not violates((many, many, many), 0, claim)
    assert may_violate((many, many, many), 0, claim)
