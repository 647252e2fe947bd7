"""Rules of selection: one candidate chosen by its score, or bits for the answers above a threshold.

Between neighbours the difference of two scores moves by at most twice the largest move of one
score, and by that move alone where all scores move in one direction: that is the *span*.
"""

from __future__ import annotations

import json
from fractions import Fraction

from proofs.entries import BoundedRangeLoss, Entry
from proofs.hypotheses import BASE
from proofs.judgments import LossList, Mechanism, Private, Stable
from proofs.losses import ResponseLoss
from proofs.parameters import choice, flag, positive, whole
from proofs.rules.rule import Conclusion, query, require, rule


@rule("exponential", query, rate=positive)
def exponential(scores: Stable, rate: Fraction) -> Conclusion:
    """The exponential mechanism, P[i] ∝ e^(rate·score_i): a bounded range of ε = rate·span.

    Source: McSherry & Talwar 2007, Theorem 6; Dong, Durfee & Rogers 2020 (bounded range).

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_the_exponential_rule``.
    """
    return _conclude(scores, "exponential", BoundedRangeLoss(rate * _span(scores)), rate=rate)


@rule(
    "noisy-max", query, noise=choice("laplace", "exponential", "discrete-laplace"), scale=positive
)
def noisy_max(scores: Stable, noise: str, scale: Fraction) -> Conclusion:
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
    found = _conclude(scores, "noisy-max", loss, noise=noise, scale=scale)
    return Conclusion(found.judgment, found.hypotheses | ({"real-numbers"} if real else set()))


@rule("permute-and-flip", query, rate=positive)
def permute_and_flip(scores: Stable, rate: Fraction) -> Conclusion:
    """Candidates in random order, each kept with chance e^(rate·(score - best)): ε = rate·span.

    Source: McKenna & Sheldon 2020; as noisy max with exponential noise, Ding et al. 2021.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_permute_and_flip``.
    """
    return _conclude(scores, "permute-and-flip", ResponseLoss(rate * _span(scores)), rate=rate)


@rule(
    "sparse-vector",
    query,
    threshold_scale=positive,
    query_scale=positive,
    count=whole(least=1),
    resampled=flag,
    releases=choice("bits"),
)
def sparse_vector(
    answers: Stable,
    threshold_scale: Fraction,
    query_scale: Fraction,
    count: int,
    resampled: bool,
    releases: str,
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
    found = _conclude(
        answers,
        "sparse-vector",
        ResponseLoss(epsilon),
        threshold_scale=threshold_scale,
        query_scale=query_scale,
        count=count,
        releases=releases,
    )
    return Conclusion(found.judgment, found.hypotheses | {"real-numbers"})


def _span(scores: Stable) -> Fraction:
    """How far the difference of two scores moves."""
    return scores.linf if scores.monotone else 2 * scores.linf


def _conclude(scores: Stable, name: str, loss: Entry, **own: Fraction | int | str) -> Conclusion:
    plain = {key: str(value) if type(value) is Fraction else value for key, value in own.items()}
    whole_ = Mechanism.of(name, {"query": json.loads(scores.query), **plain})
    return Conclusion(Private(whole_, scores.neighbours, LossList(((1, loss),))), BASE)


RULES = (exponential, noisy_max, permute_and_flip, sparse_vector)
