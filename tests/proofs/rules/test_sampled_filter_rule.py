"""The filter of sampled Gaussian steps: against quadrature of adaptive steps, and its refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.judgments import LossList, Private
from proofs.kernel import Theorem, prove
from proofs.ledger.programs import of_budget
from proofs.losses import SampledGaussianLoss
from proofs.parts import Part
from proofs.search.best import strongest
from synthesizers.budget import SampledGaussianBudget
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit

F = Fraction
GIVEN: dict[str, Any] = {"neighbours": AddRemove(), "program": {"name": "made"}}
STEPS = {"loss": "sampled-gaussian", "count": 2, "fraction": F(1, 4), "mu_squared": F(1)}


def filtered(changed: dict[str, Any], **step: Any) -> Theorem:
    """A program of so many sampled steps, as stated or changed."""
    return prove("filter", [], {**GIVEN, "budget": {**STEPS, **step}, **changed})


def test_the_theorem_is_that_of_composed_steps() -> None:
    theorem = filtered({})
    one = prove(
        "stated-sensitivity",
        [],
        {
            "neighbours": AddRemove(), "query": "q", "l0": 1, "l1": 3, "l2_squared": 9, "linf": 3,
            "monotone": False, "integers": True,
        },
    )  # fmt: skip
    step = prove("sampled-gaussian", [one], {"fraction": F(1, 4), "sigma_squared": 9})
    composed = prove("compose", [step], {"counts": [2]})
    assert isinstance(theorem.judgment, Private) and isinstance(composed.judgment, Private)
    assert theorem.judgment.guarantee == composed.judgment.guarantee
    assert theorem.judgment.guarantee == LossList(((2, SampledGaussianLoss(F(1, 4), F(1))),))
    assert theorem.hypotheses >= {"real-numbers", "secret-sample", "curator"}


GRID = np.linspace(-8, 9, 681)
STEP = GRID[1] - GRID[0]


def density(centre: float) -> Any:
    return np.exp(-((GRID - centre) ** 2) / 2) / math.sqrt(2 * math.pi)


def adaptive(present: bool, rate: float) -> Any:
    """Two steps of σ = 1: the second moves by 1 or by a half, as the first answer says."""
    first = (1 - rate) * density(0) + rate * density(1) if present else density(0)
    rows = []
    for answer, weight in zip(GRID, first, strict=True):
        moved = 1.0 if answer > 0.3 else -0.5
        second = (1 - rate) * density(0) + rate * density(moved) if present else density(0)
        rows.append(weight * second)
    return np.array(rows)


@pytest.mark.parametrize("rate", [pytest.param(F(1, 4), marks=pytest.mark.slow), F(3, 5)])
def test_adaptive_steps_keep_the_profile_of_their_pairs(rate: Fraction) -> None:
    whole = Part("steps", 1, filtered({}, fraction=rate))
    with_it, without = adaptive(True, float(rate)), adaptive(False, float(rate))
    for delta in (F(1, 10), F(1, 100)):
        best = min(float(offer.value) for offer in strongest([whole], ApproxDP(F(1), delta)))
        for p, q in ((with_it, without), (without, with_it)):
            excess = np.maximum(p - math.exp(best) * q, 0).sum() * STEP**2
            assert excess <= float(delta) + 1e-6


def test_a_budget_of_steps_is_proved_by_it() -> None:
    budget = SampledGaussianBudget(F(1, 4), F(1), 2)
    (found,) = of_budget(budget, AddRemove(), {"name": "made"})
    assert found.theorem.rule == "filter"
    with pytest.raises(ProofError, match="it holds under add-remove"):
        of_budget(budget, ReplaceOne(), {"name": "made"})


@pytest.mark.parametrize(
    ("changed", "step"),
    [
        ({"neighbours": ReplaceOne()}, {}),
        ({"neighbours": AddRemove(Unit("person", 2))}, {}),
        ({}, {"fraction": F(1)}),
        ({}, {"fraction": F(0)}),
        ({}, {"mu_squared": F(0)}),
        ({}, {"count": 0}),
        ({}, {"count": "2"}),
        ({}, {"more": 1}),
        ({"more": 1}, {}),
    ],
)
def test_other_neighbours_and_ranges_are_refused(
    changed: dict[str, Any], step: dict[str, Any]
) -> None:
    with pytest.raises(ProofError):
        filtered(changed, **step)
