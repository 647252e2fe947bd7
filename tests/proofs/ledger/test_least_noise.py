"""The least noise: it suffices by a theorem, and one unit less does not."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.guarantees import ApproxDP, Guarantee, parse_guarantee
from proofs.implication import implies
from proofs.ledger.expressions import Term
from proofs.ledger.least_noise import DIGITS, MORE_NOISE_IS_LARGER, Calibrated, calibrate_noise
from proofs.ledger.terms import of_terms
from proofs.search.account import account_epsilon
from proofs.search.best import settle, strongest
from proofs.search.decimals import power_of_ten
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.proofs.closed_forms import gaussian_delta, mpf

F = Fraction


def found(
    name: str, claim: str, count: int = 1, sensitivity: str = "1", at: Neighbours | None = None
) -> Calibrated:
    return calibrate_noise(name, parse_guarantee(claim), count, F(sensitivity), at or AddRemove())


def suffices(term: Term, claimed: Guarantee, at: Neighbours) -> bool:
    """By the accountant of an epsilon, which the search does not use where δ > 0."""
    parts = of_terms([term], at)
    if isinstance(claimed, ApproxDP):
        return account_epsilon(parts, claimed.delta).best.value <= claimed.epsilon
    return settle(strongest(parts, claimed), claimed, at) is not None


CASES = [
    ("gaussian", "epsilon=1, delta=1e-6", 1000, "1"),
    ("gaussian", "epsilon=1, delta=1e-300", 1, "1"),
    ("gaussian", "rho=0.5", 7, "3"),
    ("gaussian", "mu=1", 2, "1/3"),
    ("gaussian", "alpha=8, rdp=2", 1, "1"),
    ("laplace", "epsilon=1", 10, "1"),
    ("laplace", "epsilon=1, delta=1e-6", 20, "2"),
    ("laplace", "rho=0.5", 3, "1"),
    ("laplace", "mu=1", 3, "1"),
    ("laplace", "alpha=3, rdp=1/2", 3, "1"),
    ("discrete_laplace", "epsilon=1/3", 1, "2"),
    ("discrete_laplace", "epsilon=1, delta=1e-6", 20, "1"),
    ("discrete_gaussian", "rho=0.1", 10, "2"),
    ("discrete_gaussian", "epsilon=1, delta=1e-6", 10, "1"),
    ("randomized_response", "epsilon=1, delta=1e-9", 50, "1"),
    ("randomized_response", "epsilon=1", 3, "1"),
    ("exponential", "epsilon=1", 3, "1"),
    ("exponential", "rho=0.5", 3, "1"),
    ("exponential", "epsilon=1, delta=1e-6", 100, "1"),
]


@pytest.mark.parametrize(("name", "claim", "count", "sensitivity"), CASES)
def test_it_suffices_and_one_unit_less_does_not(
    name: str, claim: str, count: int, sensitivity: str
) -> None:
    claimed, result = parse_guarantee(claim), found(name, claim, count, sensitivity)
    assert implies(result.offer.theorem, claimed, AddRemove())
    value = result.value
    unit = F(10) ** (power_of_ten(value) - DIGITS + 1)
    assert (value / unit).denominator == 1 and result.term.count == count
    less = value - unit if MORE_NOISE_IS_LARGER[name][1] else value + unit
    parameters = {**result.term.parameters, result.parameter: less}
    assert not suffices(Term(count, name, parameters), claimed, AddRemove())


def test_gaussian_noise_is_that_of_the_closed_form() -> None:
    sigma = found("gaussian", "epsilon=1, delta=1e-6", 1000).value
    with mpmath.workdps(30):
        low, high = mpmath.mpf(1), mpmath.mpf(1000)
        for _ in range(90):
            middle = (low + high) / 2
            enough = gaussian_delta(1000, mpmath.mpf(0)) and (
                _delta(1000 / middle**2) <= mpmath.mpf("1e-6")
            )
            low, high = (low, middle) if enough else (middle, high)
        assert 0 <= mpf(sigma) - high <= mpmath.mpf("0.001")


def _delta(mu_squared: mpmath.mpf) -> mpmath.mpf:
    return gaussian_delta(F(mpmath.nstr(mu_squared, 28)), mpmath.mpf(1))


def test_noise_grows_with_the_sensitivity() -> None:
    for sensitivity in ("1e-400", "1e-9", "1000", "1e400"):
        assert found("laplace", "epsilon=2", 1, sensitivity).value == F(sensitivity) / 2


def test_the_theorem_is_under_the_stated_neighbours() -> None:
    person = ReplaceOne(Unit("person", 3))
    result = found("laplace", "epsilon=1", 1, "6", person)
    assert result.value == 6
    assert implies(result.offer.theorem, parse_guarantee("epsilon=1"), person)


@pytest.mark.parametrize(
    ("name", "claim", "sensitivity"),
    [
        ("gaussian", "epsilon=1", "1"),
        ("laplace", "epsilon=0", "1"),
        ("laplace", "epsilon=1e12", "1"),
        ("laplace", "epsilon=1", "0"),
        ("laplace", "epsilon=1", "-1"),
        ("exponential", "epsilon=1", "2"),
        ("discrete_laplace", "epsilon=1", "1/2"),
        ("discrete_gaussian", "mu=1", "1"),
        ("triangular", "epsilon=1", "1"),
        ("pure", "epsilon=1", "1"),
    ],
)
def test_what_cannot_be_calibrated_is_said_in_a_sentence(
    name: str, claim: str, sensitivity: str
) -> None:
    with pytest.raises(InputError) as refused:
        found(name, claim, 1, sensitivity)
    assert len(str(refused.value)) < 200
