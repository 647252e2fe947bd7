"""Rules of selection: one candidate chosen by its score, or bits for the answers above a threshold.

Between neighbours the difference of two scores moves by at most twice the largest move of one
score, and by that move alone where all scores move in one direction.
"""

from __future__ import annotations

import json
from fractions import Fraction

from proofs.guarantees import ZCDP, ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Mechanism, Private, Stable
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, require

_Own = dict[str, Fraction | int | str]
"""A mechanism's own parameters."""


def exponential(premises: Premises, parameters: Parameters) -> Conclusion:
    """The exponential mechanism, P[i] ∝ e^(rate·score_i): ε = rate·span, δ = 0.

    The span, here and below: L∞ for monotone scores, otherwise 2·L∞.

    Source: McSherry & Talwar 2007, Theorem 6.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_the_exponential_rule``.
    """
    scores, rate = premises.one(Stable), parameters.positive("rate")
    guarantee = ApproxDP(rate * _span(scores))
    return _conclude_selection(scores, "exponential", guarantee, {"rate": rate})


def exponential_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """The exponential mechanism: ρ = ε²/8 with ε = rate·span.

    Source: Cesar & Rogers 2021, Lemmas 3.2 and 3.4.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_the_zcdp_rule``.
    """
    scores, rate = premises.one(Stable), parameters.positive("rate")
    epsilon = rate * _span(scores)
    return _conclude_selection(scores, "exponential", ZCDP(epsilon * epsilon / 8), {"rate": rate})


def noisy_max(premises: Premises, parameters: Parameters) -> Conclusion:
    """The index of the largest score with noise of scale b on each: ε = span/b, δ = 0.

    Ties of discrete Laplace noise go by an order, or a coin, that does not look at the data.

    Source: Dwork & Roth 2014, Claim 3.9 (Laplace, counts); Ding et al. 2021 (exponential); the
    proof for all three noises is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_the_noisy_max_rule``.
    """
    scores, scale = premises.one(Stable), parameters.positive("scale")
    noise = parameters.choice("noise", "laplace", "exponential", "discrete-laplace")
    whole = noise != "discrete-laplace" or scores.integers
    require(whole, premises.rule, "noise on the integers needs integer scores")
    guarantee = ApproxDP(_span(scores) / scale)
    found = _conclude_selection(scores, "noisy-max", guarantee, {"noise": noise, "scale": scale})
    if noise == "discrete-laplace":
        return found
    return Conclusion(found.judgment, found.hypotheses | {"real-numbers"})


def permute_and_flip(premises: Premises, parameters: Parameters) -> Conclusion:
    """Candidates in random order, each kept with chance e^(rate·(score - best)): ε = rate·span.

    Source: McKenna & Sheldon 2020; as noisy max with exponential noise, Ding et al. 2021.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_scores_lose_more_than_permute_and_flip``.
    """
    scores, rate = premises.one(Stable), parameters.positive("rate")
    guarantee = ApproxDP(rate * _span(scores))
    return _conclude_selection(scores, "permute-and-flip", guarantee, {"rate": rate})


def sparse_vector(premises: Premises, parameters: Parameters) -> Conclusion:
    """Which answers are above a threshold, up to ``count`` of them: L∞/b₁ + count·span/b₂.

    Laplace noise of scale b₁ on the threshold, once, and of scale b₂ on each answer.

    Source: Lyu, Su & Li 2017, Algorithm 7.

    Guarantee
    ---------
    ``tests/proofs/rules/test_selection_rules.py::test_no_answers_lose_more_than_the_sparse_vector_rule``.
    """
    answers, count = premises.one(Stable), parameters.whole("count", least=1)
    threshold, query = parameters.positive("threshold_scale"), parameters.positive("query_scale")
    once = not parameters.flag("resampled")
    require(once, premises.rule, "the threshold keeps its one noise until the end")
    releases = parameters.choice("releases", "bits")
    guarantee = ApproxDP(answers.linf / threshold + count * _span(answers) / query)
    own: _Own = {"threshold_scale": threshold, "query_scale": query}
    own |= {"count": count, "releases": releases}
    found = _conclude_selection(answers, "sparse-vector", guarantee, own)
    return Conclusion(found.judgment, found.hypotheses | {"real-numbers"})


def _span(scores: Stable) -> Fraction:
    """How far the difference of two scores moves at most."""
    return scores.linf if scores.monotone else 2 * scores.linf


def _conclude_selection(
    scores: Stable, name: str, guarantee: ApproxDP | ZCDP, own: _Own
) -> Conclusion:
    plain = {key: str(value) if type(value) is Fraction else value for key, value in own.items()}
    mechanism = Mechanism.of(name, {"query": json.loads(scores.query), **plain})
    return Conclusion(Private(mechanism, scores.neighbours, guarantee), BASE)


RULES: dict[str, Rule] = {
    "exponential": exponential,
    "exponential-zcdp": exponential_zcdp,
    "noisy-max": noisy_max,
    "permute-and-flip": permute_and_flip,
    "sparse-vector": sparse_vector,
}
"""The rules of selection by their names."""
