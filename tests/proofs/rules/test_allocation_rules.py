"""Gaussians in a few of several steps, and on samples of a fixed size, by brute force."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from proofs.derivation import derivation
from proofs.errors import ProofError
from proofs.judgments import LossList, Private
from proofs.kernel import Theorem, prove
from proofs.ledger.terms import with_stated_sensitivity
from proofs.losses import (
    SIDES,
    AllocationLoss,
    FixedSizeLoss,
    GaussianLoss,
    Losses,
    Side,
)
from proofs.profiles import gaussian, lattice
from proofs.profiles.entry_moments import pairs
from proofs.search.lattice import hint
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.proofs.covering import pair_delta

F = Fraction
GRID = np.arange(-8, 12, 0.1)


def one_answer(neighbours: Neighbours, sensitivity: str = "1") -> Theorem:
    return with_stated_sensitivity(neighbours, F(sensitivity), "an answer")


def losses_of(theorem: Theorem) -> Losses:
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, LossList)
    return pairs(theorem.judgment.guarantee.losses)


def allocated(steps: int, times: int, sensitivity: str = "1", **changed: Any) -> Theorem:
    given = {"steps": steps, "times": times, "sigma_squared": 4, **changed}
    return prove("allocated-gaussian", [one_answer(AddRemove(), sensitivity)], given)


def hockey(p: Any, q: Any, epsilon: Fraction) -> float:
    """The excess of two lists of masses."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def products(*laws: Any) -> Any:
    found = np.ones(())
    for law in laws:
        found = np.multiply.outer(found, law)
    return found


def profile(losses: Losses, side: Side, epsilon: Fraction) -> tuple[float, float]:
    ends = lattice.delta(losses, side, epsilon, hint(losses, side, epsilon, 1 << 16))
    return float(ends.lower), float(ends.upper)


def law(shift: float) -> Any:
    return norm.pdf(GRID - shift) * 0.1


@pytest.mark.parametrize("side", SIDES)
def test_one_step_of_several_has_exactly_its_pair(side: Side) -> None:
    """Three steps of lengths 1 or less: those of length 1 attain it, others have less."""
    losses = losses_of(allocated(3, 1))
    assert losses == ((1, AllocationLoss(3, F(1, 4))),)
    for epsilon in (F(1, 10), F(1, 2)):
        low, high = profile(losses, side, epsilon)
        for lengths in ((1, 1, 1), (1, 0.5, 0.2), (0, 1, 1)):
            shifts = [length / 2 for length in lengths]
            mixture = sum(
                products(*[law(shift * (i == j)) for j, shift in enumerate(shifts)])
                for i in range(3)
            )
            pair = (mixture / 3, products(law(0), law(0), law(0)))
            exact = hockey(*(pair if side == "remove" else pair[::-1]), epsilon)
            assert exact <= high + 1e-5
            if lengths == (1, 1, 1):
                assert exact == pytest.approx(high, abs=2e-5) == pytest.approx(low, abs=2e-5)


def test_several_steps_are_blocks_of_which_each_holds_one() -> None:
    quarter = F(1, 4)
    assert losses_of(allocated(10, 3)) == (
        (2, AllocationLoss(3, quarter)),
        (1, AllocationLoss(4, quarter)),
    )
    assert losses_of(allocated(12, 3)) == ((3, AllocationLoss(4, quarter)),)
    assert losses_of(allocated(5, 5)) == ((1, GaussianLoss(5 * quarter)),)
    mixed = ((1, AllocationLoss(2, 9 * quarter)), (1, GaussianLoss(9 * quarter)))
    assert losses_of(allocated(3, 2, "3")) == mixed


