"""The Gaussian on a Poisson sample: its pair against printed deltas and vectors by quadrature."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Judgment, LossList, Private, Stable
from proofs.losses import SampledGaussianLoss
from proofs.parameters import plain
from proofs.rules import RULES
from proofs.rules.rule import Conclusion
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.proofs.rules.divergences import TINY, mp, wide

F = Fraction
SMALL = mp(TINY)
PERSONS = Unit("person", 1)
PRIVATE = Private(AddRemove(), ApproxDP(F(1)))


def apply(premise: Judgment, **given: Any) -> Conclusion:
    return RULES["sampled-gaussian"].apply([premise], plain(given))


QUERY = {"query": "total"}


def stable(neighbours: Neighbours, l2_squared: int | Fraction = 1) -> Stable:
    squared = F(l2_squared)
    low, high = F(math.isqrt(math.floor(squared))), F(math.isqrt(math.ceil(squared)) + 1)
    return Stable(neighbours, None, high, squared, low, False, False)


def sampled_gaussian(l2_squared: Fraction, **given: Any) -> SampledGaussianLoss:
    found = apply(stable(AddRemove(), l2_squared), **given)
    assert found.hypotheses == BASE | {"secret-sample", "real-numbers"}
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == AddRemove()
    assert isinstance(found.judgment.guarantee, LossList)
    ((count, loss),) = found.judgment.guarantee.losses
    assert count == 1
    assert isinstance(loss, SampledGaussianLoss)
    return loss


def pair_excess(side: str, gamma: mpmath.mpf, loss: SampledGaussianLoss) -> mpmath.mpf:
    """sup P(S) - γ·Q(S) of the loss's pair: the sets are half-lines, in the normal law's Φ."""
    q, mu = mp(loss.fraction), wide.sqrt(mp(loss.mu_squared))
    # With x the odds of N(μ, 1) to N(0, 1), the mixture has the odds 1 - q + q·x to N(0, 1).
    odds = ((gamma if side == "remove" else 1 / gamma) - (1 - q)) / q
    if odds <= 0:
        return max(1 - gamma, wide.mpf(0)) if side == "remove" else wide.mpf(0)
    at = wide.log(odds) / mu + mu / 2
    if side == "remove":
        without, shifted = wide.ncdf(-at), wide.ncdf(mu - at)
        return (1 - q) * without + q * shifted - gamma * without
    without, shifted = wide.ncdf(at), wide.ncdf(at - mu)
    return without - gamma * ((1 - q) * without + q * shifted)


@pytest.mark.parametrize(
    ("fraction", "sigma_squared", "epsilon", "remove", "add"),
    [
        ("0.01", 1, "0.01", "0.0019002737053015712", "6.4414170053958657e-12"),
        ("0.1", 4, "0.05", "0.0069070640722337869", "0.0015459859939190761"),
    ],
)
def test_the_sides_of_the_sampled_gaussian_are_those_of_its_printed_deltas(
    fraction: str, sigma_squared: int, epsilon: str, remove: str, add: str
) -> None:
    loss = sampled_gaussian(F(1), fraction=fraction, sigma_squared=sigma_squared)
    assert loss == SampledGaussianLoss(F(fraction), F(1, sigma_squared))
    gamma = wide.exp(mp(F(epsilon)))
    for side, printed in (("remove", remove), ("add", add)):
        assert abs(pair_excess(side, gamma, loss) / wide.mpf(printed) - 1) < 1e-15


GRID = np.linspace(-9, 11, 401)


def density(centre: tuple[float, float], sigma: float) -> NDArray[np.float64]:
    first, second = (np.exp(-(((GRID - each) / sigma) ** 2) / 2) for each in centre)
    return np.outer(first, second) / (2 * np.pi * sigma**2)


@pytest.mark.parametrize(
    ("fraction", "sigma"), [(F(1, 10), F(1)), (F(1, 2), F(3, 2)), (F(9, 10), F(1))]
)
def test_the_sampled_gaussian_dominates_vectors_on_each_side(
    fraction: Fraction, sigma: Fraction
) -> None:
    # Without the record, one other may be sampled; the answers are vectors, and the record moves
    # them by (0.6, 0.8) or, beside the other, by (-0.5, 0): at most 1 in L2.
    answers = {(0, 0): (0.0, 0.0), (1, 0): (1.0, 2.0), (0, 1): (0.6, 0.8), (1, 1): (0.5, 2.0)}
    q, width = float(fraction), float(sigma)
    laws = {key: density(centre, width) for key, centre in answers.items()}
    without = (1 - q) * laws[0, 0] + q * laws[1, 0]
    with_it = (1 - q) * without + q * ((1 - q) * laws[0, 1] + q * laws[1, 1])
    alone = (1 - q) * laws[0, 0] + q * laws[0, 1]
    loss = sampled_gaussian(F(1), fraction=fraction, sigma_squared=sigma**2)
    cell = (GRID[1] - GRID[0]) ** 2
    for step in range(-8, 9):
        gamma = math.exp(step / 8)
        for side, p, q_law in (("remove", with_it, without), ("add", without, with_it)):
            bound = float(pair_excess(side, wide.mpf(gamma), loss))
            assert np.maximum(p - gamma * q_law, 0).sum() * cell <= bound + 1e-6
        # With nobody else in the table the move is of length 1, and the bound is attained.
        for side, p, q_law in (("remove", alone, laws[0, 0]), ("add", laws[0, 0], alone)):
            bound = float(pair_excess(side, wide.mpf(gamma), loss))
            assert abs(np.maximum(p - gamma * q_law, 0).sum() * cell - bound) < 1e-4


@given(
    st.fractions(F(1, 20), F(19, 20), max_denominator=20),
    st.fractions(F(1, 10), 2, max_denominator=10),
    st.fractions(F(1, 10), F(9, 10), max_denominator=10),
    st.integers(-8, 8),
)
@settings(max_examples=60, deadline=None)
def test_a_shorter_move_gives_the_smaller_pair(
    fraction: Fraction, mu: Fraction, shorter: Fraction, step: int
) -> None:
    gamma = wide.exp(wide.mpf(step) / 4)
    long, short = (SampledGaussianLoss(fraction, (part * mu) ** 2) for part in (F(1), shorter))
    for side in ("remove", "add"):
        assert pair_excess(side, gamma, short) <= pair_excess(side, gamma, long) + SMALL


@pytest.mark.parametrize(
    ("premise", "given"),
    [
        (stable(ReplaceOne()), {"fraction": "0.5", "sigma_squared": 1}),
        (stable(AddRemove(PERSONS)), {"fraction": "0.5", "sigma_squared": 1}),
        (stable(AddRemove()), {"fraction": 1, "sigma_squared": 1}),
        (stable(AddRemove()), {"fraction": 0, "sigma_squared": 1}),
        (stable(AddRemove()), {"fraction": "1.5", "sigma_squared": 1}),
        (stable(AddRemove()), {"fraction": "0.5", "sigma_squared": 0}),
        (stable(AddRemove()), {"fraction": "0.5", "sigma_squared": -1}),
        (stable(AddRemove(), F(0)), {"fraction": "0.5", "sigma_squared": 1}),
        (PRIVATE, {"fraction": "0.5", "sigma_squared": 1}),
    ],
)
def test_a_sampled_gaussian_out_of_its_range_is_refused(
    premise: Judgment, given: dict[str, Any]
) -> None:
    with pytest.raises(ProofError):
        apply(premise, **given)
