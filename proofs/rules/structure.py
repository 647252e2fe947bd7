"""Rules that keep a mechanism and change its neighbours, or wrap mechanisms without a new loss."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Guarantee,
    Mechanism,
    Private,
    Profile,
    RenyiCurve,
)
from proofs.losses import GaussianLoss, join
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require
from synthesizers.exact import Exact
from synthesizers.exponential import ExpRational
from synthesizers.neighbours import AddRemove, Neighbours

MAX_STEPS = 1000
"""The most steps between neighbours for which Rényi bounds are added up."""

MAX_BITS = 100_000
"""The most bits of all denominators of such a sum."""

MAX_EPSILON = 1000
"""The largest ε of a group whose δ is checked."""


def post_processing(premises: Premises, parameters: Parameters) -> Conclusion:
    """What is made of the answers by ``map``, which sees them alone, has their guarantee.

    ``released``: whether it is a program's output or its transcript, where that is stated.

    Source: Dwork & Roth 2014, Proposition 2.1; Bun & Steinke 2016, Lemmas 2.2 and 8.2; Dong, Roth
    & Su 2022, Lemma 2.9. An odometer is refused: its statement is not kept.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    kinds = (ApproxDP, ZCDP, GaussianDP, ApproxZCDP, RenyiCurve, Profile, Dominated)
    found = premises.private(*kinds)
    stated = {"map": parameters.text("map")}
    if parameters.has("released"):
        stated["released"] = parameters.choice("released", "output", "transcript")
    mechanism = Mechanism.of("post-processing", stated, (1, found.mechanism))
    return Conclusion(replace(found, mechanism=mechanism), frozenset({"post-processing"}))


SEEN = (
    "every transcript",
    "a first question that uses up the budget",
    "declared beforehand; the curator refuses all else",
)
"""How a ledger may be known to be the same in every run."""


def fixed_ledger(premises: Premises, parameters: Parameters) -> Conclusion:
    """A program whose ledger is the premise's mechanism along every transcript.

    That the ledger was ``seen`` so is a hypothesis; where the first question used up the budget,
    or the ledger was declared, that nothing else follows is the curator's doing. Source: the
    definition of a mechanism.

    Guarantee
    ---------
    ``tests/proofs/rules/test_fixed_ledger_rule.py``.
    """
    found = premises.one(Private)
    seen = parameters.choice("seen", *SEEN)
    setting = parameters.setting()
    own = {} if setting is None else {"setting": setting}
    stated = {"program": parameters.record("program"), "seen": seen, **own}
    mechanism = Mechanism.of("fixed-ledger", stated, (1, found.mechanism))
    rests = {"fixed-ledger"} | ({"curator"} if seen != SEEN[0] else set())
    return Conclusion(replace(found, mechanism=mechanism), frozenset(rests))


def group(premises: Premises, parameters: Parameters) -> Conclusion:
    """The guarantee under ``neighbours`` that lie up to k steps of the premise's relation apart.

    Pure: kε nats. Source: Dwork & Roth 2014, Theorem 2.2; Bun & Steinke 2016, Proposition 1.9 and
    Lemma 5.2; Dong, Roth & Su 2022, Theorem 2.14.

    Guarantee
    ---------
    Distances and exact divergences of small chains: ``tests/proofs/rules/test_group_rule.py``.
    """
    found = premises.one(Private)
    target = parameters.neighbours()
    steps = _steps(found.neighbours, target, premises.rule)
    guarantee = scale_to_group(found.guarantee, steps, parameters, premises.rule)
    return Conclusion(Private(found.mechanism, target, guarantee))


def mixture(premises: Premises, parameters: Parameters) -> Conclusion:
    """One of the mechanisms, drawn by ``weights`` and named with its answer: the worst of each.

    The δ of approximate guarantees is Σ wᵢδᵢ. Source: the argument on its page.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    found, guarantee = worst(premises)
    weights = parameters.rationals("weights")
    require(len(weights) == len(found), premises.rule, "weights has a number for each premise")
    proper = min(weights) > 0 and sum(weights) == 1
    require(proper, premises.rule, "the weights are above 0 and add up to 1")
    if isinstance(guarantee, ApproxDP):
        _, given = premises.guarantees(ApproxDP)
        delta = sum((w * g.delta for w, g in zip(weights, given, strict=True)), Fraction(0))
        guarantee = ApproxDP(guarantee.epsilon, delta)
    stated = {"weights": [str(weight) for weight in weights]}
    mechanism = Mechanism.of("mixture", stated, *((1, premise.mechanism) for premise in found))
    judgment = Private(mechanism, found[0].neighbours, guarantee)
    return Conclusion(judgment, frozenset({"independent-choice"}))


def worst_branch(premises: Premises, parameters: Parameters) -> Conclusion:
    """One of the mechanisms, which one being public: the largest of each number.

    Source: the definitions, which each branch meets.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    found, guarantee = worst(premises)
    mechanism = Mechanism.of("worst-branch", {}, *((1, premise.mechanism) for premise in found))
    judgment = Private(mechanism, found[0].neighbours, guarantee)
    return Conclusion(judgment, frozenset({"public"}))


