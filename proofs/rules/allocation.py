"""A Gaussian where each record takes part in a few secret steps, or in a sample of a fixed size."""

from __future__ import annotations

import json
from fractions import Fraction

from proofs.hypotheses import BASE
from proofs.judgments import Dominated, Mechanism, Private, Stable
from proofs.losses import AllocationLoss, FixedSizeLoss, GaussianLoss, Losses, join
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, require, require_relation
from synthesizers.neighbours import AddRemove, ReplaceOne

OPEN = BASE | {"secret-sample", "real-numbers"}


def allocated_gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Gaussian noise in each of ``steps`` rounds, each record in exactly ``times`` of them.

    μ² = l2_squared/σ². One of t steps is the pair of `AllocationLoss`; k of t are k blocks of
    steps, t mod k of them one longer than the others, with a step of each.
    Source: Feldman & Shenfeld 2025 (allocation, and its parts); Chua et al. 2024 (one of t).

    Guarantee
    ---------
    ``tests/proofs/rules/test_allocation_rules.py::test_one_step_of_several_has_exactly_its_pair``.
    """
    premise = premises.one(Stable)
    needed = "add-remove of a record"
    require_relation(premise.neighbours == AddRemove(), premises.rule, premise.neighbours, needed)
    steps, times = parameters.whole("steps", 1), parameters.whole("times", 1)
    require(times <= steps, premises.rule, "a record can't be in more rounds than there are")
    squared = parameters.positive("sigma_squared")
    require(premise.l2_squared > 0, premises.rule, "the query must move")
    size, longer = divmod(steps, times)
    mu_squared = premise.l2_squared / squared
    blocks = ((times - longer, size), (longer, size + 1))
    losses = join([_block(length, mu_squared) for _, length in blocks], [n for n, _ in blocks])
    stated = {"steps": steps, "times": times, "sigma_squared": str(squared)}
    whole = Mechanism.of(premises.rule, {"query": json.loads(premise.query), **stated})
    return Conclusion(Private(whole, premise.neighbours, Dominated(losses)), OPEN)


def _block(steps: int, mu_squared: Fraction) -> Losses:
    """The pair of one step of a block."""
    alone = steps == 1
    return ((1, GaussianLoss(mu_squared) if alone else AllocationLoss(steps, mu_squared)),)


def fixed_size_gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Gaussian noise on a query of ``sample`` of the ``records``, n public, by `FixedSizeLoss`.

    q = sample/records and μ² = l2_squared/σ², where a record is replaced.
    Source: Zhu, Dong & Wang 2022, Theorem 11; Balle, Barthe & Gaboardi 2018, Theorem 2.

    Guarantee
    ---------
    ``tests/proofs/rules/test_allocation_rules.py::test_a_sample_of_a_fixed_size_is_dominated``.
    """
    premise = premises.one(Stable)
    needed = "replace-one of a record"
    require_relation(premise.neighbours == ReplaceOne(), premises.rule, premise.neighbours, needed)
    sample, records = parameters.whole("sample", 1), parameters.whole("records", 1)
    require(sample < records, premises.rule, "the sample must be smaller than the records")
    squared = parameters.positive("sigma_squared")
    loss = FixedSizeLoss(Fraction(sample, records), premise.l2_squared / squared)
    stated = {"sample": sample, "records": records, "sigma_squared": str(squared)}
    whole = Mechanism.of(premises.rule, {"query": json.loads(premise.query), **stated})
    return Conclusion(Private(whole, premise.neighbours, Dominated(((1, loss),))), OPEN)


RULES: dict[str, Rule] = {
    "allocated-gaussian": allocated_gaussian,
    "fixed-size-gaussian": fixed_size_gaussian,
}
"""The rules of allocation and of samples of a fixed size by their names."""
