"""A Gaussian where each record takes part in a few secret steps, or in a sample of a fixed size."""

from __future__ import annotations

import json
from fractions import Fraction

from proofs.hypotheses import BASE
from proofs.judgments import LossList, Mechanism, Private, Stable
from proofs.losses import AllocationLoss, FixedSizeLoss, GaussianLoss, join
from proofs.parameters import positive, whole
from proofs.rules.rule import Conclusion, query, require, require_relation, rule
from proofs.rules.subsampling import SECRET
from synthesizers.neighbours import AddRemove, ReplaceOne


@rule(
    "allocated-gaussian", query, steps=whole(least=1), times=whole(least=1), sigma_squared=positive
)
def allocated_gaussian(
    stable: Stable, steps: int, times: int, sigma_squared: Fraction
) -> Conclusion:
    """Gaussian noise in each of ``steps`` rounds, each record in exactly ``times`` of them.

    μ² = l2_squared/σ². One of t steps is the pair of `AllocationLoss`; k of t are k blocks of
    steps, t mod k of them one longer than the others, with a step of each.
    Source: Feldman & Shenfeld 2025 (allocation, and its parts); Chua et al. 2024 (one of t).

    Guarantee
    ---------
    ``tests/proofs/rules/test_allocation_rules.py::test_one_step_of_several_has_exactly_its_pair``.
    """
    needed = "add-remove of a record"
    require_relation(stable.neighbours == AddRemove(), stable.neighbours, needed)
    require(times <= steps, "a record can't be in more rounds than there are")
    require(stable.l2_squared > 0, "the query must move")
    size, longer = divmod(steps, times)
    mu_squared = stable.l2_squared / sigma_squared
    parts = [((1, _block(length, mu_squared)),) for length in (size, size + 1)]
    losses = LossList(join(parts, [times - longer, longer]))
    stated = {"steps": steps, "times": times, "sigma_squared": str(sigma_squared)}
    return _conclude("allocated-gaussian", stable, stated, losses)


def _block(steps: int, mu_squared: Fraction) -> GaussianLoss | AllocationLoss:
    """The loss of one step of a block."""
    return GaussianLoss(mu_squared) if steps == 1 else AllocationLoss(steps, mu_squared)


@rule(
    "fixed-size-gaussian",
    query,
    sample=whole(least=1),
    records=whole(least=1),
    sigma_squared=positive,
)
def fixed_size_gaussian(
    stable: Stable, sample: int, records: int, sigma_squared: Fraction
) -> Conclusion:
    """Gaussian noise on a query of ``sample`` of the ``records``, n public, by `FixedSizeLoss`.

    q = sample/records and μ² = l2_squared/σ², where a record is replaced.
    Source: Zhu, Dong & Wang 2022, Theorem 11; Balle, Barthe & Gaboardi 2018, Theorem 2.

    Guarantee
    ---------
    ``tests/proofs/rules/test_allocation_rules.py::test_a_sample_of_a_fixed_size_is_dominated``.
    """
    needed = "replace-one of a record"
    require_relation(stable.neighbours == ReplaceOne(), stable.neighbours, needed)
    require(sample < records, "the sample must be smaller than the records")
    loss = FixedSizeLoss(Fraction(sample, records), stable.l2_squared / sigma_squared)
    stated = {"sample": sample, "records": records, "sigma_squared": str(sigma_squared)}
    return _conclude("fixed-size-gaussian", stable, stated, LossList(((1, loss),)))


def _conclude(name: str, stable: Stable, stated: dict[str, object], losses: LossList) -> Conclusion:
    whole_ = Mechanism.of(name, {"query": json.loads(stable.query), **stated})
    opens = BASE | SECRET | {"real-numbers"}
    return Conclusion(Private(whole_, stable.neighbours, losses), opens)


RULES = (allocated_gaussian, fixed_size_gaussian)
