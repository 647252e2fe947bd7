"""Rules of selection: one candidate chosen by its score, or bits for the answers above a threshold.

Between neighbours the difference of two scores moves by at most twice the largest move of one
score, and by that move alone where all scores move in one direction: that is the *span*.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from proofs.entries import BoundedRangeLoss
from proofs.errors import require
from proofs.judgments import Stable
from proofs.losses import ResponseLoss
from proofs.parameters import Count, Positive
from proofs.rules.rule import Conclusion, lose, rule


@rule("exponential")
def exponential(scores: Stable, rate: Positive) -> Conclusion:
    """The exponential mechanism, P[i] ∝ e^(rate·score_i): a bounded range of ε = rate·span.

    Source: McSherry & Talwar 2007, Theorem 6; Dong, Durfee & Rogers 2020 (bounded range).

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_the_exponential_rule``.
    """
    return lose(scores.neighbours, ((1, BoundedRangeLoss(rate * _span(scores))),))


Noise = Literal["laplace", "exponential", "discrete-laplace"]


@rule("noisy-max")
def noisy_max(scores: Stable, noise: Noise, scale: Positive) -> Conclusion:
    """The index of the largest score with noise of scale b on each: ε = span/b, δ = 0.

    Ties of discrete Laplace noise go by an order, or a coin, that does not look at the data.

    Source: Dwork & Roth 2014, Claim 3.9 (Laplace, counts); Ding et al. 2021 (exponential); the
    proof for all three noises is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_the_noisy_max_rule``.
    """
    real = noise != "discrete-laplace"
    require(real or scores.integers, "noise on the integers needs integer scores")
    loss = ResponseLoss(_span(scores) / scale)
    return lose(scores.neighbours, ((1, loss),), *(["real-numbers"] if real else []))


@rule("permute-and-flip")
def permute_and_flip(scores: Stable, rate: Positive) -> Conclusion:
    """Candidates in random order, each kept with chance e^(rate·(score - best)): ε = rate·span.

    Source: McKenna & Sheldon 2020; as noisy max with exponential noise, Ding et al. 2021.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_permute_and_flip``.
    """
    return lose(scores.neighbours, ((1, ResponseLoss(rate * _span(scores))),))


@rule("sparse-vector")
def sparse_vector(
    answers: Stable,
    threshold_scale: Positive,
    query_scale: Positive,
    count: Count,
    resampled: bool,
    releases: Literal["bits"],
) -> Conclusion:
    """Which answers are above a threshold, up to ``count`` of them: L∞/b₁ + count·span/b₂.

    Laplace noise of scale b₁ on the threshold, once, and of scale b₂ on each answer.

    Source: Lyu, Su & Li 2017, Algorithm 7.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_answers_lose_more_than_the_sparse_vector_rule``.
    """
    require(not resampled, "the noise of the threshold is drawn once, and kept")
    epsilon = answers.linf / threshold_scale + count * _span(answers) / query_scale
    return lose(answers.neighbours, ((1, ResponseLoss(epsilon)),), "real-numbers")


def _span(scores: Stable) -> Fraction:
    """How far the difference of two scores moves."""
    return scores.linf if scores.monotone else 2 * scores.linf