@pytest.mark.parametrize("side", SIDES)
def test_two_of_three_steps_lie_between_their_ends(side: Side) -> None:
    mixture = sum(
        products(*[law(0.5 * (i != j)) for j in range(3)])
        for i in range(3)
    )  # fmt: skip
    pair = (mixture / 3, products(law(0), law(0), law(0)))
    losses = losses_of(allocated(3, 2))
    for epsilon in (F(1, 10), F(1, 2), F(1)):
        exact = hockey(*(pair if side == "remove" else pair[::-1]), epsilon)
        sums = ((1, GaussianLoss(F(4, 3) / 4)),)
        assert float(gaussian.delta(sums, side, epsilon, {}).upper) <= exact + 1e-5
        assert exact <= profile(losses, side, epsilon)[1] + 1e-5


@pytest.mark.parametrize(
    ("neighbours", "changed"),
    [
        (ReplaceOne(), {}),
        (AddRemove(Unit("person", 2)), {}),
        (AddRemove(), {"times": 4}),
        (AddRemove(), {"times": 0}),
        (AddRemove(), {"sigma_squared": 0}),
    ],
)
def test_an_allocation_out_of_its_range_is_refused(
    neighbours: Neighbours, changed: dict[str, Any]
) -> None:
    given = {"steps": 3, "times": 1, "sigma_squared": 1, **changed}
    with pytest.raises(ProofError):
        prove("allocated-gaussian", [one_answer(neighbours)], given)
    with pytest.raises(ProofError, match="must move"):
        prove(
            "allocated-gaussian",
            [one_answer(AddRemove(), "0")],
            {"steps": 3, "times": 1, "sigma_squared": 1},
        )


def sampled(sample: int, records: int, neighbours: Neighbours) -> Theorem:
    given = {"sample": sample, "records": records, "sigma_squared": 1}
    return prove("fixed-size-gaussian", [one_answer(neighbours)], given)


def triangle(q: float, b: complex, other: complex, epsilon: float) -> float:
    """The excess of (1-q)·N(0) + q·N(b) over (1-q)·N(0) + q·N(b') in the plane."""
    place = GRID[:, None] + 1j * GRID[None, :]

    def density(centre: complex) -> Any:
        return np.exp(-(np.abs(place - centre) ** 2) / 2) / (2 * math.pi) * 0.01

    p, p_other = ((1 - q) * density(0) + q * density(c) for c in (b, other))
    return float(np.maximum(p - math.exp(epsilon) * p_other, 0).sum())


@pytest.mark.parametrize("epsilon", ["0", "1/20", "1/3"])
def test_a_sample_of_a_fixed_size_is_dominated(epsilon: str) -> None:
    """Three centres at most 1 apart, in the plane."""
    losses = losses_of(sampled(1, 4, ReplaceOne()))
    assert losses == ((1, FixedSizeLoss(F(1, 4), F(1))),)
    limit = pair_delta(losses, "remove", F(epsilon))
    turned = complex(math.cos(math.pi / 3), math.sin(math.pi / 3))
    for b, other in ((1, 0), (0, 1), (1, turned), (0.5, -0.5), (1, 0.3), (0.2, 1)):
        assert triangle(0.25, b, other, float(F(epsilon))) <= limit + 1e-5


def test_one_sample_of_a_fixed_size_attains_its_pair() -> None:
    losses = losses_of(sampled(1, 4, ReplaceOne()))
    for epsilon in (F(0), F(1, 3), F(1)):
        exact = triangle(0.25, 1, 0, float(epsilon))
        assert pair_delta(losses, "remove", epsilon) == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(
    ("sample", "neighbours"),
    [(4, ReplaceOne()), (5, ReplaceOne()), (1, AddRemove()), (1, ReplaceOne(Unit("person", 2)))],
)
def test_a_sample_of_a_fixed_size_out_of_its_range_is_refused(
    sample: int, neighbours: Neighbours
) -> None:
    with pytest.raises(ProofError):
        sampled(sample, 4, neighbours)


@pytest.mark.parametrize("theorem", [allocated(7, 2), sampled(1, 9, ReplaceOne())])
def test_the_rounds_are_secret(theorem: Theorem) -> None:
    assert {"secret-sample", "real-numbers"} <= theorem.hypotheses
    assert derivation(theorem)["steps"]