def worst(premises: Premises) -> tuple[tuple[Private, ...], ApproxDP | ZCDP | GaussianDP]:
    """All premises, of one kind under the same neighbours, and a guarantee that each of them has.

    Guarantee
    ---------
    No premise promises less. Backed by ``tests/proofs/rules/test_structure_rules.py``.
    """
    kind = type(premises.all(Private)[0].guarantee)
    if kind is ApproxDP:
        found, approximate = premises.guarantees(ApproxDP)
        epsilon = max(one.epsilon for one in approximate)
        return found, ApproxDP(epsilon, max(one.delta for one in approximate))
    if kind is GaussianDP:
        found, gaussian = premises.guarantees(GaussianDP)
        return found, GaussianDP(max(one.mu for one in gaussian))
    found, concentrated = premises.guarantees(ZCDP)
    return found, ZCDP(max(one.rho for one in concentrated))


def scale_to_group(
    guarantee: Guarantee, steps: int, parameters: Parameters, rule: str
) -> Guarantee:
    """What holds between databases ``steps`` apart, of a guarantee between those one apart.

    Reads ``delta`` for (ε, δ) with δ > 0, and ``orders`` and ``epsilons`` for Rényi curves.

    Guarantee
    ---------
    Holds for every mechanism with the guarantee. Backed by exact divergences of small chains in
    ``tests/proofs/rules/test_group_rule.py``.
    """
    if steps == 1:
        return guarantee
    match guarantee:
        case ApproxDP(epsilon, delta):
            return ApproxDP(steps * epsilon, _delta(epsilon, delta, steps, parameters, rule))
        case ZCDP(rho):
            return ZCDP(steps**2 * rho)
        case GaussianDP(mu):
            return GaussianDP(steps * mu)
        case RenyiCurve():
            return _renyi(guarantee, steps, parameters, rule)
        case Dominated(losses) if all(isinstance(loss, GaussianLoss) for _, loss in losses):
            return Dominated(join([losses], [steps**2]))
        case _:
            raise ProofError(f"the rule {rule} knows no bound on groups for this kind of guarantee")


def _delta(
    epsilon: Fraction, delta: Fraction, steps: int, parameters: Parameters, rule: str
) -> Fraction:
    """The stated δ' >= δ·Σ e^(iε), i < steps; the sum is (e^(steps·ε) - 1)/(e^ε - 1)."""
    if delta == 0:
        return delta
    stated = parameters.rational("delta")
    require(0 <= stated < 1, rule, "delta lies in [0, 1)")
    require(steps * epsilon <= MAX_EPSILON, rule, f"the group's epsilon is at most {MAX_EPSILON}")
    left: Exact = steps * delta
    right: Exact = stated
    if epsilon:
        left = (ExpRational.exp(steps * epsilon) - 1) * delta
        right = (ExpRational.exp(epsilon) - 1) * stated
    at_most(left, right, rule, "delta reaches that of the group")
    return stated


def _renyi(curve: RenyiCurve, steps: int, parameters: Parameters, rule: str) -> RenyiCurve:
    """The stated ε at each α, at least Σ over j < k of kα/(kα - j)·ε(kα - j)."""
    orders, epsilons = parameters.rationals("orders"), parameters.rationals("epsilons")
    require(len(orders) == len(epsilons), rule, "epsilons has a number for each of the orders")
    require(steps <= MAX_STEPS, rule, f"a Rényi bound goes at most {MAX_STEPS} steps")
    for order, stated in zip(orders, epsilons, strict=True):
        require(order > 1, rule, "every order is above 1")
        top = steps * order
        terms = [top / (top - j) * _at(curve, top - j, rule) for j in range(steps)]
        size = sum(term.denominator.bit_length() for term in terms)
        require(size <= MAX_BITS, rule, f"the denominators have at most {MAX_BITS} bits in all")
        at_most(sum(terms, Fraction(0)), stated, rule, "epsilon reaches that of the group")
    return RenyiCurve(tuple(zip(orders, epsilons, strict=True)))


def _at(curve: RenyiCurve, order: Fraction, rule: str) -> Fraction:
    """A bound at an order: that of the least listed order which is no smaller."""
    place = bisect_left(curve.points, (order,))
    require(place < len(curve.points), rule, "the premise lists an order of steps times each order")
    return curve.points[place][1]


def _steps(source: Neighbours, target: Neighbours, rule: str) -> int:
    """How many steps of ``source`` lead from one database to the other of any two in ``target``."""
    require(isinstance(source, AddRemove), rule, "the premise is under add-remove")
    once = -(-target.unit.max_records // source.unit.max_records)
    return once if isinstance(target, AddRemove) else 2 * once


RULES: dict[str, Rule] = {
    "post-processing": post_processing,
    "fixed-ledger": fixed_ledger,
    "group": group,
    "mixture": mixture,
    "worst-branch": worst_branch,
}
"""The rules of this file by name."""
