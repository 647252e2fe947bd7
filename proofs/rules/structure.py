"""Rules that keep a mechanism and change its neighbours, or wrap mechanisms without a new loss."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from proofs.entries import BoundedRangeLoss, ConcentratedLoss, CurveLoss, Entry, NoiseLoss, Point
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    Guarantee,
    LossList,
    Mechanism,
    Odometer,
    Private,
    Profile,
    RenyiCurve,
)
from proofs.losses import GaussianLoss, ResponseLoss, join
from proofs.parameters import (
    choice,
    neighbours,
    optional,
    rational,
    rationals,
    record,
    setting,
    text,
)
from proofs.rules.guarantee_json import guarantee_from_json
from proofs.rules.rule import (
    Conclusion,
    G,
    at_most,
    guarantee_of,
    mechanism,
    mechanisms,
    require,
    restate,
    rule,
)
from synthesizers.exact import Exact
from synthesizers.exponential import ExpRational
from synthesizers.neighbours import AddRemove, Neighbours

MAX_STEPS = 1000
"""The most steps between neighbours for which Rényi bounds are added up."""

MAX_BITS = 100_000
"""The most bits of all denominators of such a sum."""

MAX_EPSILON = 1000
"""The largest ε of a group whose δ is checked."""


@rule(
    "post-processing",
    mechanism,
    map=text,
    released=optional(choice("output", "transcript")),
)
def post_processing(premise: Private, map: str, released: str | None) -> Conclusion:
    """What is made of the answers by ``map``, which sees them alone, has their guarantee.

    ``released``: whether it is a program's output or its transcript, where that is stated.

    Source: Dwork & Roth 2014, Proposition 2.1; Bun & Steinke 2016, Lemmas 2.2 and 8.2; Dong, Roth
    & Su 2022, Lemma 2.9. An odometer is refused: its statement is not kept.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    require(not isinstance(premise.guarantee, Odometer), "an odometer's statement is not kept")
    stated = {"map": map, **({} if released is None else {"released": released})}
    whole = Mechanism.of("post-processing", stated, (1, premise.mechanism))
    return Conclusion(replace(premise, mechanism=whole), frozenset({"post-processing"}))


SEEN = (
    "every transcript",
    "a first question that uses up the budget",
    "declared beforehand; the curator refuses all else",
)
"""How a ledger may be known to be the same in every run."""


@rule("fixed-ledger", mechanism, program=record, seen=choice(*SEEN), setting=optional(setting))
def fixed_ledger(
    premise: Private, program: dict[str, Any], seen: str, setting: dict[str, Any] | None
) -> Conclusion:
    """A program whose ledger is the premise's mechanism along every transcript.

    That the ledger was ``seen`` so is a hypothesis; where the first question used up the budget,
    or the ledger was declared, that nothing else follows is the curator's doing. Source: the
    definition of a mechanism.

    Guarantee
    ---------
    ``tests/proofs/rules/test_fixed_ledger_rule.py``.
    """
    own = {} if setting is None else {"setting": setting}
    whole = Mechanism.of(
        "fixed-ledger", {"program": program, "seen": seen, **own}, (1, premise.mechanism)
    )
    rests = {"fixed-ledger"} | ({"curator"} if seen != SEEN[0] else set())
    return Conclusion(replace(premise, mechanism=whole), frozenset(rests))


@rule(
    "group",
    mechanism,
    neighbours=neighbours,
    delta=optional(rational),
    orders=optional(rationals),
    epsilons=optional(rationals),
)
def group(
    premise: Private,
    neighbours: Neighbours,
    delta: Fraction | None,
    orders: tuple[Fraction, ...] | None,
    epsilons: tuple[Fraction, ...] | None,
) -> Conclusion:
    """The guarantee under ``neighbours`` that lie up to k steps of the premise's relation apart.

    Pure: kε nats. Source: Dwork & Roth 2014, Theorem 2.2; Bun & Steinke 2016, Proposition 1.9 and
    Lemma 5.2; Dong, Roth & Su 2022, Theorem 2.14.

    Guarantee
    ---------
    Distances and exact divergences of small chains: ``tests/proofs/rules/test_group_rule.py``.
    """
    steps = _steps(premise.neighbours, neighbours)
    guarantee = scale_to_group(premise.guarantee, steps, delta, orders, epsilons)
    return Conclusion(Private(premise.mechanism, neighbours, guarantee))


