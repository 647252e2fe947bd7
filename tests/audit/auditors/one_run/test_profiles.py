"""Profiles of claims: each δ is one that the claim implies, rounded up."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from audit.auditors.one_run.profiles import bound_deltas, find_width
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP

EPSILONS = np.array([0.0, 0.1, 0.5, 1.0, 3.0, 8.0, 30.0])


def gaussian(mu: float, epsilon: float) -> mp.mpf:
    """Of N(0, 1) and N(μ, 1), in 60 digits."""
    with mp.workdps(60):
        e, m = mp.mpf(epsilon), mp.mpf(mu)
        return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)


@pytest.mark.parametrize("mu", [0.01, 0.2, 1.0, 5.0])
def test_gaussian_profile_lies_just_above_the_exact_one(mu: float) -> None:
    found = bound_deltas(GaussianDP(Fraction(1)), mu, EPSILONS)
    for epsilon, delta in zip(EPSILONS.tolist(), found.tolist(), strict=True):
        exact = gaussian(mu, epsilon)
        assert delta >= exact
        if exact > 1e-300:
            assert delta <= exact * (1 + mp.mpf("1e-6"))


@pytest.mark.parametrize("rho", [0.005, 0.5, 2.0])
def test_what_a_gaussian_keeps_is_no_more_than_its_rho_or_its_rdp_says(rho: float) -> None:
    mu, order = float(np.sqrt(2 * rho)), 4
    exact = [float(gaussian(mu, epsilon)) for epsilon in EPSILONS.tolist()]
    assert (bound_deltas(ZCDP(Fraction(1)), rho, EPSILONS) >= exact).all()
    renyi = RenyiDP(Fraction(order), Fraction(1))
    assert (bound_deltas(renyi, order * rho, EPSILONS) >= exact).all()


def test_an_epsilon_says_nothing_below_itself() -> None:
    claim = ApproxDP(Fraction(1), Fraction(1, 1000))
    found = bound_deltas(claim, 1.0, np.array([0.5, 1.0, 2.0])).tolist()
    assert found[0] == 1 and 1e-3 <= found[1] == found[2] < 1.0001e-3
    assert bound_deltas(ApproxDP(Fraction(1)), 1.0, np.array([1.0])).tolist() == [0.0]


@pytest.mark.parametrize("order", ["1.0000000000000000000001", "1.000001", "1e7", "1e12", "1e400"])
def test_orders_beyond_doubles_say_no_more_than_the_exact_formula(order: str) -> None:
    found = bound_deltas(RenyiDP(Fraction(order), Fraction(1)), 1.0, EPSILONS)
    with mp.workdps(60):
        alpha = mp.mpf(order)
        # Canonne, Kamath & Steinke (2020), Proposition 12.
        exact = [
            min(mp.mpf(1), mp.exp((alpha - 1) * (1 - mp.mpf(e) + mp.log(1 - 1 / alpha))) / alpha)
            for e in EPSILONS.tolist()
        ]
    assert all(delta >= one for delta, one in zip(found.tolist(), exact, strict=True))
    assert not np.isnan(found).any()


def test_nothing_leaks_at_mu_0() -> None:
    assert not bound_deltas(GaussianDP(Fraction(0)), 0.0, EPSILONS).any()


def test_widths_are_those_of_the_gaussian() -> None:
    assert find_width(GaussianDP(Fraction(1)), 0.7) == 0.7
    assert find_width(ZCDP(Fraction(1)), 0.5) == pytest.approx(1)
    assert find_width(RenyiDP(Fraction(4), Fraction(1)), 2.0) == pytest.approx(1)
    assert find_width(ApproxDP(Fraction(1)), 1.0) == 0
