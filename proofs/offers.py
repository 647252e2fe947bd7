"""What each way of composing offers at a δ: an ε, and the theorem that proves it.

The searches behind them are untrusted. Every offer is worked out again by the independent checker
before it is made, and says where that leaves a number to the kernel.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath

from proofs import accountants
from proofs.checker import check
from proofs.components import Component, Repetition
from proofs.derivation import derivation
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Dominated, Private, RenyiCurve
from proofs.kernel import Theorem, prove
from proofs.losses import Losses
from proofs.search.decimals import smallest_proved
from proofs.search.orders import best_order, convert, renyi_theorem
from proofs.search.repetition import Divergences, at_delta, value_at
from synthesizers.intervals import to_mpf

NAMES = {
    "gaussian": "Gaussian DP, closed form",
    "responses": "optimal composition, closed form",
    "laplace": "privacy-loss distribution, closed form",
    "contour": "privacy-loss distribution, contour integral",
    "lattice": "privacy-loss distribution, lattice",
    "sum": "sum of the largest losses",
}
"""Methods of the profile as a reader meets them."""


@dataclass(frozen=True)
class Offer:
    """What one way of composing gives.

    ``rule``: its name for a reader. ``value``: the smallest found of what is asked for: ε at a δ,
    δ at an ε, ρ, μ, or ε at an order. ``theorem``: proves it. ``lower``: no smaller value holds
    for the dominating pairs; None where the way is not tight. ``kernel_only``: the independent
    checker can't afford some number of the proof.
    """

    rule: str
    value: Fraction
    theorem: Theorem
    lower: Fraction | None = None
    kernel_only: bool = False


Way = Callable[[Sequence[Component], Fraction], Offer | None]
"""A way of composing at a δ; None, or ProofError, where it does not apply."""


def offer(
    rule: str, theorem: Theorem, value: Fraction | None = None, lower: Fraction | None = None
) -> Offer:
    """The offer of a theorem, ``value`` being what it says of ε, ρ or μ unless another is stated.

    Raises ProofError where the checker rejects the theorem.
    """
    found = check(derivation(theorem))
    if found.status == "rejected":
        raise ProofError(f"the checker rejects the proof by {rule}: {found.reasons[0]}")
    own = stated_value(theorem) if value is None else value
    return Offer(rule, own, theorem, lower, found.status != "checked")


def stated_value(theorem: Theorem) -> Fraction:
    """The ε, ρ or μ of a theorem, or the ε at the first order that it lists."""
    judgment = theorem.judgment
    match judgment.guarantee if isinstance(judgment, Private) else None:
        case ApproxDP(value, _) | ZCDP(value) | GaussianDP(value):
            return value
        case RenyiCurve(((_, value), *_)):
            return value
    raise ProofError("the theorem states no single number")


def compose(rule: str, components: Sequence[Component], kind: Any) -> Theorem | None:
    """All components composed by the rule of a kind of guarantee; None where one has none."""
    parts = [component.of(kind) for component in components]
    if not parts or any(part is None for part in parts):
        return None
    premises = [part[0] for part in parts if part is not None]
    counts = [component.count for component in components]
    return premises[0] if counts == [1] else prove(rule, premises, {"counts": counts})


def compose_pairs(components: Sequence[Component]) -> tuple[Theorem, Losses] | None:
    """The product of all components' dominating pairs; None where one has none."""
    theorem = compose("compose-pairs", components, Dominated)
    if theorem is None:
        return None
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, Dominated)
    return theorem, theorem.judgment.guarantee.losses


def basic(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The sum of each run's ε, at an equal share of δ where it has no pure one."""
    runs = sum(component.count for component in components)
    parts = [_approx(component, delta / runs) for component in components]
    if any(part is None for part in parts):
        return None
    premises = [part for part in parts if part is not None]
    theorem = prove("compose", premises, {"counts": [part.count for part in components]})
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, ApproxDP)
    if theorem.judgment.guarantee.delta > delta:
        return None
    return offer("basic composition", theorem)