@rule("mixture", mechanisms, weights=optional(rationals))
def mixture(premises: tuple[Private, ...], weights: tuple[Fraction, ...] | None) -> Conclusion:
    """One of the mechanisms, named with its answer: the worst of each number.

    Which one is public, or drawn by ``weights`` where they are given: then the δ of approximate
    guarantees is Σ wᵢδᵢ. Source: the definitions, and the argument on its page.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    guarantee, stated = worst(premises), dict[str, Any]()
    if weights is not None:
        require(len(weights) == len(premises), "weights has a number for each premise")
        proper = min(weights) > 0 and sum(weights) == 1
        require(proper, "the weights are above 0 and add up to 1")
        stated = {"weights": [str(weight) for weight in weights]}
        if isinstance(guarantee, ApproxDP):
            shares = zip(weights, _all(premises, ApproxDP), strict=True)
            delta = sum((weight * one.delta for weight, one in shares), Fraction(0))
            guarantee = ApproxDP(guarantee.epsilon, delta)
    parts = ((1, premise.mechanism) for premise in premises)
    judgment = Private(Mechanism.of("mixture", stated, *parts), premises[0].neighbours, guarantee)
    rests = "public" if weights is None else "independent-choice"
    return Conclusion(judgment, frozenset({rests}))


def _all(premises: tuple[Private, ...], kind: type[G]) -> list[G]:
    """The guarantees of all premises, of one kind."""
    return [guarantee_of(premise, kind) for premise in premises]


def worst(premises: tuple[Private, ...]) -> ApproxDP | ZCDP | GaussianDP:
    """A guarantee that each of the premises has, all of one kind.

    Guarantee
    ---------
    No premise promises less. Backed by ``tests/proofs/rules/test_structure_rules.py``.
    """
    if isinstance(premises[0].guarantee, ApproxDP):
        approximate = _all(premises, ApproxDP)
        epsilon = max(one.epsilon for one in approximate)
        return ApproxDP(epsilon, max(one.delta for one in approximate))
    if isinstance(premises[0].guarantee, GaussianDP):
        return GaussianDP(max(one.mu for one in _all(premises, GaussianDP)))
    return ZCDP(max(one.rho for one in _all(premises, ZCDP)))


def scale_to_group(
    guarantee: Guarantee,
    steps: int,
    delta: Fraction | None = None,
    orders: tuple[Fraction, ...] | None = None,
    epsilons: tuple[Fraction, ...] | None = None,
) -> Guarantee:
    """What holds between databases ``steps`` apart, of a guarantee between those one apart.

    ``delta`` is stated of (ε, δ) with δ > 0, ``orders`` and ``epsilons`` of Rényi curves, and
    neither of another guarantee, or of one step.

    Guarantee
    ---------
    Holds for every mechanism with the guarantee. Backed by exact divergences of small chains in
    ``tests/proofs/rules/test_group_rule.py``.
    """
    found: Guarantee
    needed: tuple[str, ...]
    match guarantee:
        case _ if steps == 1:
            found, needed = guarantee, ()
        case ApproxDP(epsilon, 0):
            found, needed = ApproxDP(steps * epsilon), ()
        case ApproxDP():
            found, needed = _approximate(guarantee, steps, delta), ("delta",)
        case ZCDP(rho):
            found, needed = ZCDP(steps**2 * rho), ()
        case GaussianDP(mu):
            found, needed = GaussianDP(steps * mu), ()
        case RenyiCurve():
            found, needed = _renyi(guarantee, steps, orders, epsilons), ("orders", "epsilons")
        case LossList(entries):
            scaled = tuple((count, _of_group(entry, steps)) for count, entry in entries)
            found, needed = LossList(join([scaled], [1])), ()
        case _:
            raise ProofError("no bound on groups is known for this kind of guarantee")
    given = {"delta": delta, "orders": orders, "epsilons": epsilons}
    spare = [name for name, own in given.items() if own is not None and name not in needed]
    require(not spare, f"there is nothing to state of {', '.join(spare)}")
    return found


def _of_group(entry: Entry, steps: int) -> Entry:
    """A mechanism's loss between databases some steps apart; ProofError where it is not known."""
    match entry:
        case GaussianLoss(mu_squared):
            return GaussianLoss(steps**2 * mu_squared)
        case ResponseLoss(epsilon, 0):
            return ResponseLoss(steps * epsilon)
        case BoundedRangeLoss(epsilon):
            return BoundedRangeLoss(steps * epsilon)
        case ConcentratedLoss(0, rho, 0):
            return ConcentratedLoss(Fraction(0), steps**2 * rho, Fraction(0))
        case NoiseLoss(law, amount, l0, l1, l2_squared, linf):
            moving = None if l0 is None else steps * l0
            return NoiseLoss(law, amount, moving, steps * l1, steps**2 * l2_squared, steps * linf)
    raise ProofError(f"no bound on groups is known for a loss of the kind {entry.name}")


