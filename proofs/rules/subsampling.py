"""Subsampling: a mechanism that sees a secret random sample of the records.

Each scheme amplifies under its own neighbours: Poisson sampling where a record comes or goes,
samples of a fixed size where one is replaced. A person's records are sampled one by one, so none
of this holds of persons.
"""

from __future__ import annotations

import json
from fractions import Fraction

from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Dominated, Mechanism, Private, Stable
from proofs.losses import SampledGaussianLoss
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require, require_relation
from proofs.rules.zcdp_conversions import read_premise
from synthesizers.exact import ExpRational
from synthesizers.neighbours import AddRemove, ReplaceOne

SECRET = frozenset({"secret-sample"})


def poisson(premises: Premises, parameters: Parameters) -> Conclusion:
    """(ε, δ)-DP on a Poisson sample of rate q is (ln(1 + q(e^ε - 1)), qδ)-DP; add-remove only.

    Source: Li, Qardaji & Su 2012; Balle, Barthe & Gaboardi 2018, Theorem 8; ε in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_subsampling_rules.py::test_poisson_samples_of_random_mechanisms_keep_their_bound``.
    """
    premise, approx = read_premise(premises, ApproxDP)
    needed = "add-remove of a record"
    require_relation(premise.neighbours == AddRemove(), premises.rule, premise.neighbours, needed)
    fraction = parameters.positive("fraction")
    require(fraction <= 1, premises.rule, "the fraction must be at most 1")
    whole = Mechanism.of(premises.rule, {"fraction": str(fraction)}, (1, premise.mechanism))
    amplified = _amplify(approx, fraction, parameters.rational("epsilon"), premises.rule)
    return Conclusion(Private(whole, premise.neighbours, amplified), SECRET)


def without_replacement(premises: Premises, parameters: Parameters) -> Conclusion:
    """(ε, δ)-DP on m of n records, n public, is that of `poisson` with q = m/n; replace-one only.

    Source: Balle, Barthe & Gaboardi 2018, Theorem 9; ε in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_subsampling_rules.py::test_samples_of_a_fixed_size_keep_their_bound``.
    """
    premise, approx = read_premise(premises, ApproxDP)
    needed = "replace-one of a record"
    require_relation(premise.neighbours == ReplaceOne(), premises.rule, premise.neighbours, needed)
    sample, records = parameters.whole("sample", 1), parameters.whole("records", 1)
    require(sample <= records, premises.rule, "the sample must not exceed the records")
    size = {"sample": sample, "records": records}
    whole = Mechanism.of(premises.rule, size, (1, premise.mechanism))
    fraction, epsilon = Fraction(sample, records), parameters.rational("epsilon")
    amplified = _amplify(approx, fraction, epsilon, premises.rule)
    return Conclusion(Private(whole, premise.neighbours, amplified), SECRET)


def _amplify(approx: ApproxDP, fraction: Fraction, epsilon: Fraction, rule: str) -> ApproxDP:
    """(ε', qδ)-DP with the stated ε' where e^ε' >= 1 + q(e^ε - 1)."""
    least = ExpRational.exp(approx.epsilon) * fraction + (1 - fraction)
    expected = "epsilon must be at least ln(1 + fraction·(e^epsilon - 1)) of the premise's"
    at_most(least, ExpRational.exp(epsilon), rule, expected)
    return ApproxDP(epsilon, fraction * approx.delta)


def poisson_gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Gaussian noise on a query of a Poisson sample of rate q, by the pair of one dimension.

    μ² = l2_squared/σ². With the record P = (1-q)·N(0, 1) + q·N(μ, 1), without it Q = N(0, 1): P
    is the mixture on remove, and Q on add. Only the length of the move matters: the noise is the
    same in all directions, and a shorter move follows by adding noise to both.
    Source: Zhu, Dong & Wang 2022, Theorem 11; Balle & Wang 2018 for the single Gaussian.

    Guarantee
    ---------
    ``tests/proofs/rules/test_poisson_gaussian_rule.py::test_the_sampled_gaussian_dominates_vectors_on_each_side``.
    """
    premise = premises.one(Stable)
    needed = "add-remove of a record"
    require_relation(premise.neighbours == AddRemove(), premises.rule, premise.neighbours, needed)
    fraction, squared = parameters.rational("fraction"), parameters.positive("sigma_squared")
    loss = SampledGaussianLoss(fraction, premise.l2_squared / squared)
    stated = {"fraction": str(fraction), "sigma_squared": str(squared)}
    whole = Mechanism.of(premises.rule, {"query": json.loads(premise.query), **stated})
    judgment = Private(whole, premise.neighbours, Dominated(((1, loss),)))
    return Conclusion(judgment, BASE | SECRET | {"real-numbers"})


RULES: dict[str, Rule] = {
    "poisson": poisson,
    "without-replacement": without_replacement,
    "poisson-gaussian": poisson_gaussian,
}
"""The rules of subsampling by their names."""
