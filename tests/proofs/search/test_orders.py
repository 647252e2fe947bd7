"""Orders: the best single one, and the conversions at it."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.entries import NoiseLoss, RenyiCurve
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.losses import GaussianLoss, SampledGaussianLoss
from proofs.parts import entries_of
from proofs.search.orders import (
    MOST_SAMPLED,
    best_moment,
    best_order,
    best_order_at,
    convert,
    convert_to_delta,
    renyi_value,
)
from proofs.search.ways import compose
from synthesizers.neighbours import AddRemove
from tests.proofs.closed_forms import mpf, zcdp_epsilon

F = Fraction


@pytest.mark.parametrize("rho", ["1e-14", "1e-6", "0.01", "0.5", "5", "1000", "1e12"])
@pytest.mark.parametrize("delta", ["0.1", "1e-6", "1e-30"])
def test_the_best_order_is_as_good_as_that_of_a_fine_grid(rho: str, delta: str) -> None:
    order = best_order(lambda at: at * float(F(rho)), F(delta))
    assert order > 1
    with mpmath.workdps(40):
        found = convert(order * F(rho), order, F(delta))
        best = zcdp_epsilon(rho, delta)
        assert found - best <= mpmath.mpf("1e-9") * max(abs(best), 1)


@pytest.mark.parametrize("epsilon", ["1", "3.3", "40"])
def test_an_epsilon_and_its_delta_are_converted_back_and_forth(epsilon: str) -> None:
    order = best_order_at(lambda at: at * 0.5, F(epsilon))
    with mpmath.workdps(40):
        delta = convert_to_delta(order / 2, order, F(epsilon))
        assert 0 < delta < 1
        back = convert(order / 2, order, F(mpmath.nstr(delta, 35)))
        assert abs(back - mpf(epsilon)) < mpmath.mpf("1e-30")


def test_divergences_add_up_and_are_rounded_up() -> None:
    laplace_noise = NoiseLoss("laplace", F(2), 1, F(1), F(1), F(1))
    losses = ((1, GaussianLoss(F(1, 4))), (3, laplace_noise))
    with mpmath.workdps(40):
        # Mironov 2017, Propositions 6 and 7.
        a, e = mpmath.mpf(5) / 2, mpmath.mpf(1) / 2
        gaussian = a / 8
        rising, falling = mpmath.exp((a - 1) * e), mpmath.exp(-a * e)
        laplace = mpmath.log((a * rising + (a - 1) * falling) / (2 * a - 1)) / (a - 1)
        excess = mpf(renyi_value(losses, F(5, 2))) - (gaussian + 3 * laplace)
        assert 0 <= excess < mpmath.mpf("1e-18")


@pytest.mark.parametrize(
    "text",
    [
        "poisson(q=0.01, gaussian(sigma=2))",
        pytest.param("poisson(q=1e-9, gaussian(sigma=100))", marks=pytest.mark.slow),
    ],
)
def test_sampled_losses_are_looked_at_at_whole_orders_that_the_checker_knows(text: str) -> None:
    entries = entries_of(compose(of_terms(parse(text), AddRemove())))
    assert any(isinstance(entry, SampledGaussianLoss) for _, entry in entries)
    order, divergence = best_moment(entries, F("1e-6"))
    assert order.denominator == 1 and 2 <= order <= MOST_SAMPLED
    assert divergence == renyi_value(entries, order) > 0


def test_curves_are_looked_at_at_the_orders_that_they_list() -> None:
    curve = RenyiCurve(((F(3), F(1)), (F(9), F(2)), (F(30), F(9))))
    order, divergence = best_moment(((1, curve), (1, GaussianLoss(F(1, 9)))), F("1e-6"))
    assert (order, divergence) == (F(9), F(5, 2))
