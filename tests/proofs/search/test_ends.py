"""Tight composition: both ends of ε and δ hold the values of closed forms, and are close."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.errors import ProofError
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.search.ends import WIDTH, Bracket, enclose_delta, enclose_epsilon, methods_for, sides
from tests.proofs.closed_forms import (
    discrete_gaussian_delta,
    epsilon_at,
    gaussian_delta,
    mpf,
    responses_delta,
)

F = Fraction


def gaussian(sigma: str) -> Losses:
    return ((1, GaussianLoss(1 / F(sigma) ** 2)),)


def holds(found: Bracket, reference: str | mpmath.mpf, width: str) -> bool:
    """Whether a reference, but for its last printed digit, lies between two close ends."""
    slack = mpf("1e-16") * max(1, mpmath.mpf(reference))
    between = mpf(found.lower) - slack <= mpmath.mpf(reference) <= mpf(found.upper) + slack
    return between and found.upper - found.lower <= F(width)


@pytest.mark.parametrize(
    ("sigma", "delta", "epsilon"),
    [
        ("1", "1e-5", "4.3771780956812246"),
        ("1", "1e-6", "4.886554117462212"),
        ("1", "1e-10", "6.547924066864951"),
        ("2", "1e-6", "2.2540846502197409"),
        ("5", "1e-6", "0.83411754862405235"),
        ("0.5", "1e-9", "13.534772219165538"),
    ],
)
def test_the_epsilon_of_a_gaussian(sigma: str, delta: str, epsilon: str) -> None:
    with mpmath.workdps(40):
        found = enclose_epsilon(gaussian(sigma), F(delta))
        assert holds(found, epsilon, "1e-16")
        own = epsilon_at(lambda e: gaussian_delta(1 / F(sigma) ** 2, e), delta)
        assert mpf(found.lower) <= own <= mpf(found.upper)


@pytest.mark.parametrize("delta", ["1e-30", "1e-300", "1e-999", "0.3"])
def test_a_gaussian_is_resolved_at_every_delta(delta: str) -> None:
    with mpmath.workdps(60):
        found = enclose_epsilon(gaussian("1"), F(delta))
        own = epsilon_at(lambda e: gaussian_delta(1, e), delta)
        assert mpf(found.lower) <= own <= mpf(found.upper)
        assert found.upper - found.lower <= WIDTH


@pytest.mark.parametrize(
    ("own", "count", "optimal", "laplace"),
    [
        ("0.1", 10, "0.99937090572175872", "0.99897808944721984"),
        ("0.1", 30, "2.3458876930080366", "2.2978190230659152"),
        ("0.1", 100, "4.7745675881079862", "4.692667414680189"),
        ("0.5", 20, "9.9867978696401641", "9.670920161644649"),
    ],
)
def test_responses_and_laplace_noise_composed(
    own: str, count: int, optimal: str, laplace: str
) -> None:
    delta, size = F("1e-6"), F(own)
    with mpmath.workdps(40):
        for loss in (ResponseLoss(size), DiscreteLaplaceLoss(size, 1)):
            found = enclose_epsilon(((count, loss),), delta)
            assert found.method == "responses" and holds(found, optimal, "1e-16")
            exact = epsilon_at(lambda e: responses_delta(count, size, e), delta)
            assert mpf(found.lower) <= exact <= mpf(found.upper)
        found = enclose_epsilon(((count, LaplaceLoss(size)),), delta)
        assert found.method == "laplace" and holds(found, laplace, "1e-16")


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ("0.5", "0.064840028363119494"),
        ("1.5", "7.3355977464197937e-4"),
        ("2.5", "9.4649350214804958e-8"),
    ],
)
def test_the_delta_of_laplace_noise_thirty_times(epsilon: str, delta: str) -> None:
    found = enclose_delta(((30, LaplaceLoss(F("0.1"))),), F(epsilon))
    assert holds(found, delta, "1e-40")


@pytest.mark.parametrize(
    ("variance", "epsilon", "delta"),
    [
        ("1", "1", "0.14135133940562191"),
        ("1/4", "2", "0.10476484410989827"),
        ("100", "0.1", "0.0087623539239480945"),
        ("0.09", "1", "0.9857357077999525"),
    ],
)
def test_the_delta_of_a_discrete_gaussian(variance: str, epsilon: str, delta: str) -> None:
    with mpmath.workdps(40):
        assert mpmath.almosteq(
            discrete_gaussian_delta(variance, 1, epsilon), mpmath.mpf(delta), 1e-15
        )
        found = enclose_delta(((1, DiscreteGaussianLoss(F(variance), 1)),), F(epsilon))
        assert holds(found, delta, "1e-9")


@pytest.mark.parametrize(
    ("scale", "epsilon", "shift", "delta"),
    [("1", "0.5", 1, "0.28764913664496792"), ("5", "0.3", 4, "0.22410820605019391")],
)
def test_the_delta_of_a_discrete_laplace(scale: str, epsilon: str, shift: int, delta: str) -> None:
    found = enclose_delta(((1, DiscreteLaplaceLoss(1 / F(scale), shift)),), F(epsilon))
    assert holds(found, delta, "1e-9")


@pytest.mark.parametrize(
    ("fraction", "sigma", "epsilon", "delta"),
    [
        pytest.param("0.01", "1", "0.01", "0.0019002737053015712", marks=pytest.mark.slow),
        ("0.1", "2", "0.05", "0.0069070640722337869"),
    ],
)
def test_a_sampled_gaussian_is_as_bad_as_its_worse_side(
    fraction: str, sigma: str, epsilon: str, delta: str
) -> None:
    loss = SampledGaussianLoss(F(fraction), 1 / F(sigma) ** 2)
    assert sides(((1, loss),)) == ("remove", "add")
    found = enclose_delta(((1, loss),), F(epsilon))
    assert set(found.hints) == {"remove", "add"}
    assert holds(found, delta, "1e-7")


def test_the_method_is_the_narrowest_that_knows_the_losses() -> None:
    plain, response = LaplaceLoss(F(1)), ResponseLoss(F(1))
    first = {
        "gaussian": gaussian("1"),
        "laplace": ((300, plain),),
        "responses": ((5, response), (2, DiscreteLaplaceLoss(F(1), 1))),
        "lattice": ((301, plain),),
        "contour": ((1, GaussianLoss(F(1))), (1, plain)),
    }
    assert {name: methods_for(losses)[0] for name, losses in first.items()} == {
        name: name for name in first
    }
    sampled = SampledGaussianLoss(F(1, 2), F(1))
    exact = ("lattice", "values", "contour")
    assert methods_for(((1, response), (1, ResponseLoss(F(2))))) == exact
    fine = ResponseLoss(F(1 + 2**40, 2**40))
    assert methods_for(((1, response), (1, fine))) == ("values", "lattice", "contour")
    many = tuple((1, DiscreteGaussianLoss(F(v), 1)) for v in (211, 2003, 7919))
    assert methods_for(many) == ("contour", "lattice")
    assert methods_for(((1, sampled), (7, response))) == ("values", "contour")
    assert methods_for(((2, sampled),)) == methods_for(((1, plain), (1, sampled))) == ("contour",)


def test_losses_of_several_kinds_lie_between_what_they_are_between() -> None:
    delta = F("1e-6")
    both: Losses = ((20, LaplaceLoss(F("0.1"))), (20, DiscreteLaplaceLoss(F("0.1"), 1)))
    most = enclose_epsilon(((40, ResponseLoss(F("0.1"))),), delta)
    least = enclose_epsilon(((40, LaplaceLoss(F("0.1"))),), delta)
    found = enclose_epsilon(both, delta)
    assert least.lower < found.lower <= found.upper < most.upper
    assert found.upper - found.lower < F("1e-6")


@pytest.mark.parametrize(
    "loss",
    [
        DiscreteLaplaceLoss(F(1, 10**13), 10**12),
        DiscreteGaussianLoss(F(10**26), 10**12),
        SampledGaussianLoss(F(1, 10**300), F(1)),
    ],
    ids=["laplace", "gaussian", "sampled"],
)
def test_losses_beyond_a_search_are_refused_at_once(loss: object) -> None:
    with pytest.raises(ProofError, match=r"values|rate"):
        enclose_epsilon(((3, loss),), F("1e-6"))


def test_at_delta_zero_the_largest_losses_add_up() -> None:
    losses: Losses = (
        (2, LaplaceLoss(F("0.5"))),
        (3, ResponseLoss(F("0.1"))),
        (4, DiscreteLaplaceLoss(F("0.2"), 3)),
    )
    found = enclose_epsilon(losses, F(0))
    assert found.lower == found.upper == 1 + F("0.3") + F("2.4")
    for unbounded in (GaussianLoss(F(1)), ResponseLoss(F(1), F("1e-9"))):
        with pytest.raises(ProofError, match="delta = 0"):
            enclose_epsilon(((1, unbounded),), F(0))


def test_no_losses_tell_nothing() -> None:
    assert enclose_epsilon((), F("1e-6")).upper == 0
    assert enclose_delta((), F(1)).upper == 0


def test_many_runs_have_no_closed_form_and_are_enclosed_all_the_same() -> None:
    found = enclose_epsilon(((400, LaplaceLoss(F("0.01"))),), F("1e-6"))
    upper = enclose_epsilon(((400, ResponseLoss(F("0.01"))),), F("1e-6"))
    assert found.method == "lattice"
    assert 0 < found.lower <= found.upper < upper.upper
    assert found.upper - found.lower < F("1e-6")