def _approximate(guarantee: ApproxDP, steps: int, stated: Fraction | None) -> ApproxDP:
    """With the stated δ' >= δ·Σ e^(iε), i < steps; the sum is (e^(steps·ε) - 1)/(e^ε - 1)."""
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if stated is None:
        raise ProofError("it needs the delta of the group")
    require(0 <= stated < 1, "delta lies in [0, 1)")
    require(steps * epsilon <= MAX_EPSILON, f"the group's epsilon is at most {MAX_EPSILON}")
    left: Exact = steps * delta
    right: Exact = stated
    if epsilon:
        left = (ExpRational.exp(steps * epsilon) - 1) * delta
        right = (ExpRational.exp(epsilon) - 1) * stated
    at_most(left, right, "delta reaches that of the group")
    return ApproxDP(steps * epsilon, stated)


def _renyi(
    curve: RenyiCurve,
    steps: int,
    orders: tuple[Fraction, ...] | None,
    epsilons: tuple[Fraction, ...] | None,
) -> RenyiCurve:
    """The stated ε at each α, at least Σ over j < k of kα/(kα - j)·ε(kα - j)."""
    if orders is None or epsilons is None or len(orders) != len(epsilons):
        raise ProofError("epsilons has a number for each of the orders")
    require(steps <= MAX_STEPS, f"a Rényi bound goes at most {MAX_STEPS} steps")
    listed = CurveLoss(curve.points)
    for order, stated in zip(orders, epsilons, strict=True):
        require(order > 1, "every order is above 1")
        top = steps * order
        terms = [top / (top - j) * listed.at(top - j) for j in range(steps)]
        size = sum(term.denominator.bit_length() for term in terms)
        require(size <= MAX_BITS, f"the denominators have at most {MAX_BITS} bits in all")
        at_most(sum(terms, Fraction(0)), stated, "epsilon reaches that of the group")
    return RenyiCurve(tuple(zip(orders, epsilons, strict=True)))


def _steps(source: Neighbours, target: Neighbours) -> int:
    """How many steps of ``source`` lead from one database to the other of any two in ``target``."""
    require(isinstance(source, AddRemove), "the premise is under add-remove")
    once = -(-target.unit.max_records // source.unit.max_records)
    return once if isinstance(target, AddRemove) else 2 * once


@rule("weaken", mechanism, guarantee=record)
def weaken(premise: Private, guarantee: dict[str, Any]) -> Conclusion:
    """A weaker guarantee: no number is smaller, no new point is stronger.

    (ε, δ) is a profile of one point. A Rényi divergence does not fall as the order grows (van
    Erven & Harremoës 2014, Theorem 3), and (ε, δ)-DP implies (ε', δ)-DP for ε' >= ε.

    Guarantee
    ---------
    Nothing stronger is concluded. Backed by
    ``tests/proofs/rules/test_weaken_rule.py::test_weaken_never_strengthens``.
    """
    weaker = guarantee_from_json(guarantee)
    expected = "the stated guarantee must be no stronger than the premise's, and of its kind"
    require(_is_weaker(premise.guarantee, weaker), expected)
    return restate(premise, weaker)


def _is_weaker(strong: Guarantee, weak: Guarantee) -> bool:
    """Whether the second follows from the first, both of one kind."""
    match _as_profile(strong), _as_profile(weak):
        case (RenyiCurve() as curve, RenyiCurve(points)) | (Profile() as curve, Profile(points)):
            return _below(curve, points)
        case (ZCDP(own), ZCDP(other)) | (GaussianDP(own), GaussianDP(other)):
            return own <= other
        case _:
            return False


def _as_profile(guarantee: Guarantee) -> Guarantee:
    if isinstance(guarantee, ApproxDP):
        return Profile(((guarantee.epsilon, guarantee.delta),))
    return guarantee


def _below(curve: RenyiCurve | Profile, points: tuple[Point, ...]) -> bool:
    """Whether each point follows from one of the curve."""
    firsts, seconds = zip(*curve.points, strict=True)
    if isinstance(curve, Profile):
        least = list(accumulate(seconds, min))
        places = [bisect_right(firsts, first) - 1 for first, _ in points]
    else:
        least = list(accumulate(reversed(seconds), min))[::-1]
        places = [bisect_left(firsts, first) for first, _ in points]
    reached = zip(places, points, strict=True)
    return all(0 <= at < len(least) and least[at] <= second for at, (_, second) in reached)


RULES = (post_processing, fixed_ledger, group, mixture, weaken)
