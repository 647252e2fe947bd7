"""The pairs of losses: their ranges, and how they add up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs.errors import ProofError
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    ResponseLoss,
    SampledGaussianLoss,
    join,
    sides,
)

F = Fraction


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (GaussianLoss, [F(-1)]),
        (LaplaceLoss, [F(-1, 2)]),
        (DiscreteLaplaceLoss, [F(0), 1]),
        (DiscreteLaplaceLoss, [F(1), -1]),
        (DiscreteGaussianLoss, [F(0), 1]),
        (DiscreteGaussianLoss, [F(1), -1]),
        (ResponseLoss, [F(-1), F(0)]),
        (ResponseLoss, [F(1), F(-1, 10)]),
        (ResponseLoss, [F(1), F(1)]),
        (SampledGaussianLoss, [F(0), F(1)]),
        (SampledGaussianLoss, [F(1), F(1)]),
        (SampledGaussianLoss, [F(1, 2), F(0)]),
        (AllocationLoss, [1, F(1)]),
        (AllocationLoss, [2, F(0)]),
        (FixedSizeLoss, [F(1), F(1)]),
        (FixedSizeLoss, [F(1, 2), F(0)]),
    ],
)
def test_numbers_out_of_range_are_refused(kind: Any, values: list[Any]) -> None:
    with pytest.raises(ProofError):
        kind(*values)


def test_joined_losses_are_counted_and_gaussians_become_one() -> None:
    first = ((1, GaussianLoss(F(1, 2))), (2, LaplaceLoss(F(1))))
    second = ((3, LaplaceLoss(F(1))), (1, ResponseLoss(F(1), F(1, 4))), (2, GaussianLoss(F(1))))
    found = join([first, second], [2, 5])
    # μ²: 2·1/2 + 5·2·1; Laplace: 2·2 + 5·3.
    wanted = (
        (1, GaussianLoss(F(11))),
        (19, LaplaceLoss(F(1))),
        (5, ResponseLoss(F(1), F(1, 4))),
    )
    assert found == wanted
    assert join([found], [1]) == found
    assert join([((1, LaplaceLoss(F(1))),)], [0]) == ()


def test_the_order_of_the_parts_does_not_matter() -> None:
    parts = [((1, LaplaceLoss(F(n))), (1, DiscreteLaplaceLoss(F(1), n))) for n in (3, 1, 2)]
    assert join(parts, [1, 1, 1]) == join(parts[::-1], [1, 1, 1])


def test_mixtures_have_two_sides() -> None:
    plain = ((1, GaussianLoss(F(1))), (1, FixedSizeLoss(F(1, 2), F(1))))
    assert sides(plain) == ("remove",)
    for loss in (AllocationLoss(2, F(1)), SampledGaussianLoss(F(1, 2), F(1))):
        assert sides(((2, loss), *plain)) == ("remove", "add")