def _approx(component: Component, delta: Fraction) -> Theorem | None:
    """The component's own (ε, δ), or one of its ρ or of its Rényi divergences."""
    own = component.of(ApproxDP)
    if component.repetition is not None and delta > 0:
        return _of_repeated(component, component.repetition, delta)
    if own is not None or delta == 0:
        return None if own is None else own[0]
    zcdp = component.of(ZCDP)
    if zcdp is not None:
        return _at_best_order(zcdp[0], delta)
    pairs = component.of(Dominated)
    return None if pairs is None else _at_renyi_order(pairs[0], pairs[1].losses, delta)


def _of_repeated(component: Component, repetition: Repetition, delta: Fraction) -> Theorem | None:
    """The smallest ε at a δ of a run's profile, its Rényi divergences, and its own (ε, δ)."""
    own = component.of(ApproxDP)
    found = [own[0]] if own is not None and own[1].delta <= delta else []
    for way in (_by_profile, _by_divergences):
        with contextlib.suppress(ValueError, ArithmeticError):
            found.append(way(component, repetition, delta))
    return min(found, key=stated_value, default=None)


def _by_profile(component: Component, repetition: Repetition, delta: Fraction) -> Theorem:
    found = at_delta(repetition, delta)
    if found is None:
        raise ProofError("the profile of a run is not known")
    return found


def _by_divergences(component: Component, repetition: Repetition, delta: Fraction) -> Theorem:
    return _at_order_of_each([replace(component, count=1)], delta)


