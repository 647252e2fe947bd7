"""Moments of losses, and the bound on the profile that follows from one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.entries import ConcentratedLoss, Entries, NoiseLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.losses import (
    SIDES,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
)
from proofs.profiles import gaussian, responses
from proofs.profiles.entry_moments import divergence
from proofs.profiles.moment import delta
from proofs.profiles.moments import log_moment
from synthesizers.intervals import Interval
from tests.proofs.profiles.slow_profiles import (
    atoms_moment,
    discrete_gaussian_atoms,
    discrete_laplace_atoms,
    holds,
    laplace_moment,
    mp,
    relative_width,
    response_atoms,
    sampled_moment,
    wide,
)

F = Fraction
ORDERS = ["1/1000", "1/3", "1", "5/2", "7", "40"]


def moment(loss: Loss, order: Fraction | str, side: Side = "remove") -> Interval:
    return log_moment(loss, F(order), side)


@pytest.mark.parametrize("order", ORDERS)
def test_a_gaussian_moment_is_exact(order: str) -> None:
    found = moment(GaussianLoss(F(2, 3)), order)
    assert found.lower == found.upper == F(order) * (1 + F(order)) / 3


@pytest.mark.parametrize("epsilon", ["1/10", "1", "6"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_laplace_moment_is_its_integral(epsilon: str, order: str) -> None:
    with wide.workdps(30):
        slow = laplace_moment(F(epsilon), F(order))
    found = moment(LaplaceLoss(F(epsilon)), order)
    assert holds(found, slow, "1e-22")
    assert relative_width(found) < F(1, 10**40)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "6"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_response_moment_is_the_sum_of_both_values(epsilon: str, order: str) -> None:
    found = moment(ResponseLoss(F(epsilon)), order)
    assert holds(found, atoms_moment(response_atoms(F(epsilon)), F(order)), "1e-35")
    assert relative_width(found) < F(1, 10**40)
    assert moment(DiscreteLaplaceLoss(F(epsilon), 1), order).lower <= found.upper
    assert moment(DiscreteLaplaceLoss(F(epsilon), 1), order).upper >= found.lower


@pytest.mark.parametrize("shift", [1, 2, 3, 7])
@pytest.mark.parametrize("order", ORDERS)
def test_a_discrete_laplace_moment_is_its_sum(shift: int, order: str) -> None:
    found = moment(DiscreteLaplaceLoss(F(4, 3), shift), order)
    atoms = discrete_laplace_atoms(F(4, 3), shift, 85)
    assert holds(found, atoms_moment(atoms, F(order)), "1e-30")
    assert relative_width(found) < F(1, 10**40)


@pytest.mark.parametrize("order", ["1/3", "1"])
def test_losses_of_almost_nothing_have_moments(order: str) -> None:
    for loss in (DiscreteLaplaceLoss(F(1, 10**300), 3), LaplaceLoss(F(1, 10**300))):
        found = moment(loss, order)
        assert -F(1, 10**50) < found.lower <= 0 <= found.upper < F(1, 10**50)
    assert moment(DiscreteLaplaceLoss(F(1), 0), order).is_zero
    assert holds(moment(LaplaceLoss(F(0)), order), wide.mpf(0))


@pytest.mark.parametrize("variance", ["1/10", "1/2", "3", "15.9", "16", "40"])
@pytest.mark.parametrize("shift", [1, 3])
@pytest.mark.parametrize("order", ["1/1000", "1/3", "1/2", "1", "5/2", "7"])
def test_a_discrete_gaussian_moment_is_its_sum(variance: str, shift: int, order: str) -> None:
    found = moment(DiscreteGaussianLoss(F(variance), shift), order)
    # Large losses weigh most: the law is centred anew around shift·(1 + order).
    reach = int(shift * (1 + F(order))) + 16 + int(8 * F(variance))
    atoms = discrete_gaussian_atoms(F(variance), shift, reach)
    assert holds(found, atoms_moment(atoms, F(order)), "1e-30")
    assert relative_width(found) < F(1, 10**40)


@pytest.mark.parametrize("variance", ["1e-9", "1e-200", "1e9"])
def test_extreme_discrete_gaussians_have_moments(variance: str) -> None:
    loss = DiscreteGaussianLoss(F(variance), 1)
    for order in (F(1, 4), F(1, 2), F(1)):
        found = moment(loss, order)
        assert 0 <= found.lower <= found.upper <= order * (1 + order) / (2 * F(variance))
    # From 0 the shift to 1/4 has no more weight than e^(-1/16 / 2v) of a whole step.
    if F(variance) < 1:
        assert moment(loss, F(1, 4)).upper < F(5, 32) / F(variance) - F(1, 33) / F(variance)


@pytest.mark.parametrize("fraction", ["1/1000", "9/10"])
@pytest.mark.parametrize("mu", ["1/2", "2"])
@pytest.mark.parametrize("order", ["1", "4"])
def test_a_sampled_gaussian_moment_is_its_integral(fraction: str, mu: str, order: str) -> None:
    loss = SampledGaussianLoss(F(fraction), F(mu) ** 2)
    with wide.workdps(25):
        slow = sampled_moment(F(fraction), mp(mu), 1 + mp(order))
        added = sampled_moment(F(fraction), mp(mu), -mp(order))
    found = moment(loss, order)
    assert holds(found, slow, "1e-15")
    assert relative_width(found) < F(1, 10**35)
    assert holds(moment(loss, order, "add"), added, "1e-15")
    assert added <= slow


@pytest.mark.parametrize("order", ["1/1000", "1/3", "3/2", "17/4"])
def test_between_the_integers_the_moment_is_enclosed(order: str) -> None:
    loss = SampledGaussianLoss(F(1, 5), F(1))
    with wide.workdps(25):
        slow = sampled_moment(F(1, 5), wide.mpf(1), 1 + mp(order))
        added = sampled_moment(F(1, 5), wide.mpf(1), -mp(order))
    assert holds(moment(loss, order), slow, "1e-15")
    assert holds(moment(loss, order, "add"), added, "1e-15")


@settings(max_examples=60, deadline=None)
@given(
    st.floats(1.0, 60.0, allow_nan=False),
    st.floats(0.0, 1.0),
    st.floats(1.0, 1e6, allow_nan=False),
)
def test_the_inequality_behind_adding_holds_at_every_point(
    alpha: float, fraction: float, weight: float
) -> None:
    power, q, w = (wide.mpf(number) for number in (alpha, fraction, weight))

    def excess(u: object) -> object:
        return u**power - u ** (1 - power)

    both = excess(1 + q * (w - 1)) + w * excess(1 + q * (1 / w - 1))
    assert both >= -wide.mpf("1e-40") * (1 + w**power)


@pytest.mark.parametrize("order", ["0", "-1"])
def test_an_order_that_is_not_positive_is_refused(order: str) -> None:
    with pytest.raises(ProofError, match="order"):
        moment(GaussianLoss(F(1)), order)


def test_infinite_losses_and_huge_orders_are_refused() -> None:
    with pytest.raises(ProofError, match="infinite"):
        moment(ResponseLoss(F(1), F(1, 10**9)), "1")
    with pytest.raises(ProofError, match="order"):
        moment(SampledGaussianLoss(F(1, 2), F(1, 10**9)), "1000000")


GAUSSIAN = ((1, GaussianLoss(F(1))),)


@pytest.mark.parametrize("order", ["1/100", "1", "4", "30", "100000"])
@pytest.mark.parametrize("epsilon", ["0", "1", "5", "30"])
def test_a_moment_bounds_delta_at_every_order(order: str, epsilon: str) -> None:
    true = gaussian.delta(GAUSSIAN, "remove", F(epsilon), {})
    found = delta(GAUSSIAN, "remove", F(epsilon), {"order": order})
    assert found.lower == 0 and true.upper <= found.upper <= 1


def test_a_moment_bound_is_the_conversion_of_renyi_divergences() -> None:
    order = wide.mpf(4)
    found = delta(GAUSSIAN, "remove", F(5), {"order": 4})
    expected = wide.exp(order * (1 + order) / 2 - 5 * order) * order**order / (1 + order) ** 5
    assert abs(mp(found.upper) / expected - 1) < wide.mpf("1e-40")


def test_the_best_order_of_a_concentrated_mechanism_is_the_printed_one() -> None:
    # Canonne, Kamath & Steinke 2020: ρ = 1/2 at δ = 1e-6 gives ε = 5.221534444530169.
    at = F("5.221534444530169")
    orders = [f"{n}/100" for n in range(400, 520)]
    bounds = [delta(GAUSSIAN, "remove", at, {"order": order}).upper for order in orders]
    assert F(1, 10**6) * (1 - F(1, 10**9)) < min(bounds) < F(1, 10**6) * (1 + F(1, 10**4))


@pytest.mark.parametrize("mass", ["1e-12", "1/10"])
def test_infinite_losses_are_added_to_the_bound(mass: str) -> None:
    losses = ((20, ResponseLoss(F(1, 2), F(mass))),)
    true = responses.delta(losses, "remove", F(6), {"bits": 128})
    found = delta(losses, "remove", F(6), {"order": 2})
    infinite = 1 - (1 - F(mass)) ** 20
    assert found.lower <= infinite <= true.upper <= found.upper
    finite = delta(((20, ResponseLoss(F(1, 2))),), "remove", F(6), {"order": 2}).upper
    assert abs(found.upper - (infinite + (1 - infinite) * finite)) < F(1, 10**50)


def test_all_kinds_of_entry_compose() -> None:
    entries: Entries = (
        (2, NoiseLoss("discrete-gaussian", F(9), 1, F(1), F(1), F(1))),
        (1, NoiseLoss("discrete-laplace", F(5), 1, F(2), F(4), F(2))),
        (1, GaussianLoss(F(1, 4))),
        (3, NoiseLoss("laplace", F(10), 1, F(1), F(1), F(1))),
        (1, ResponseLoss(F(1, 7), F(1, 10**8))),
        (10, SampledGaussianLoss(F(1, 100), F(1))),
        (1, ConcentratedLoss(F(0), F(1, 10**4), F(1, 10**9))),
        (1, RenyiCurve(((F(5), F(1, 1000)),))),
    )
    for side in SIDES:
        found = delta(entries, side, F(5), {"order": 4})
        size = wide.fsum(n * mp(divergence(entry, F(4), side).upper) for n, entry in entries)
        bound = wide.exp(size - 20) * wide.mpf(4) ** 4 / wide.mpf(5) ** 5
        mass = 1 - (1 - F(1, 10**8)) * (1 - F(1, 10**9))
        assert found.lower <= mass <= found.lower * (1 + F(1, 10**7))
        assert abs(mp(found.upper) - (mp(mass) + mp(1 - mass) * bound)) < wide.mpf("1e-40")


def test_powers_beyond_the_range_of_the_exponential_still_bound() -> None:
    high = delta(GAUSSIAN, "remove", F(1), {"order": 10**6})
    low = delta(GAUSSIAN, "remove", F(10**8), {"order": 1})
    assert high.upper == 1
    assert 0 < low.upper < F(1, 10**1000)


@pytest.mark.parametrize("hint", [{}, {"order": 0}, {"order": "-1"}, {"order": 0.5}])
def test_malformed_hints_are_refused(hint: dict[str, object]) -> None:
    with pytest.raises(ProofError, match="order"):
        delta(GAUSSIAN, "remove", F(1), hint)
