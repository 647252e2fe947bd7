"""The profile of Gaussian losses."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.losses import GaussianLoss, LaplaceLoss
from proofs.profiles.gaussian import delta
from synthesizers.intervals import Interval
from tests.proofs.profiles.slow_profiles import (
    gaussian_profile,
    holds,
    mp,
    passes,
    relative_width,
    wide,
)

F = Fraction


def profile(mu_squared: Fraction, epsilon: Fraction) -> Interval:
    return delta(((1, GaussianLoss(mu_squared)),), "remove", epsilon, {})


@pytest.mark.parametrize(
    ("sigma", "epsilon", "expected"),
    [
        ("1", "0", ".38292492254802621"),
        ("1", "1", ".12693673750664395"),
        ("1", "5", "5.7937216919194941e-7"),
        ("2", ".5", ".052440323287669662"),
        (".5", "4", ".084953318671071063"),
    ],
)
def test_deltas_are_the_printed_ones(sigma: str, epsilon: str, expected: str) -> None:
    found = profile(1 / F(sigma) ** 2, F(epsilon))
    assert abs(found.lower - F(expected)) <= F(expected) * F(1, 10**16)
    assert relative_width(found) < F(1, 10**40)


@pytest.mark.parametrize(
    ("sigma", "target", "epsilon", "unit"),
    [
        ("1", "1e-5", "4.3771780956812246", "1e-16"),
        ("1", "1e-6", "4.886554117462212", "1e-15"),
        ("1", "1e-10", "6.547924066864951", "1e-15"),
        ("2", "1e-6", "2.2540846502197409", "1e-16"),
        ("5", "1e-6", ".83411754862405235", "1e-17"),
        (".5", "1e-9", "13.534772219165538", "1e-15"),
    ],
)
def test_epsilons_are_the_printed_ones(sigma: str, target: str, epsilon: str, unit: str) -> None:
    assert passes(lambda at: profile(1 / F(sigma) ** 2, at), epsilon, F(target), unit)


@settings(max_examples=12, deadline=None)
@given(
    st.fractions("1/100", 30, max_denominator=1000),
    st.fractions(0, 20, max_denominator=1000),
)
def test_delta_is_the_integral_of_the_densities(squared: Fraction, epsilon: Fraction) -> None:
    with wide.workdps(35):
        integral = gaussian_profile(wide.sqrt(mp(squared)), mp(epsilon))
    found = profile(squared, epsilon)
    assert holds(found, integral, "1e-20")
    assert relative_width(found) < F(1, 10**35)


@pytest.mark.parametrize(("mu", "epsilon"), [("0.001", "0.037"), ("1", "37"), ("1e-9", "2e-8")])
def test_a_tiny_delta_keeps_its_digits(mu: str, epsilon: str) -> None:
    found = profile(F(mu) ** 2, F(epsilon))
    assert holds(found, gaussian_profile(mp(mu), mp(epsilon)), "1e-20")
    assert relative_width(found) < F(1, 10**25)


def test_a_delta_of_1e_300_keeps_its_digits() -> None:
    found = profile(F(1, 10**6), F("0.037"))
    assert F(1, 10**304) < found.lower < F(1, 10**300)
    assert relative_width(found) < F(1, 10**40)


def test_losses_are_one_loss_of_the_sum_of_the_squares() -> None:
    parts = ((4, GaussianLoss(F(1, 10))), (3, GaussianLoss(F(1, 5))), (1, GaussianLoss(F(0))))
    assert delta(parts, "add", F(1), {}) == profile(F(1), F(1))


def test_no_loss_has_no_delta() -> None:
    assert delta((), "remove", F(0), {}).is_zero
    assert delta(((5, GaussianLoss(F(0))),), "remove", F(0), {}).is_zero


def test_an_epsilon_far_beyond_the_loss_is_tiny_and_no_error() -> None:
    found = profile(F(1, 10**8), F(1))
    assert found.lower == 0 and 0 < found.upper < F(1, 10**300)


def test_a_huge_loss_is_almost_one() -> None:
    found = profile(F(10**6), F(1))
    assert 1 - F(1, 10**30) < found.lower <= found.upper <= 1


def test_other_losses_are_refused() -> None:
    with pytest.raises(ProofError, match="laplace"):
        delta(((1, LaplaceLoss(F(1))),), "remove", F(1), {})