def compose_advanced(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """Advanced composition of runs of one mechanism (Dwork, Rothblum & Vadhan 2010)."""
    if len(components) != 1 or delta == 0:
        return None
    count = components[0].count
    if count == 1 and components[0].repetition is not None:
        return None
    # Half of δ for the mechanisms where they have none of their own.
    premise = _approx(components[0], delta / (2 * count))
    if premise is None:
        return None
    assert isinstance(premise.judgment, Private)
    assert isinstance(premise.judgment.guarantee, ApproxDP)
    own = premise.judgment.guarantee
    slack = delta - count * own.delta
    if slack <= 0:
        return None

    def value() -> mpmath.mpf:
        one = to_mpf(own.epsilon)
        spread = mpmath.sqrt(2 * count * mpmath.log(1 / to_mpf(slack)))
        return spread * one + count * one * mpmath.expm1(one)

    def attempt(epsilon: Fraction) -> Theorem:
        given = {"count": count, "slack": slack, "epsilon": epsilon}
        return prove("advanced", [premise], given)

    return offer("advanced composition", smallest_proved(value, attempt))


def zcdp_tail(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The sum of all ρ, by the bound on the tail of the loss (Bun & Steinke 2016)."""
    theorem = compose("compose-zcdp", components, ZCDP)
    if theorem is None or delta == 0:
        return None
    rho = stated_value(theorem)

    def value() -> mpmath.mpf:
        return to_mpf(rho) + 2 * mpmath.sqrt(to_mpf(rho) * mpmath.log(1 / to_mpf(delta)))

    proved = smallest_proved(
        value,
        lambda epsilon: prove("zcdp-to-approx", [theorem], {"epsilon": epsilon, "delta": delta}),
    )
    return offer("zCDP (Bun & Steinke)", proved)


def zcdp_at_order(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The sum of all ρ at the best order (Canonne, Kamath & Steinke 2020)."""
    theorem = compose("compose-zcdp", components, ZCDP)
    if theorem is None or delta == 0 or stated_value(theorem) == 0:
        return None
    proved = _at_best_order(theorem, delta)
    return offer("zCDP at the best order (Canonne, Kamath & Steinke)", proved)


def _at_best_order(theorem: Theorem, delta: Fraction) -> Theorem:
    rho = stated_value(theorem)
    order = best_order(lambda at: at * float(rho), delta)
    return smallest_proved(
        lambda: convert(order * rho, order, delta),
        lambda epsilon: prove(
            "zcdp-to-approx-at-order",
            [theorem],
            {"order": order, "epsilon": epsilon, "delta": delta},
        ),
    )


def renyi(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The sum of all Rényi divergences at the best order."""
    pairs = compose_pairs(components)
    if pairs is None or delta == 0:
        return None
    return offer("Rényi DP at the best order", _at_renyi_order(*pairs, delta))


def _at_renyi_order(pairs: Theorem, losses: Losses, delta: Fraction) -> Theorem:
    theorem, order, divergence = renyi_theorem(pairs, losses, delta)
    return smallest_proved(
        lambda: convert(divergence, order, delta),
        lambda epsilon: prove(
            "renyi-to-approx", [theorem], {"order": order, "epsilon": epsilon, "delta": delta}
        ),
    )


def repeated(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The profile of one run of the only mechanism, which is repeated."""
    (only, *more) = components
    if more or only.count > 1 or only.repetition is None:
        return None
    found = at_delta(only.repetition, delta)
    return None if found is None else offer("profile of a repeated mechanism", found)


def renyi_of_repeated(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The sum of all Rényi divergences at the best order, some of repeated mechanisms."""
    if delta == 0 or all(component.repetition is None for component in components):
        return None
    name = "Rényi DP of repeated mechanisms"
    return offer(name, _at_order_of_each(components, delta))


def _at_order_of_each(components: Sequence[Component], delta: Fraction) -> Theorem:
    found = divergences_of_each(components, lambda near: best_order(near, delta))
    values = [(convert(value, order, delta), order, theorem) for theorem, order, value in found]
    value, order, theorem = min(values, key=lambda one: one[0])
    given = {"order": order, "delta": delta}
    return smallest_proved(
        lambda: value,
        lambda epsilon: prove("renyi-to-approx", [theorem], {**given, "epsilon": epsilon}),
    )


def divergences_of_each(
    components: Sequence[Component], best: Callable[[Callable[[float], float]], Fraction]
) -> list[tuple[Theorem, Fraction, Fraction]]:
    """The sum of all divergences at one or more orders: theorem, order, divergence.

    ``best``: the order to look at, given the sum in doubles. ProofError where one has none.
    """
    parts = [Divergences(component) for component in components]
    counts = [component.count for component in components]

    def near(order: float) -> float:
        return sum(n * part.near(order) for n, part in zip(counts, parts, strict=True))

    found, at = [], best(near)
    for order in max((part.orders(at) for part in parts), key=len):
        each = [part.theorem(order) for part in parts]
        theorem = prove("compose-renyi", each, {"counts": counts})
        found.append((theorem, order, value_at(theorem, order)))
    return found


def tight_with_repeated(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The pairs of all components, of a repeated one that of its (ε, δ) at half of all δ."""
    runs = sum(component.count for component in components if component.repetition)
    if delta == 0 or not 0 < runs < sum(component.count for component in components):
        return None
    replaced = []
    for one in components:
        if one.repetition is not None:
            point = _of_repeated(one, one.repetition, delta / (2 * runs))
            if point is None:
                return None
            one = Component(one.name, one.count, (prove("pure-to-pair", [point]),))
        replaced.append(one)
    return tight(replaced, delta)


def tight(components: Sequence[Component], delta: Fraction) -> Offer | None:
    """The smallest ε of the product of the dominating pairs."""
    pairs = compose_pairs(components)
    if pairs is None:
        return None
    theorem, losses = pairs
    ends = accountants.epsilon(losses, delta)
    if ends.method == "sum":
        proved = prove("pair-to-pure", [theorem])
    else:
        given = {"method": ends.method, "epsilon": ends.upper, "delta": delta}
        proved = prove("pair-to-approx", [theorem], {**given, "hints": ends.hints})
    return offer(NAMES[ends.method], proved, lower=ends.lower)


def tight_at(components: Sequence[Component], epsilon: Fraction, delta: Fraction) -> Offer | None:
    """(``epsilon``, ``delta`` > 0) of the product of the dominating pairs; None where it fails."""
    pairs = compose_pairs(components)
    if pairs is None:
        return None
    theorem, losses = pairs
    ends = accountants.delta(losses, epsilon, min(delta, accountants.LEAST_DELTA))
    if ends.upper > delta:
        return None
    given = {"method": ends.method, "epsilon": epsilon, "delta": delta, "hints": ends.hints}
    return offer(NAMES[ends.method], prove("pair-to-approx", [theorem], given))


WAYS: tuple[Way, ...] = (
    tight,
    repeated,
    tight_with_repeated,
    renyi,
    renyi_of_repeated,
    zcdp_at_order,
    zcdp_tail,
    compose_advanced,
    basic,
)
"""Every way at a δ; of equal values the first is named."""
