"""Rules of composition: mechanisms run one after another, or each on its own part of the records.

Each question may be chosen by the answers before it, as long as the numbers of its guarantee were
fixed in advance; where they are not, see `adaptive`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.entries import ConcentratedLoss, CurveLoss, Entries
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Mechanism, Private, RenyiCurve
from proofs.losses import GaussianLoss, ResponseLoss, join
from proofs.parameters import choice, optional, rational, text, wholes
from proofs.rules.rule import (
    Conclusion,
    guarantee_of,
    mechanism,
    mechanisms,
    require,
    require_relation,
    restate,
    rule,
)
from proofs.rules.structure import scale_to_group, worst
from synthesizers.neighbours import AddRemove, ReplaceOne


@rule("compose", mechanisms, counts=optional(wholes(least=1)))
def compose(premises: tuple[Private, ...], counts: tuple[int, ...] | None) -> Conclusion:
    """The losses of mechanisms that run one after another add up; ``counts``: how often each runs.

    Source: Dwork & Roth 2014, Theorem 3.16 (pure and approximate); Bun & Steinke 2016, Lemmas 2.3
    and 8.2; Mironov 2017, Proposition 1; Dong, Roth & Su 2022, Corollary 3.3; Zhu, Dong & Wang
    2022, Theorem 10 (dominating pairs).

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    times = _counts(premises, counts)
    lists = [guarantee_of(premise, LossList).entries for premise in premises]
    parts = zip(times, (premise.mechanism for premise in premises), strict=True)
    judgment = Private(
        Mechanism.of("composition", {}, *parts),
        premises[0].neighbours,
        LossList(join(lists, times)),
    )
    return Conclusion(judgment)


def _counts(premises: tuple[Private, ...], counts: tuple[int, ...] | None) -> tuple[int, ...]:
    """How often each premise's mechanism runs: ``counts`` where given, else once."""
    found = (1,) * len(premises) if counts is None else counts
    require(len(found) == len(premises), "counts has a number for each premise")
    return found


@rule("as-losses", mechanism)
def as_losses(premise: Private) -> Conclusion:
    """A guarantee of a mechanism as a list of one loss, so that it can be composed.

    (ε, δ)-DP is dominated by randomised response that fails with chance δ (Kairouz, Oh &
    Viswanath 2015; Murtagh & Vadhan 2016, section 3), μ-GDP by N(μ, 1) against N(0, 1) (Dong, Roth
    & Su 2022); ρ-zCDP and Rényi curves are entries as they are. ε in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_composition_rules.py::test_a_guarantee_as_a_loss_says_no_more``.
    """
    return restate(premise, LossList(join([_as_losses(premise.guarantee)], [1])))


def _as_losses(guarantee: Guarantee) -> Entries:
    match guarantee:
        case ApproxDP(epsilon, delta):
            return ((1, ResponseLoss(epsilon, delta)),)
        case ZCDP(rho):
            return ((1, ConcentratedLoss(Fraction(0), rho, Fraction(0))),)
        case GaussianDP(mu):
            return ((1, GaussianLoss(mu**2)),)
        case RenyiCurve(points):
            return ((1, CurveLoss(points)),)
    raise ProofError("it takes (epsilon, delta), rho, mu or a Rényi curve")


@rule(
    "parallel",
    mechanisms,
    key=text,
    relation=choice("add-remove", "replace-one"),
    counts=optional(wholes(least=1)),
    delta=optional(rational),
)
def parallel(
    premises: tuple[Private, ...],
    key: str,
    relation: str,
    counts: tuple[int, ...] | None,
    delta: Fraction | None,
) -> Conclusion:
    """Mechanisms that each see one part of the records: the worst part's guarantee.

    Premises: add-remove of a record. ``relation`` add-remove: the largest of each number;
    replace-one: a group of two of that, since a record may be exchanged inside a part. ``key``
    says which part a record belongs to. Source: McSherry 2009, Theorem 4.

    Guarantee
    ---------
    Against every pair of small databases: ``tests/proofs/rules/test_parallel_rule.py``.
    """
    guarantee, neighbours = worst(premises), premises[0].neighbours
    require_relation(neighbours == AddRemove(), neighbours, "add-remove of a record")
    exchanged = relation == "replace-one"
    times = _counts(premises, counts)
    parts = zip(times, (premise.mechanism for premise in premises), strict=True)
    judgment = Private(
        Mechanism.of("parallel", {"key": key}, *parts),
        ReplaceOne() if exchanged else AddRemove(),
        scale_to_group(guarantee, 2 if exchanged else 1, delta=delta),
    )
    return Conclusion(judgment, frozenset({"independent-key"}))


RULES = (compose, as_losses, parallel)
