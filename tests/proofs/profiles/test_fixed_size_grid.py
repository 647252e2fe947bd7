"""Profiles of a Gaussian on a sample of a fixed size on a lattice: integrals, hostile hints."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from proofs.errors import ProofError
from proofs.losses import FixedSizeLoss, GaussianLoss, LaplaceLoss, Losses, ResponseLoss
from proofs.profiles.fixed_size_grid import place_fixed_size
from proofs.profiles.grid import Piece, bounds
from proofs.profiles.lattice import delta
from proofs.search.ends import enclose_epsilon
from proofs.search.lattice import hint, profile

F = Fraction


def of_masses(pieces: tuple[Piece, ...], end: int, step: Fraction, epsilon: Fraction) -> float:
    """δ(ε) of some masses, in doubles."""
    total = 0.0
    for piece in pieces:
        excess = -np.expm1(float(epsilon) - float(step) * piece.index.astype(np.float64))
        total += float(np.sum(bounds(piece, 0.0, 0.0)[end] * np.maximum(excess, 0.0)))
    return total


@pytest.mark.parametrize(
    ("q", "mu", "step"),
    [("0.01", "1", "1/2000"), ("0.5", "2", "1/50"), ("0.9", "0.25", "1/300"), ("0.01", "1", "1/7")],
)
def test_the_loss_lies_between_its_masses(q: str, mu: str, step: str) -> None:
    """At every real ε, negative ones too."""
    loss, h = FixedSizeLoss(F(q), F(mu) ** 2), F(step)
    found = place_fixed_size(loss, h, F(1), 1)
    assert found.lost < F(1, 10**15)
    for epsilon in (F(n, 19) for n in range(-40, 41, 4)):
        slow = in_doubles(loss, float(epsilon))
        low = of_masses(found.lower, 0, h, epsilon)
        high = of_masses(found.upper, 1, h, epsilon)
        assert low <= slow * (1 + 1e-12) and slow * (1 - 1e-12) <= high + float(found.lost)
        assert high - low < 20 * float(h) ** 2 + 1e-9


def in_doubles(loss: FixedSizeLoss, epsilon: float) -> float:
    """δ(ε) of one, at any real ε, by the normal distribution function."""
    q, mu = float(loss.fraction), math.sqrt(loss.mu_squared)
    if epsilon < 0:
        return 1 - math.exp(epsilon) * (1 - in_doubles(loss, -epsilon))
    place = math.log1p(math.expm1(epsilon) / q) / mu + mu / 2
    return float(q * ndtr(mu - place) + (1 - q - math.exp(epsilon)) * ndtr(-place))


def gaussian(epsilon: float) -> float:
    """δ(ε) of a Gaussian loss of μ = 1/2."""
    return float(ndtr(0.25 - 2 * epsilon) - math.exp(epsilon) * ndtr(-0.25 - 2 * epsilon))


def laplace(epsilon: float) -> float:
    """δ(ε) of a Laplace loss of 1/2."""
    return max(0.0, -math.expm1(epsilon if epsilon < -0.5 else (epsilon - 0.5) / 2))


LOSS = FixedSizeLoss(F(1, 10), F(1))
BESIDE: list[tuple[Losses, Callable[[float], float]]] = [
    (((1, LOSS), (1, GaussianLoss(F(1, 4)))), gaussian),
    (((1, LOSS), (1, LaplaceLoss(F(1, 2)))), laplace),
    (((2, LOSS),), lambda at: in_doubles(LOSS, at)),
]


def beside(loss: FixedSizeLoss, other: Callable[[float], float], epsilon: float) -> float:
    """δ of the loss and another one of a known profile, by one integral over the first."""
    q, mu = float(loss.fraction), math.sqrt(loss.mu_squared)

    def at(x: float) -> float:
        ratio = 1 - q + q * math.exp(mu * x - mu * mu / 2)
        value = math.log(ratio)
        mean = ratio * other(epsilon - value) + other(epsilon + value)
        return mean * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    ends = np.linspace(mu / 2, mu / 2 + 14, 200)
    rest = (1 - q) * (2 * ndtr(mu / 2) - 1)
    return math.fsum(
        quad(at, low, high, epsabs=1e-17, epsrel=1e-11, limit=200)[0]
        for low, high in pairwise(ends)
    ) + rest * other(epsilon)


@pytest.mark.parametrize("case", range(len(BESIDE)))
@pytest.mark.parametrize("epsilon", ["1/5", "1"])
def test_products_are_integrals(case: int, epsilon: str) -> None:
    losses, other = BESIDE[case]
    found = profile(losses, "remove", F(epsilon))
    slow = beside(LOSS, other, float(F(epsilon)))
    assert float(found.lower) <= slow * (1 + 1e-9) and slow * (1 - 1e-9) <= float(found.upper)
    assert found.upper - found.lower < F(1, 10**5) * found.upper


def transformed(loss: FixedSizeLoss, count: int, epsilon: float, points: int = 1 << 18) -> float:
    """δ of ``count`` losses, each rounded to the nearest point, by Fourier transforms."""
    q, mu, step = float(loss.fraction), math.sqrt(loss.mu_squared), 4.0 / points
    ends = step * (np.arange(points // 2) + 0.5)
    x = np.log1p(np.expm1(np.concatenate([[0.0], ends])) / q) / mu + mu / 2
    plain = -np.diff(ndtr(-x))
    mixed = (1 - q) * plain - q * np.diff(ndtr(mu - x))
    masses = np.zeros(points)
    masses[: points // 2] = mixed
    masses[-np.arange(points // 2)] += plain
    masses[0] += (1 - q) * (2 * ndtr(mu / 2) - 1)
    law = np.fft.irfft(np.fft.rfft(masses) ** count, points)
    value = step * np.where(np.arange(points) < points // 2, np.arange(points), -np.inf)
    return float(law @ np.maximum(-np.expm1(epsilon - value), 0))


def test_a_thousand_runs_are_those_of_rounded_losses() -> None:
    loss = FixedSizeLoss(F(1, 100), F(1, 16))
    found = profile(((1000, loss),), "remove", F(1, 3))
    assert found.upper - found.lower < F(1, 10**5) * found.upper
    assert abs(transformed(loss, 1000, 1 / 3) / float(found.upper) - 1) < 1e-3


def test_both_ends_of_epsilon_are_close() -> None:
    loss = FixedSizeLoss(F(1, 100), F(1, 16))
    for count, width in ((1, F(1, 10**12)), (1000, F(1, 10**6))):
        ends = enclose_epsilon(((count, loss),), F(1, 10**6))
        assert 0 < ends.lower <= ends.upper < ends.lower + width


@pytest.mark.parametrize("squared", ["1/1099511627776", "1/4096", "64"])
@pytest.mark.parametrize("q", ["1/1000000000000000000", "999999999999999999/1000000000000000000"])
def test_extreme_losses_lie_between_their_masses(q: str, squared: str) -> None:
    loss, h = FixedSizeLoss(F(q), F(squared)), F(1, 100)
    found = place_fixed_size(loss, h, F(1), 1)
    for epsilon in (F(-1), F(-1, 1000), F(0), F(1, 50), F(3)):
        slow = in_doubles(loss, float(epsilon))
        low = of_masses(found.lower, 0, h, epsilon)
        high = of_masses(found.upper, 1, h, epsilon)
        assert low <= slow + 1e-13 and slow <= high + float(found.lost) + 1e-13


@pytest.mark.parametrize(
    "changed",
    [
        {"order": "1/100"},
        {"order": "90"},
        {"size": 4096},
        {"step": "1/20"},
        {"step": "1/1000000"},
        {"start": "-1/2"},
    ],
)
def test_no_hint_makes_the_profile_wrong(changed: dict[str, Any]) -> None:
    losses: Losses = ((1, LOSS), (3, ResponseLoss(F(0))))
    given = {**hint(losses, "remove", F(1, 2), 1 << 14), **changed}
    slow = in_doubles(LOSS, 0.5)
    try:
        ends = delta(losses, "remove", F(1, 2), given)
    except ProofError:
        return
    assert float(ends.lower) <= slow * (1 + 1e-12) and slow * (1 - 1e-12) <= float(ends.upper)


@pytest.mark.parametrize(
    ("q", "squared", "step"),
    [
        ("1/2", "10000", "1/100"),
        ("1/2", "1/10000000000000000", "1/100"),
        ("1e-400", "1", "1/100"),
        ("1/2", "1", "1e-18"),
    ],
)
def test_what_the_grid_can_not_hold_is_refused(q: str, squared: str, step: str) -> None:
    with pytest.raises(ProofError, match="lattice method needs a"):
        place_fixed_size(FixedSizeLoss(F(q), F(squared)), F(step), F(1), 1)
