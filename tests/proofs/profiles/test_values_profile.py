"""The profile of losses with few values, beside at most one Gaussian on a sample."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from proofs import checker
from proofs.entries import Entries, NoiseLoss, entry_to_json
from proofs.errors import ProofError
from proofs.losses import (
    SIDES,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
    sides,
)
from proofs.profiles import contour
from proofs.profiles.entry_moments import pairs
from proofs.profiles.values import delta, sampled_delta
from proofs.search.contour import contour_hint
from proofs.search.ends import enclose_epsilon
from tests.proofs.profiles.slow_profiles import (
    discrete_gaussian_atoms,
    discrete_laplace_atoms,
    enumerated,
    fixed_size_profile,
    holds,
    mp,
    response_atoms,
    wide,
)

F = Fraction
BITS = {"bits": 160}
RATES, SQUARES = [F(1, 100), F(9, 10)], [F(1, 4), F(9)]
EPSILONS = [F(-2), F(-1, 200), F(0), F(1, 500), F(2, 5), F(3)]


coarse = mpmath.MPContext()
coarse.dps = 20


def integral(loss: SampledGaussianLoss, side: Side, epsilon: Any) -> mpmath.mpf:
    """δ as the integral of P's density, less e^ε times Q's, where that is positive."""
    q, mu, power = (
        coarse.mpf(loss.fraction.numerator) / loss.fraction.denominator,
        coarse.sqrt(coarse.mpf(loss.mu_squared.numerator) / loss.mu_squared.denominator),
        coarse.exp(coarse.mpf(epsilon)),
    )

    def excess(x: mpmath.mpf) -> mpmath.mpf:
        plain = coarse.npdf(x)
        mixed = (1 - q) * plain + q * coarse.npdf(x, mu)
        return mixed - power * plain if side == "remove" else plain - power * mixed

    # Its only change of sign, between which and the far end it has one.
    low, high = coarse.mpf(-40), coarse.mpf(60)
    if (excess(low) > 0) == (excess(high) > 0):
        return (
            coarse.quad(excess, coarse.linspace(-20, 30, 51)) if excess(low) > 0 else coarse.mpf(0)
        )
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if (excess(middle) > 0) == (side == "add") else (low, middle)
    units = [coarse.mpf(u) for u in (0, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 20, 30, 45)]
    ends = [low + u for u in units] if side == "remove" else [low - u for u in units[::-1]]
    return coarse.quad(excess, ends)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("square", SQUARES)
def test_delta_is_the_integral_of_the_densities(rate: F, square: F, side: Side) -> None:
    loss, before = SampledGaussianLoss(rate, square), F(1)
    for epsilon in EPSILONS:
        found = sampled_delta(loss, side, epsilon)
        truth = integral(loss, side, mp(epsilon))
        assert mp(found.lower) - wide.mpf("1e-17") <= truth <= mp(found.upper) + wide.mpf("1e-17")
        assert found.upper - found.lower <= F(1, 10**40) and found.upper <= before
        before = found.lower


def test_one_side_is_the_other_reversed() -> None:
    loss = SampledGaussianLoss(F(1, 20), F(2))
    for epsilon in (F(1, 100), F(1, 40), F(1)):
        power = wide.exp(mp(epsilon))
        add = sampled_delta(loss, "add", -epsilon)
        back = (
            1
            - wide.exp(-mp(epsilon))
            + wide.exp(-mp(epsilon)) * mp(sampled_delta(loss, "remove", epsilon).lower)
        )
        assert power > 1 and abs(mp(add.lower) - back) < wide.mpf("1e-45")


@pytest.mark.parametrize("epsilon", ["-1/3", "1/4"])
def test_a_sample_of_a_fixed_size_has_the_integrals_of_its_parts(epsilon: str) -> None:
    """Beside a response of 1/8, so that both sides of 0 count."""
    own, e = FixedSizeLoss(F(1, 10), F(1)), F(1, 8)
    for losses, parts in (
        (((1, own),), [(mp(0), mp(1))]),
        (((1, own), (1, ResponseLoss(e))), response_atoms(e)),
    ):
        found = delta(losses, "remove", F(epsilon), BITS)
        slow = wide.fsum(
            chance * fixed_size_profile(F(1, 10), mp(1), mp(epsilon) - value)
            for value, chance in parts
        )
        assert holds(found, slow, "1e-20")


OTHERS: list[tuple[int, Loss, Any]] = [
    (2, ResponseLoss(F(1, 3)), response_atoms(F(1, 3))),
    (1, DiscreteLaplaceLoss(F(1, 2), 3), discrete_laplace_atoms(F(1, 2), 3, 260)),
    (1, DiscreteGaussianLoss(F(1, 2), 1), discrete_gaussian_atoms(F(1, 2), 1, 14)),
    (1, DiscreteGaussianLoss(F(1), 0), discrete_gaussian_atoms(F(1), 0, 2)),
]


@pytest.mark.parametrize("place", range(len(OTHERS)))
@pytest.mark.parametrize("epsilon", [F(0), F(1, 3), F(5, 4)])
def test_discrete_losses_are_summed_over_their_outcomes(place: int, epsilon: F) -> None:
    count, loss, atoms = OTHERS[place]
    found = delta(((count, loss), (1, ResponseLoss(F(1)))), "remove", epsilon, BITS)
    truth = enumerated([*[atoms] * count, response_atoms(F(1))], epsilon)
    assert holds(found, truth, "1e-36") and found.upper - found.lower < F(1, 10**40)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("place", range(2))
def test_a_sampled_gaussian_is_averaged_over_the_others(place: int, side: Side) -> None:
    (count, loss, atoms), own = OTHERS[place], SampledGaussianLoss(F(1, 10), F(1))
    found = delta(((count, loss), (1, own)), side, F(1, 2), BITS)
    pairs = [(mp(0), mp(1))]
    for _ in range(count):
        pairs = [(v + w, p * r) for v, p in pairs for w, r in atoms if p * r > 1e-18]
    law: dict[str, Any] = {}
    for value, chance in pairs:
        key = wide.nstr(value, 30)
        law[key] = (value, law.get(key, (value, 0))[1] + chance)
    truth = wide.fsum(p * integral(own, side, mp(F(1, 2)) - v) for v, p in law.values())
    assert abs(mp(found.lower) - truth) < wide.mpf("1e-16")


@pytest.mark.parametrize("side", SIDES)
def test_infinite_losses_count_in_full(side: Side) -> None:
    own, leaky = SampledGaussianLoss(F(1, 10), F(1)), ResponseLoss(F(1), F(1, 7))
    whole = delta(((2, leaky), (1, own)), side, F(1), BITS)
    rest = delta(((2, ResponseLoss(F(1))), (1, own)), side, F(1), BITS)
    assert abs(whole.lower - (1 - F(36, 49) * (1 - rest.lower))) < F(1, 10**40)


@pytest.mark.parametrize("side", SIDES)
def test_the_contour_agrees(side: Side) -> None:
    losses: Losses = (
        (1, DiscreteLaplaceLoss(F(1, 2), 1)),
        (1, SampledGaussianLoss(F(1, 10), F(1))),
    )
    hint = contour_hint(losses, side, F(6, 5), digits=6)
    wider, found = contour.delta(losses, side, F(6, 5), hint), delta(losses, side, F(6, 5), BITS)
    assert wider.lower <= found.lower and found.upper <= wider.upper
    assert wider.upper - wider.lower < F(1, 10**6)


@pytest.mark.parametrize(
    "losses",
    [
        ((2, SampledGaussianLoss(F(1, 10), F(1))),),
        ((1, SampledGaussianLoss(F(1, 10), F(1))), (1, SampledGaussianLoss(F(1, 9), F(1)))),
        ((1, SampledGaussianLoss(F(1, 10), F(1))), (1, FixedSizeLoss(F(1, 10), F(1)))),
        ((1, LaplaceLoss(F(1))),),
        ((10**9, DiscreteLaplaceLoss(F(1), 5)),),
        ((1, DiscreteGaussianLoss(F(10**30), 1)),),
        ((1, DiscreteLaplaceLoss(F(1), 10**9)),),
        ((1, DiscreteLaplaceLoss(F(1), 500)), (1, SampledGaussianLoss(F(1, 10), F(1)))),
    ],
)
def test_other_losses_and_too_many_values_are_refused(losses: Losses) -> None:
    with pytest.raises(ProofError, match="the method values"):
        delta(losses, "remove", F(1), BITS)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("square", [F(1, 10**300), F(10**300)])
def test_extreme_noise_is_bounded(side: Side, square: F) -> None:
    loss = SampledGaussianLoss(F(1, 2), square)
    for epsilon in (F(0), F(1, 10), F(10**6), F(10**400)):
        found = sampled_delta(loss, side, epsilon)
        if square < 1 or (side == "add" and epsilon >= 1):
            assert found.lower == 0 and (found.upper < F(1, 10**100) or epsilon == 0)
        elif side == "remove":
            assert found.lower <= F(1, 2) <= found.upper + F(1, 10**100)


@pytest.mark.parametrize("sigma", ["0.05", "0.001"])
def test_a_discrete_gaussian_that_hardly_moves_has_the_epsilon_of_its_two_values(
    sigma: str,
) -> None:
    # Nearly all of P lies on one value, of loss 1/(2σ²): 1 - e^(ε - that) = δ.
    found = enclose_epsilon(((1, DiscreteGaussianLoss(F(sigma) ** 2, 1)),), F(1, 10**6))
    assert found.method == "values" and found.upper - found.lower < F(1, 10**15)
    goal = 1 / (2 * mp(F(sigma)) ** 2) + wide.log(1 - wide.mpf("1e-6"))
    assert abs(mp(found.upper) - goal) < wide.mpf("1e-14")


def noise(law: str, amount: str, move: int) -> NoiseLoss:
    return NoiseLoss(law, F(amount), 1, F(move), F(move) ** 2, F(move))


CHECKED: list[Entries] = [
    ((1, SampledGaussianLoss(F(1, 100), F(1))),),
    ((2, noise("discrete-laplace", "2", 3)), (1, SampledGaussianLoss(F(1, 10), F(4)))),
    ((1, noise("discrete-gaussian", "1/2", 1)), (1, ResponseLoss(F(1 + 2**40, 2**40), F("1e-9")))),
    ((3, ResponseLoss(F(0))), (1, SampledGaussianLoss(F(1, 3), F(1, 4)))),
    ((2, noise("discrete-laplace", "2", 3)), (1, FixedSizeLoss(F(1, 10), F(4)))),
]


@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 20)])
@pytest.mark.parametrize("entries", CHECKED)
def test_the_checker_accepts_the_upper_end_and_no_less_than_the_lower(
    entries: Entries, delta: F
) -> None:
    found = enclose_epsilon(pairs(entries), delta)
    assert found.method == "values" and found.upper - found.lower < F(1, 10**15)
    hints: dict[str, Any] = {side: dict(hint) for side, hint in found.hints.items()}
    assert accepted(entries, found.upper, delta, hints)
    if found.lower:
        assert not accepted(entries, found.lower - F(1, 10**9), delta, hints)


@pytest.mark.parametrize(
    "one", [SampledGaussianLoss(F(1, 10), F(1)), FixedSizeLoss(F(1, 10), F(1))]
)
def test_the_checker_knows_the_values_of_one_gaussian_on_a_sample(one: Any) -> None:
    hints = {key: {"bits": 100} for key in sides(((1, one),))}
    assert accepted(((1, one),), F(5), F(1, 2), hints)
    assert not accepted(((2, one),), F(5), F(1, 2), hints)
    assert not accepted(((1, one), (1, replace(one, mu_squared=F(2)))), F(5), F(1, 2), hints)


def accepted(entries: Entries, epsilon: F, delta: F, hints: Any) -> bool:
    """Whether the checker confirms δ(ε) <= ``delta`` by the method values."""
    meter = checker.Meter()
    data = [checker.loss(entry_to_json(count, entry)) for count, entry in entries]
    try:
        checker.curve_at_most(meter, data, "values", epsilon, delta, hints)
    except checker.Rejected:
        return False
    assert not meter.notes
    return True
