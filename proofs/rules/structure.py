"""Rules that keep a mechanism and change its neighbours, or wrap mechanisms without a new loss."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import astuple
from fractions import Fraction
from itertools import accumulate
from typing import Annotated, Literal

from proofs.entries import BoundedRangeLoss, ConcentratedLoss, Entry, NoiseLoss, Point, RenyiCurve
from proofs.errors import ProofError, require
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Odometer, Private, Profile
from proofs.losses import GaussianLoss, ResponseLoss, join
from proofs.parameters import Chance, Positive, Record, Setting, one_of
from proofs.rules.rule import Conclusion, Premises, at_most, curve_of, guarantee_of, restate, rule
from synthesizers.exact import Exact
from synthesizers.exponential import ExpRational
from synthesizers.neighbours import AddRemove, Neighbours

MAX_STEPS = 1000
"""The most steps between neighbours for which Rényi bounds are added up."""

MAX_BITS = 100_000
"""The most bits of all denominators of such a sum."""

MAX_EPSILON = 1000
"""The largest ε of a group whose δ is checked."""


@rule("post-processing")
def post_processing(
    premise: Private, map: str, released: Literal["output", "transcript"] | None
) -> Conclusion:
    """What is made of the answers by ``map``, which sees them alone, has their guarantee.

    ``released``: whether it is a program's output or its transcript, where that is stated.

    Source: Dwork & Roth 2014, Proposition 2.1; Bun & Steinke 2016, Lemmas 2.2 and 8.2; Dong, Roth
    & Su 2022, Lemma 2.9. An odometer is refused: its statement is not kept.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    require(not isinstance(premise.guarantee, Odometer), "an odometer's statement is not kept")
    return restate(premise, premise.guarantee, "post-processing")


SEEN = (
    "every transcript",
    "a first question that uses up the budget",
    "declared beforehand; the curator refuses all else",
)
"""How a ledger may be known to be the same in every run."""


@rule("fixed-ledger")
def fixed_ledger(
    premise: Private, program: Record, seen: Annotated[str, one_of(SEEN)], setting: Setting | None
) -> Conclusion:
    """A program whose ledger is the premise's mechanism along every transcript.

    That the ledger was ``seen`` so is a hypothesis; where the first question used up the budget,
    or the ledger was declared, that nothing else follows is the curator's doing. Source: the
    definition of a mechanism.

    Guarantee
    ---------
    ``tests/proofs/rules/test_fixed_ledger_rule.py``.
    """
    rests = ["fixed-ledger"] + (["curator"] if seen != SEEN[0] else [])
    return restate(premise, premise.guarantee, *rests)


@rule("group")
def group(
    premise: Private,
    neighbours: Neighbours,
    delta: Chance | None,
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
    return Conclusion(Private(neighbours, guarantee))


@rule("mixture")
def mixture(premises: Premises, weights: tuple[Positive, ...] | None) -> Conclusion:
    """One of the mechanisms, named with its answer: the worst of each number.

    Which one is public, or drawn by ``weights`` where they are given: then the δ of approximate
    guarantees is Σ wᵢδᵢ. Source: the definitions, and the argument on its page.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_structure_rules.py``.
    """
    guarantee = worst(premises)
    if weights is None:
        return restate(premises[0], guarantee, "public")
    require(len(weights) == len(premises), "weights has a number for each premise")
    require(sum(weights) == 1, "the weights add up to 1")
    if isinstance(guarantee, ApproxDP):
        shares = zip(weights, premises, strict=True)
        deltas = (weight * guarantee_of(one, ApproxDP).delta for weight, one in shares)
        guarantee = ApproxDP(guarantee.epsilon, sum(deltas, Fraction(0)))
    return restate(premises[0], guarantee, "independent-choice")


def worst(premises: Premises) -> ApproxDP | ZCDP | GaussianDP:
    """A guarantee that each of the premises has, all of one kind.

    Guarantee
    ---------
    No premise promises less. Backed by ``tests/proofs/rules/test_structure_rules.py``.
    """
    first = premises[0].guarantee
    if not isinstance(first, ApproxDP | ZCDP | GaussianDP):
        raise ProofError("it needs guarantees of the kind (epsilon, delta), rho or mu")
    numbers = zip(*(astuple(guarantee_of(one, type(first))) for one in premises), strict=True)
    return type(first)(*map(max, numbers))


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
        case LossList(losses):
            scaled = tuple((count, _of_group(entry, steps)) for count, entry in losses)
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
    if orders is None or epsilons is None:
        raise ProofError("it needs orders and epsilons of the group")
    require(steps <= MAX_STEPS, f"a Rényi bound goes at most {MAX_STEPS} steps")
    found = curve_of(orders, epsilons)
    for order, stated in found.points:
        top = steps * order
        terms = [top / (top - j) * curve.at(top - j) for j in range(steps)]
        size = sum(term.denominator.bit_length() for term in terms)
        require(size <= MAX_BITS, f"the denominators have at most {MAX_BITS} bits in all")
        at_most(sum(terms, Fraction(0)), stated, "epsilon reaches that of the group")
    return found


def _steps(source: Neighbours, target: Neighbours) -> int:
    """How many steps of ``source`` lead from one database to the other of any two in ``target``."""
    require(isinstance(source, AddRemove), "the premise is under add-remove")
    once = -(-target.unit.max_records // source.unit.max_records)
    return once if isinstance(target, AddRemove) else 2 * once


@rule("weaken")
def weaken(premise: Private, guarantee: Guarantee) -> Conclusion:
    """A weaker guarantee: no number is smaller, no new point is stronger.

    (ε, δ) is a profile of one point. A Rényi divergence does not fall as the order grows (van
    Erven & Harremoës 2014, Theorem 3), and (ε, δ)-DP implies (ε', δ)-DP for ε' >= ε.

    Guarantee
    ---------
    Nothing stronger is concluded. Backed by
    ``tests/proofs/rules/test_weaken_rule.py::test_weaken_never_strengthens``.
    """
    expected = "the stated guarantee must be no stronger than the premise's, and of its kind"
    require(_is_weaker(premise.guarantee, guarantee), expected)
    return restate(premise, guarantee)


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
