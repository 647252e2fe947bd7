"""Rules of composition: mechanisms run one after another, or each on its own part of the records.

Each question may be chosen by the answers before it, as long as the numbers of its guarantee were
fixed in advance; where they are not, see `adaptive`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from proofs.entries import ConcentratedLoss, Entry, RenyiCurve
from proofs.errors import ProofError, require
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Private
from proofs.losses import GaussianLoss, ResponseLoss, join
from proofs.parameters import Chance, Count
from proofs.rules.rule import (
    Conclusion,
    Premises,
    guarantee_of,
    require_neighbours,
    restate,
    rule,
)
from proofs.rules.structure import scale_to_group, worst
from synthesizers.neighbours import AddRemove, ReplaceOne


@rule("compose")
def compose(premises: Premises, counts: tuple[Count, ...] | None) -> Conclusion:
    """The losses of mechanisms that run one after another add up; ``counts``: how often each runs.

    Source: Dwork & Roth 2014, Theorem 3.16 (pure and approximate); Bun & Steinke 2016, Lemmas 2.3
    and 8.2; Mironov 2017, Proposition 1; Dong, Roth & Su 2022, Corollary 3.3; Zhu, Dong & Wang
    2022, Theorem 10 (dominating pairs).

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    lists = [guarantee_of(premise, LossList).losses for premise in premises]
    return restate(premises[0], LossList(join(lists, _counts(premises, counts))))


def _counts(premises: Premises, counts: tuple[int, ...] | None) -> tuple[int, ...]:
    """How often each premise's mechanism runs: ``counts`` where given, else once."""
    found = (1,) * len(premises) if counts is None else counts
    require(len(found) == len(premises), "counts has a number for each premise")
    return found


@rule("as-losses")
def as_losses(premise: Private) -> Conclusion:
    """A guarantee of a mechanism as a list of one loss, so that it can be composed.

    (ε, δ)-DP is dominated by randomised response that fails with chance δ (Kairouz, Oh &
    Viswanath 2015; Murtagh & Vadhan 2016, section 3), μ-GDP by N(μ, 1) against N(0, 1) (Dong, Roth
    & Su 2022); ρ-zCDP and Rényi curves are entries as they are. ε in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_composition_rules.py::test_a_guarantee_as_a_loss_says_no_more``.
    """
    return restate(premise, LossList(join([((1, _loss_of(premise.guarantee)),)], [1])))


def _loss_of(guarantee: Guarantee) -> Entry:
    match guarantee:
        case ApproxDP(epsilon, delta):
            return ResponseLoss(epsilon, delta)
        case ZCDP(rho):
            return ConcentratedLoss(Fraction(0), rho, Fraction(0))
        case GaussianDP(mu):
            return GaussianLoss(mu**2)
        case RenyiCurve():
            return guarantee
    raise ProofError("it takes (epsilon, delta), rho, mu or a Rényi curve")


@rule("parallel")
def parallel(
    premises: Premises,
    key: str,
    relation: Literal["add-remove", "replace-one"],
    counts: tuple[Count, ...] | None,
    delta: Chance | None,
) -> Conclusion:
    """Mechanisms that each see one part of the records: the worst part's guarantee.

    Premises: add-remove of a record. ``relation`` add-remove: the largest of each number;
    replace-one: a group of two of that, since a record may be exchanged inside a part. ``key``
    says which part a record belongs to. Source: McSherry 2009, Theorem 4.

    Guarantee
    ---------
    Against every pair of small databases: ``tests/proofs/rules/test_parallel_rule.py``.
    """
    require_neighbours(premises[0].neighbours, AddRemove())
    _counts(premises, counts)
    exchanged = relation == "replace-one"
    guarantee = scale_to_group(worst(premises), 2 if exchanged else 1, delta=delta)
    judgment = Private(ReplaceOne() if exchanged else AddRemove(), guarantee)
    return Conclusion(judgment, frozenset({"independent-key"}))
