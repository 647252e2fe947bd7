"""Subsampling: a mechanism that sees a secret random sample of the records.

Each scheme amplifies under its own neighbours: Poisson sampling where a record comes or goes,
samples of a fixed size where one is replaced. A person's records are sampled one by one, so none
of this holds of persons.
"""

from __future__ import annotations

import json
from fractions import Fraction

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import LossList, Mechanism, Private, Stable
from proofs.losses import SampledGaussianLoss
from proofs.parameters import optional, positive, rational, whole
from proofs.rules.rule import (
    Conclusion,
    at_most,
    guarantee_of,
    mechanism,
    query,
    require,
    require_relation,
    rule,
)
from synthesizers.exact import ExpRational
from synthesizers.neighbours import AddRemove, ReplaceOne

SECRET = frozenset({"secret-sample"})


@rule(
    "subsample",
    mechanism,
    epsilon=rational,
    fraction=optional(positive),
    sample=optional(whole(least=1)),
    records=optional(whole(least=1)),
)
def subsample(
    premise: Private,
    epsilon: Fraction,
    fraction: Fraction | None,
    sample: int | None,
    records: int | None,
) -> Conclusion:
    """(ε, δ)-DP on a sample of rate q is (ln(1 + q(e^ε - 1)), qδ)-DP; ε in nats.

    A Poisson sample of rate ``fraction`` under add-remove, or ``sample`` of ``records``, their
    number public, under replace-one, with q = sample/records. Source: Li, Qardaji & Su 2012; Balle,
    Barthe & Gaboardi 2018, Theorems 8 and 9.

    Guarantee
    ---------
    ``tests/proofs/rules/test_subsampling_rules.py::test_samples_of_random_mechanisms_keep_their_bound``.
    """
    approx, stated = guarantee_of(premise, ApproxDP), dict[str, object]()
    if fraction is not None and sample is None and records is None:
        needed = "add-remove of a record"
        require_relation(premise.neighbours == AddRemove(), premise.neighbours, needed)
        rate, stated = fraction, {"fraction": str(fraction)}
    elif fraction is None and sample is not None and records is not None:
        needed = "replace-one of a record"
        require_relation(premise.neighbours == ReplaceOne(), premise.neighbours, needed)
        rate, stated = Fraction(sample, records), {"sample": sample, "records": records}
    else:
        raise ProofError("it takes a fraction, or a sample and the records")
    require(rate <= 1, "the sample is no larger than the whole")
    least = ExpRational.exp(approx.epsilon) * rate + (1 - rate)
    expected = "epsilon must be at least ln(1 + fraction·(e^epsilon - 1)) of the premise's"
    at_most(least, ExpRational.exp(epsilon), expected)
    judgment = Private(
        Mechanism.of("subsample", stated, (1, premise.mechanism)),
        premise.neighbours,
        ApproxDP(epsilon, rate * approx.delta),
    )
    return Conclusion(judgment, SECRET)


@rule("sampled-gaussian", query, fraction=rational, sigma_squared=positive)
def sampled_gaussian(stable: Stable, fraction: Fraction, sigma_squared: Fraction) -> Conclusion:
    """Gaussian noise on a query of a Poisson sample of rate q, by the pair of one dimension.

    μ² = l2_squared/σ². With the record P = (1-q)·N(0, 1) + q·N(μ, 1), without it Q = N(0, 1): P
    is the mixture on remove, and Q on add. Only the length of the move matters: the noise is the
    same in all directions, and a shorter move follows by adding noise to both.
    Source: Zhu, Dong & Wang 2022, Theorem 11; Balle & Wang 2018 for the single Gaussian.

    Guarantee
    ---------
    ``tests/proofs/rules/test_sampled_gaussian_rule.py::test_the_sampled_gaussian_dominates_vectors_on_each_side``.
    """
    needed = "add-remove of a record"
    require_relation(stable.neighbours == AddRemove(), stable.neighbours, needed)
    loss = SampledGaussianLoss(fraction, stable.l2_squared / sigma_squared)
    stated = {"fraction": str(fraction), "sigma_squared": str(sigma_squared)}
    whole_ = Mechanism.of("sampled-gaussian", {"query": json.loads(stable.query), **stated})
    judgment = Private(whole_, stable.neighbours, LossList(((1, loss),)))
    return Conclusion(judgment, BASE | SECRET | {"real-numbers"})


RULES = (subsample, sampled_gaussian)
