"""Subsampling: a mechanism that sees a secret random sample of the records, once or in some steps.

Each scheme amplifies under its own neighbours: Poisson sampling where a record comes or goes,
samples of a fixed size where one is replaced. A person's records are sampled one by one, so none
of this holds of persons.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.errors import ProofError, require
from proofs.guarantees import ApproxDP
from proofs.judgments import Private, Stable
from proofs.losses import AllocationLoss, FixedSizeLoss, GaussianLoss, SampledGaussianLoss, join
from proofs.parameters import Count, Positive
from proofs.rules.rule import (
    Conclusion,
    at_most,
    guarantee_of,
    lose,
    require_neighbours,
    restate,
    rule,
)
from synthesizers.exact import ExpRational
from synthesizers.neighbours import AddRemove, ReplaceOne


@rule("subsample")
def subsample(
    premise: Private,
    epsilon: Fraction,
    fraction: Positive | None,
    sample: Count | None,
    records: Count | None,
) -> Conclusion:
    """(ε, δ)-DP on a sample of rate q is (ln(1 + q(e^ε - 1)), qδ)-DP; ε in nats.

    A Poisson sample of rate ``fraction`` under add-remove, or ``sample`` of ``records``, their
    number public, under replace-one, with q = sample/records. Source: Li, Qardaji & Su 2012; Balle,
    Barthe & Gaboardi 2018, Theorems 8 and 9.

    Guarantee
    ---------
    ``tests/proofs/rules/test_subsampling_rules.py::test_samples_of_random_mechanisms_keep_their_bound``.
    """
    approx = guarantee_of(premise, ApproxDP)
    if fraction is not None and sample is None and records is None:
        require_neighbours(premise.neighbours, AddRemove())
        rate = fraction
    elif fraction is None and sample is not None and records is not None:
        require_neighbours(premise.neighbours, ReplaceOne())
        rate = Fraction(sample, records)
    else:
        raise ProofError("it takes a fraction, or a sample and the records")
    require(rate <= 1, "the sample is no larger than the whole")
    least = ExpRational.exp(approx.epsilon) * rate + (1 - rate)
    expected = "epsilon must be at least ln(1 + fraction·(e^epsilon - 1)) of the premise's"
    at_most(least, ExpRational.exp(epsilon), expected)
    return restate(premise, ApproxDP(epsilon, rate * approx.delta), "secret-sample")


@rule("sampled-gaussian")
def sampled_gaussian(stable: Stable, fraction: Fraction, sigma_squared: Positive) -> Conclusion:
    """Gaussian noise on a query of a Poisson sample of rate q, by the pair of one dimension.

    μ² = l2_squared/σ². With the record P = (1-q)·N(0, 1) + q·N(μ, 1), without it Q = N(0, 1): P
    is the mixture on remove, and Q on add. Only the length of the move matters: the noise is the
    same in all directions, and a shorter move follows by adding noise to both.
    Source: Zhu, Dong & Wang 2022, Theorem 11; Balle & Wang 2018 for the single Gaussian.

    Guarantee
    ---------
    ``tests/proofs/rules/test_sampled_gaussian_rule.py::test_the_sampled_gaussian_dominates_vectors_on_each_side``.
    """
    require_neighbours(stable.neighbours, AddRemove())
    loss = SampledGaussianLoss(fraction, stable.l2_squared / sigma_squared)
    return lose(stable.neighbours, ((1, loss),), "secret-sample", "real-numbers")


@rule("allocated-gaussian")
def allocated_gaussian(
    stable: Stable, steps: Count, times: Count, sigma_squared: Positive
) -> Conclusion:
    """Gaussian noise in each of ``steps`` rounds, each record in exactly ``times`` of them.

    μ² = l2_squared/σ². One of t steps is the pair of `AllocationLoss`; k of t are k blocks of
    steps, t mod k of them one longer than the others, with a step of each.
    Source: Feldman & Shenfeld 2025 (allocation, and its parts); Chua et al. 2024 (one of t).

    Guarantee
    ---------
    ``tests/proofs/rules/test_allocation_rules.py::test_one_step_of_several_has_exactly_its_pair``.
    """
    require_neighbours(stable.neighbours, AddRemove())
    require(times <= steps, "a record can't be in more rounds than there are")
    require(stable.l2_squared > 0, "the query must move")
    size, longer = divmod(steps, times)
    mu_squared = stable.l2_squared / sigma_squared
    parts = [((1, _block(length, mu_squared)),) for length in (size, size + 1)]
    losses = join(parts, [times - longer, longer])
    return lose(stable.neighbours, losses, "secret-sample", "real-numbers")


def _block(steps: int, mu_squared: Fraction) -> GaussianLoss | AllocationLoss:
    """The loss of one step of a block."""
    return GaussianLoss(mu_squared) if steps == 1 else AllocationLoss(steps, mu_squared)


@rule("fixed-size-gaussian")
def fixed_size_gaussian(
    stable: Stable, sample: Count, records: Count, sigma_squared: Positive
) -> Conclusion:
    """Gaussian noise on a query of ``sample`` of the ``records``, n public, by `FixedSizeLoss`.

    q = sample/records and μ² = l2_squared/σ², where a record is replaced.
    Source: Zhu, Dong & Wang 2022, Theorem 11; Balle, Barthe & Gaboardi 2018, Theorem 2.

    Guarantee
    ---------
    ``tests/proofs/rules/test_allocation_rules.py::test_a_sample_of_a_fixed_size_is_dominated``.
    """
    require_neighbours(stable.neighbours, ReplaceOne())
    loss = FixedSizeLoss(Fraction(sample, records), stable.l2_squared / sigma_squared)
    return lose(stable.neighbours, ((1, loss),), "secret-sample", "real-numbers")
