"""Rules of composition: mechanisms run one after another, or each on its own part of the records.

Each question may be chosen by the answers before it, as long as the numbers of
its guarantee were fixed in advance; where they are not, see `adaptive`.
``counts``, one number a premise, says how often its mechanism runs (default 1).
"""

from __future__ import annotations

from fractions import Fraction

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import ApproxZCDP, Dominated, Guarantee, Mechanism, Private, RenyiCurve
from proofs.losses import join
from proofs.parameters import Parameters
from proofs.rules import adaptive, optimal
from proofs.rules.optimal import counts_of, sequence
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require, require_relation
from proofs.rules.structure import scale_to_group, worst
from synthesizers.neighbours import AddRemove, ReplaceOne

Found = tuple[Private, ...]


def compose(premises: Premises, parameters: Parameters) -> Conclusion:
    """(εᵢ, δᵢ)-DP mechanisms together are (Σεᵢ, Σδᵢ)-DP; ε in nats.

    Source: Dwork & Roth 2014, Theorem 3.16; the page has the adaptive case.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    found, given = premises.guarantees(ApproxDP)
    counts = counts_of(found, parameters, premises.rule)
    delta = _total(counts, [one.delta for one in given])
    require(delta < 1, premises.rule, "the deltas add up to less than 1")
    return _together(found, counts, ApproxDP(_total(counts, [g.epsilon for g in given]), delta))


def compose_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """ρᵢ-zCDP mechanisms together are Σρᵢ-zCDP.

    Source: Bun & Steinke 2016, Lemma 2.3.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    found, given = premises.guarantees(ZCDP)
    counts = counts_of(found, parameters, premises.rule)
    return _together(found, counts, ZCDP(_total(counts, [one.rho for one in given])))


def compose_approx_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """δᵢ-approximate (ξᵢ, ρᵢ)-zCDP mechanisms together: Σδᵢ-approximate (Σξᵢ, Σρᵢ)-zCDP.

    Source: Bun & Steinke 2016, Lemma 8.2.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    found, given = premises.guarantees(ApproxZCDP)
    counts = counts_of(found, parameters, premises.rule)
    xi, rho = (_total(counts, [getattr(one, name) for one in given]) for name in ("xi", "rho"))
    delta = _total(counts, [one.delta for one in given])
    require(delta < 1, premises.rule, "the deltas add up to less than 1")
    return _together(found, counts, ApproxZCDP(xi, rho, delta))


def compose_renyi(premises: Premises, parameters: Parameters) -> Conclusion:
    """(α, εᵢ)-Rényi mechanisms together are (α, Σεᵢ)-Rényi, at each order that all of them list.

    Source: Mironov 2017, Proposition 1.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    found, given = premises.guarantees(RenyiCurve)
    counts = counts_of(found, parameters, premises.rule)
    orders = [tuple(order for order, _ in curve.points) for curve in given]
    require(len(set(orders)) == 1, premises.rule, "all premises list the same orders")
    epsilons = [[epsilon for _, epsilon in curve.points] for curve in given]
    sums = [_total(counts, list(column)) for column in zip(*epsilons, strict=True)]
    return _together(found, counts, RenyiCurve(tuple(zip(orders[0], sums, strict=True))))


def compose_gdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """μᵢ-GDP mechanisms together are μ-GDP for the stated ``mu`` with Σμᵢ² <= μ².

    Source: Dong, Roth & Su 2022, Corollary 3.3.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    found, given = premises.guarantees(GaussianDP)
    counts, mu = counts_of(found, parameters, premises.rule), parameters.rational("mu")
    require(mu >= 0, premises.rule, "mu is at least 0")
    squares = _total(counts, [one.mu**2 for one in given])
    at_most(squares, mu**2, premises.rule, "mu squared reaches the sum of the squares")
    return _together(found, counts, GaussianDP(mu))


def compose_pairs(premises: Premises, parameters: Parameters) -> Conclusion:
    """Mechanisms dominated by pairs are together dominated by the product of all pairs.

    Source: Zhu, Dong & Wang 2022, Theorem 10.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_composition_rules.py``.
    """
    found, given = premises.guarantees(Dominated)
    counts = counts_of(found, parameters, premises.rule)
    return _together(found, counts, Dominated(join([one.losses for one in given], counts)))


def parallel(premises: Premises, parameters: Parameters) -> Conclusion:
    """Mechanisms that each see one part of the records: the worst part's guarantee.

    Premises: add-remove of a record. ``relation`` add-remove: the largest of each number;
    replace-one: a group of two of that, since a record may be exchanged inside a part. ``key``
    says which part a record belongs to. Source: McSherry 2009, Theorem 4.

    Guarantee
    ---------
    Against every pair of small databases: ``tests/proofs/rules/test_parallel_rule.py``.
    """
    found, guarantee = worst(premises)
    rule, neighbours = premises.rule, found[0].neighbours
    require_relation(neighbours == AddRemove(), rule, neighbours, "add-remove of a record")
    counts, key = counts_of(found, parameters, rule), parameters.text("key")
    exchanged = parameters.choice("relation", "add-remove", "replace-one") == "replace-one"
    parts = zip(counts, (premise.mechanism for premise in found), strict=True)
    judgment = Private(
        Mechanism.of("parallel", {"key": key}, *parts),
        ReplaceOne() if exchanged else AddRemove(),
        scale_to_group(guarantee, 2 if exchanged else 1, parameters, rule),
    )
    return Conclusion(judgment, frozenset({"independent-key"}))


def _total(counts: tuple[int, ...], values: list[Fraction]) -> Fraction:
    return sum((n * value for n, value in zip(counts, values, strict=True)), Fraction(0))


def _together(found: Found, counts: tuple[int, ...], guarantee: Guarantee) -> Conclusion:
    return Conclusion(Private(sequence(found, counts), found[0].neighbours, guarantee))


RULES: dict[str, Rule] = {
    "compose": compose,
    "compose-zcdp": compose_zcdp,
    "compose-approx-zcdp": compose_approx_zcdp,
    "compose-renyi": compose_renyi,
    "compose-gdp": compose_gdp,
    "compose-pairs": compose_pairs,
    "parallel": parallel,
    **optimal.RULES,
    **adaptive.RULES,
}
"""The rules of this file and of `optimal` and `adaptive` by name."""
