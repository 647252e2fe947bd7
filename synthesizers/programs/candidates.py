"""What programs share that measure the marginal their model gets most wrong: candidates, rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from synthesizers.curator import Curator
from synthesizers.estimation.junction_trees import maximal_cliques, model_cells
from synthesizers.estimation.models import Model, NoisyMarginal, Shape
from synthesizers.programs.marginal_questions import (
    choose,
    epsilon_of_choice,
    expected_noise,
    measure_marginal,
    model_counts,
    price_of_choice,
)
from synthesizers.queries import Marginal, ModelError
from synthesizers.queries.query import MAX_SUMMAND

Candidate = tuple[str, ...]

MEASURING = Fraction(9, 10)
"""The share of a round that its measurement takes (McKenna et al. 2022, sections 4 and 6)."""


def affordable(
    shape: Shape, candidates: Iterable[Candidate], measured_sets: Sequence[Candidate], cells: int
) -> list[Candidate]:
    """The candidates with which the model has at most so many cells, and those that it holds."""
    held = maximal_cliques(shape, measured_sets)
    return [
        candidate
        for candidate in candidates
        if any(clique.issuperset(candidate) for clique in held)
        or model_cells(shape, [*measured_sets, candidate]) <= cells
    ]


def score_candidates(
    curator: Curator,
    model: Model,
    candidates: Sequence[Candidate],
    weights: dict[Candidate, int],
    rho: Fraction,
) -> ModelError:
    """The question by which a candidate is chosen, to be measured at the cost of ``rho``."""
    counts = [model_counts(model.counts(candidate)) for candidate in candidates]
    offsets = []
    for candidate, cells in zip(candidates, map(len, counts), strict=True):
        sensitivity = Marginal(candidate).sensitivity(curator.domain, curator.neighbours)
        noise = expected_noise(float(sensitivity.l2_squared / (2 * rho)), cells)
        offsets.append(-min(round(weights[candidate] * noise), MAX_SUMMAND))
    return ModelError(
        tuple(map(Marginal, candidates)),
        tuple(counts),
        tuple(weights[candidate] for candidate in candidates),
        tuple(offsets),
    )


def measure_worst(
    curator: Curator,
    model: Model,
    candidates: Sequence[Candidate],
    weights: dict[Candidate, int],
    share: Fraction,
    slack: int | None,
) -> NoisyMarginal:
    """The marginal of one round: chosen and measured at the cost of ``share`` of rho."""
    epsilon = epsilon_of_choice((1 - MEASURING) * share)
    price = share - price_of_choice(epsilon)
    scores = score_candidates(curator, model, candidates, weights, price)
    return measure_marginal(
        curator, Marginal(candidates[choose(curator, scores, epsilon)]), price, slack
    )
