"""Profiles of a Gaussian in one step of several: integrals, Monte Carlo, hostile hints."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from proofs.errors import ProofError
from proofs.losses import SIDES, AllocationLoss, GaussianLoss, Losses, Side
from proofs.profiles.fourier import convolve_powers
from proofs.profiles.lattice import delta
from proofs.search.ends import enclose_epsilon
from proofs.search.lattice import hint
from synthesizers.intervals import Interval

F = Fraction
wide = mpmath.mp.clone()
wide.dps = 20


@cache
def enclose(losses: Losses, side: Side, epsilon: Fraction) -> Interval:
    return delta(losses, side, epsilon, hint(losses, side, epsilon))


def excess(mu: mpmath.mpf, level: mpmath.mpf, side: Side) -> mpmath.mpf:
    """E[(w - level)₊] on remove, E[(level - w)₊] on add, of one w = e^(μx - μ²/2)."""
    if level <= 0:
        return 1 - level if side == "remove" else wide.mpf(0)
    place = wide.log(level) / mu + mu / 2
    if side == "remove":
        return wide.ncdf(mu - place) - level * wide.ncdf(-place)
    return level * wide.ncdf(place) - wide.ncdf(place - mu)


def of_two(mu: str, epsilon: Fraction, side: Side) -> mpmath.mpf:
    """δ of one of two steps: the second w is integrated in closed form, the first by quadrature."""
    m, e = wide.mpf(mu), wide.exp(wide.mpf(epsilon.numerator) / epsilon.denominator)
    level = 2 * e if side == "remove" else 2 / e
    factor = wide.mpf(1) / 2 if side == "remove" else e / 2

    def inner(x: mpmath.mpf) -> mpmath.mpf:
        return wide.npdf(x) * excess(m, level - wide.exp(m * x - m * m / 2), side)

    kink = wide.log(level) / m + m / 2
    ends = sorted([-12, -4, -2, 0, 2, 4, 12 + m, kink, kink - 1, kink + 1])
    return factor * wide.quad(inner, ends)


def exact(value: Fraction) -> mpmath.mpf:
    return wide.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("mu", "epsilon"), [("0.5", "1/2"), ("0.25", "1/4"), ("0.5", "1")])
def test_one_of_two_steps_has_the_profile_of_its_integral(
    mu: str, epsilon: str, side: Side
) -> None:
    ends = enclose(((1, AllocationLoss(2, F(mu) ** 2)),), side, F(epsilon))
    slow = of_two(mu, F(epsilon), side)
    assert exact(ends.lower) <= slow <= exact(ends.upper)
    assert exact(ends.upper - ends.lower) < slow / 1000


def draws(steps: int, mu: float, size: int, side: Side) -> Any:
    """Losses of one allocation, drawn under P."""
    generator = np.random.default_rng(11)
    x = generator.standard_normal((size, steps))
    if side == "remove":
        x[:, 0] += mu
    loss = np.log(np.exp(mu * x - mu * mu / 2).mean(axis=1))
    return loss if side == "remove" else -loss


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("steps", "squared", "count", "epsilon"),
    [(30, "1/4", 1, "1/10"), (100, "1/16", 4, "1/5"), (60, "1", 2, "1/4")],
)
def test_profiles_are_those_of_a_sample(
    steps: int, squared: str, count: int, epsilon: str, side: Side
) -> None:
    """Within 5 standard errors of 60,000 draws of the sum of the losses."""
    losses = draws(steps, math.sqrt(F(squared)), 60_000, side)
    total = sum(np.roll(losses, 997 * run) for run in range(count))
    drawn = np.maximum(-np.expm1(float(F(epsilon)) - total), 0)
    error = 5 * drawn.std() / math.sqrt(len(drawn) / count)
    ends = enclose(((count, AllocationLoss(steps, F(squared))),), side, F(epsilon))
    assert abs(float(ends.lower) - drawn.mean()) < error
    assert 0 <= float(ends.upper - ends.lower) < float(ends.upper) / 2000


def test_with_gaussians_beside_it_the_profile_is_that_of_a_sample() -> None:
    losses = draws(40, 0.5, 60_000, "remove")
    total = losses + np.random.default_rng(3).normal(1 / 8, 1 / 2, len(losses))
    drawn = np.maximum(-np.expm1(0.5 - total), 0)
    mixed = ((1, AllocationLoss(40, F(1, 4))), (1, GaussianLoss(F(1, 4))))
    ends = enclose(mixed, "remove", F(1, 2))
    assert abs(float(ends.upper) - drawn.mean()) < 5 * drawn.std() / math.sqrt(len(drawn))
    assert float(ends.lower) > 0.99 * float(ends.upper)


@pytest.mark.slow
def test_both_ends_of_epsilon_are_close() -> None:
    losses = ((1, AllocationLoss(1000, F(1))),)
    ends = enclose_epsilon(losses, F(1, 10**6))
    assert 0 < ends.lower <= ends.upper < ends.lower + F(1, 10**4)


def test_convolved_powers_err_by_less_than_their_bound() -> None:
    masses = np.array([0.5, 0.25, 0.125, 0.125] + [0.0] * 60)
    values, error = convolve_powers(masses, 9)
    slow = [F(1)]
    for _ in range(9):
        longer = [F(0)] * (len(slow) + 3)
        for i, one in enumerate(slow):
            for j in range(4):
                longer[i + j] += one * F(float(masses[j]))
        slow = longer
    folded = [sum(slow[i::64], F(0)) for i in range(64)]
    assert max(abs(F(float(v)) - s) for v, s in zip(values, folded, strict=True)) <= F(error)
    assert error < 1e-10


def test_errors_grow_with_the_number_of_factors() -> None:
    """A unit mass at 3, a million times: what the transform errs is far above its own rounding."""
    masses, count = np.zeros(64), 1_000_003
    masses[3] = 1
    values, error = convolve_powers(masses, count)
    values[3 * count % 64] -= 1
    assert 1e-12 < float(np.max(np.abs(values))) <= error


@pytest.mark.parametrize(
    "changed",
    [{"order": "1/100"}, {"order": "500"}, {"size": 4096}, {"step": "1/50"}, {"start": "-1/2"}],
)
def test_no_hint_makes_the_profile_wrong(changed: dict[str, Any]) -> None:
    losses, epsilon = ((1, AllocationLoss(2, F(1, 4))),), F(1, 2)
    given = {**hint(losses, "remove", epsilon, 1 << 16), **changed}
    for side in SIDES:
        slow = of_two("0.5", epsilon, side)
        try:
            ends = delta(losses, side, epsilon, given)
        except ProofError:
            continue
        assert exact(ends.lower) <= slow <= exact(ends.upper)


@pytest.mark.parametrize("loss", [AllocationLoss(2, F(100)), AllocationLoss(2**40, F(1))])
def test_what_the_grid_can_not_hold_is_refused(loss: AllocationLoss) -> None:
    with pytest.raises(ProofError, match="lattice"):
        enclose(((1, loss),), "add", F(1))
