"""Starts of searches: near the answer where there is one, 0 where the doubles end."""

from __future__ import annotations

import warnings
from fractions import Fraction

import mpmath
import pytest

from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.profiles.moments import log_moment as certified
from proofs.search.ends import enclose_epsilon
from proofs.search.float_moments import log_moment
from proofs.search.start import estimate_epsilon
from tests.proofs.closed_forms import mpf

F = Fraction
LOSSES: list[Loss] = [
    GaussianLoss(F(1, 3)),
    LaplaceLoss(F(2, 3)),
    ResponseLoss(F(2, 3)),
    DiscreteLaplaceLoss(F(2, 3), 1),
    DiscreteLaplaceLoss(F(1, 5), 7),
    DiscreteLaplaceLoss(F(1, 10**9), 10**8),
    DiscreteLaplaceLoss(F(1), 0),
    DiscreteGaussianLoss(F(20), 3),
    SampledGaussianLoss(F(1, 10), F(1)),
]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("order", [1, 2, 9])
def test_moments_in_doubles_are_the_certified_ones(loss: Loss, order: int) -> None:
    exact = certified(loss, F(order), "remove")
    with mpmath.workdps(30):
        middle = mpf((exact.lower + exact.upper) / 2)
        assert abs(log_moment(loss, float(order)) - middle) <= 1e-6 * (1 + abs(middle))


@pytest.mark.parametrize(
    "losses",
    [
        ((1000, GaussianLoss(F(1, 900))),),
        ((100, LaplaceLoss(F(1, 10))),),
        ((100, ResponseLoss(F(1, 10))),),
        ((100, ResponseLoss(F(1, 10), F("1e-9"))),),
    ],
    ids=["gaussian", "laplace", "response", "response that fails"],
)
def test_the_start_is_near_the_answer(losses: Losses) -> None:
    found = enclose_epsilon(losses, F("1e-6"))
    assert abs(estimate_epsilon(losses, F("1e-6")) - found.upper) < found.upper / 20


@pytest.mark.parametrize(
    ("loss", "delta"),
    [
        (GaussianLoss(F(10) ** 900), "1e-6"),
        (GaussianLoss(F(1, 10**900)), "1e-6"),
        (LaplaceLoss(F(10) ** 400), "1e-6"),
        (LaplaceLoss(F(1, 10**400)), "1e-6"),
        (ResponseLoss(F(1), 1 - F(1, 10**40)), "1e-6"),
        (ResponseLoss(F(1), 1 - F(1, 10**40)), "0." + "9" * 50),
        (DiscreteLaplaceLoss(F(1, 10**400), 10**12), "1e-6"),
        (SampledGaussianLoss(F(1, 2), F(10) ** 30), "1e-6"),
        (SampledGaussianLoss(F(1, 10**400), F(1)), "1e-6"),
        (GaussianLoss(F(1)), "1e-999"),
    ],
    ids=str,
)
def test_nothing_goes_wrong_where_doubles_end(loss: Loss, delta: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert estimate_epsilon(((3, loss),), F(delta)) >= 0
