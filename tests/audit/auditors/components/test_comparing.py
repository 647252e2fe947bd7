"""Losses are compared with claims by closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.stats import norm

from audit.auditors.components.comparing import violates
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.losses import GaussianLoss, LaplaceLoss, ResponseLoss

UNIT = (LaplaceLoss(Fraction(1)),)
NORMAL = (GaussianLoss(Fraction(1, 4)),)


def test_pure_losses_add_up():
    both = (*UNIT, LaplaceLoss(Fraction(1, 2)))
    assert violates(both, 0, ApproxDP(Fraction(149, 100)))
    assert not violates(both, 0, ApproxDP(Fraction(3, 2)))
    assert violates(NORMAL, 0, ApproxDP(Fraction(100)))


def test_normal_noise_is_judged_by_its_exact_delta():
    """Balle & Wang 2018, Theorem 8."""
    exact = norm.cdf(0.5 / 2 - 1 / 0.5) - math.e * norm.cdf(-0.5 / 2 - 1 / 0.5)
    assert violates(NORMAL, 0, ApproxDP(Fraction(1), Fraction(exact * 0.999)))
    assert not violates(NORMAL, 0, ApproxDP(Fraction(1), Fraction(exact * 1.001)))


def test_laplace_noise_is_judged_by_its_exact_delta():
    """One loss of ε₀ = 1 at ε = 1/2: δ = 1 - e^((ε - ε₀)/2)."""
    exact = 1 - math.exp(-0.25)
    assert violates(UNIT, 0, ApproxDP(Fraction(1, 2), Fraction(exact * 0.999)))
    assert not violates(UNIT, 0, ApproxDP(Fraction(1, 2), Fraction(exact * 1.001)))


def test_mixed_noise_is_judged_by_its_whole_curve():
    """Neither kind alone reaches the δ of both."""
    claim = ApproxDP(Fraction(1), Fraction(1, 50))
    assert not violates(UNIT, 0, claim)
    assert not violates(NORMAL, 0, claim)
    assert violates((*UNIT, *NORMAL), 0, claim)


def test_renyi_claims_are_judged_by_closed_forms():
    """Mironov 2017, Propositions 6 and 7, at order 2."""
    exact = math.log(2 / 3 * math.exp(1) + 1 / 3 * math.exp(-2))
    assert violates(UNIT, 0, RenyiDP(Fraction(2), Fraction(exact * 0.999)))
    assert not violates(UNIT, 0, RenyiDP(Fraction(2), Fraction(exact * 1.001)))
    assert violates(UNIT, 0, ZCDP(Fraction(1, 100)))
    assert not violates(UNIT, 0, ZCDP(Fraction(1, 2)))


def test_gaussian_claims_are_judged_by_squares_and_curves():
    assert violates(NORMAL, 0, GaussianDP(Fraction(49, 100)))
    assert not violates(NORMAL, 0, GaussianDP(Fraction(1, 2)))
    assert violates((*NORMAL, ResponseLoss(Fraction(1))), 0, GaussianDP(Fraction(1, 2)))


@pytest.mark.parametrize(
    "claim", [ApproxDP(Fraction(9)), ZCDP(Fraction(9)), GaussianDP(Fraction(9))]
)
def test_a_leak_violates_what_has_no_delta_for_it(claim):
    assert violates((), 0.1, claim)
    assert not violates((), 0.1, ApproxDP(Fraction(1), Fraction(1, 10)))


@pytest.mark.parametrize("epsilon", ["1/3", "0.1", "0.007"])
def test_parameters_that_no_double_holds_are_no_violation(epsilon):
    exact = Fraction(epsilon)
    loss = LaplaceLoss(1 / Fraction(1 / float(exact)))
    assert not violates((loss,), 0, ApproxDP(exact))
    assert violates((loss,), 0, ApproxDP(exact * Fraction(999, 1000)))
