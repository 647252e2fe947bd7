"""The prover: searches for a theorem about a composition. The kernel checks what it finds.

Each way of composing is tried, so that a reader sees what every rule would have cost, and the
best one that a checker can follow wins where it suffices.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from proofs import accountants
from proofs.accountants import RECHECKED
from proofs.components import Component
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.guarantees import Guarantee as Claimed
from proofs.implication import implies
from proofs.judgments import Dominated, Private, RenyiCurve
from proofs.kernel import Theorem, prove
from proofs.losses import GaussianLoss, ResponseLoss
from proofs.search.decimals import smallest_proved
from proofs.search.orders import best_order, converted, renyi_theorem, renyi_value
from synthesizers.errors import TooLargeError
from synthesizers.intervals import exp_interval, to_mpf
from synthesizers.neighbours import Neighbours
from synthesizers.normal import normal_quantile


@dataclass(frozen=True)
class Offer:
    """What one way of composing gives.

    ``rule``: its name for a reader. ``value``: the smallest found of what is asked for: ε at a δ,
    ρ, μ, or ε at an order. ``theorem``: proves it. ``lower``: no smaller value holds for the
    dominating pairs; None where the way is not tight. ``kernel_only``: the independent checker
    can't afford the number.
    """

    rule: str
    value: Fraction
    theorem: Theorem
    lower: Fraction | None = None
    kernel_only: bool = False


def offers(components: Sequence[Component], delta: Fraction) -> tuple[Offer, ...]:
    """What every way of composing that applies gives at a δ, the smallest ε first.

    Raises ProofError where none gives a finite ε.
    """
    ways: tuple[Callable[[Sequence[Component], Fraction], Offer | None], ...] = (
        _basic,
        _advanced,
        _zcdp,
        _zcdp_at_order,
        _renyi,
        _pairs,
    )
    found = [offer for way in ways if (offer := _tried(way, components, delta)) is not None]
    if not found:
        raise ProofError(
            f"no composition rule gives a finite epsilon at delta = {delta}; give a delta above 0, "
            "or mechanisms with a finite guarantee"
        )
    return tuple(sorted(found, key=lambda offer: (offer.value, offer.kernel_only)))


def _tried(
    way: Callable[[Sequence[Component], Fraction], Offer | None],
    components: Sequence[Component],
    delta: Fraction,
) -> Offer | None:
    try:
        return way(components, delta)
    except (ProofError, TooLargeError):
        return None


def _epsilon_of(theorem: Theorem) -> Fraction:
    judgment = theorem.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, ApproxDP)
    return judgment.guarantee.epsilon


def _offer(rule: str, theorem: Theorem) -> Offer:
    return Offer(rule, _epsilon_of(theorem), theorem)


def composed(rule: str, components: Sequence[Component], kind: Any) -> Theorem | None:
    """All components composed by the rule of a kind of guarantee; None where one has none."""
    parts = [component.of(kind) for component in components]
    if not parts or any(part is None for part in parts):
        return None
    premises = [part[0] for part in parts if part is not None]
    counts = [component.count for component in components]
    return premises[0] if counts == [1] else prove(rule, premises, {"counts": counts})


def _basic(components: Sequence[Component], delta: Fraction) -> Offer | None:
    runs = sum(component.count for component in components)
    parts = [_approx(component, delta / runs) for component in components]
    if any(part is None for part in parts):
        return None
    premises = [part for part in parts if part is not None]
    counts = [component.count for component in components]
    theorem = prove("compose", premises, {"counts": counts})
    judgment = theorem.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, ApproxDP)
    return None if judgment.guarantee.delta > delta else _offer("basic composition", theorem)


def _approx(component: Component, delta: Fraction) -> Theorem | None:
    """The component's own (ε, δ), at a share of δ where it has no pure one."""
    own = component.of(ApproxDP)
    if own is not None or delta == 0:
        return None if own is None else own[0]
    pairs = component.of(Dominated)
    if pairs is not None:
        return _at_delta(pairs[0], delta)[0]
    zcdp = component.of(ZCDP)
    return None if zcdp is None else _from_zcdp(zcdp[0], delta)


def _advanced(components: Sequence[Component], delta: Fraction) -> Offer | None:
    if len(components) != 1 or delta == 0:
        return None
    count = components[0].count
    # Half of δ for the mechanisms where they have none of their own.
    premise = _approx(components[0], delta / (2 * count))
    if premise is None:
        return None
    judgment = premise.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, ApproxDP)
    own = judgment.guarantee
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

    return _offer("advanced composition", smallest_proved(value, attempt))


def _zcdp(components: Sequence[Component], delta: Fraction) -> Offer | None:
    theorem = composed("compose-zcdp", components, ZCDP)
    if theorem is None or delta == 0:
        return None
    return _offer("zCDP (Bun & Steinke)", _from_zcdp(theorem, delta))


def _rho(theorem: Theorem) -> Fraction:
    judgment = theorem.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, ZCDP)
    return judgment.guarantee.rho


def _from_zcdp(theorem: Theorem, delta: Fraction) -> Theorem:
    rho = _rho(theorem)

    def value() -> mpmath.mpf:
        return to_mpf(rho) + 2 * mpmath.sqrt(to_mpf(rho) * mpmath.log(1 / to_mpf(delta)))

    return smallest_proved(
        value,
        lambda epsilon: prove("zcdp-to-approx", [theorem], {"epsilon": epsilon, "delta": delta}),
    )


def _zcdp_at_order(components: Sequence[Component], delta: Fraction) -> Offer | None:
    theorem = composed("compose-zcdp", components, ZCDP)
    if theorem is None or delta == 0 or _rho(theorem) == 0:
        return None
    rho = _rho(theorem)
    order = best_order(lambda at: at * float(rho), delta, whole=False)
    proved = smallest_proved(
        lambda: converted(order * rho, order, delta),
        lambda epsilon: prove(
            "zcdp-to-approx-at-order",
            [theorem],
            {"order": order, "epsilon": epsilon, "delta": delta},
        ),
    )
    return _offer("zCDP at the best order (Canonne, Kamath & Steinke)", proved)


def _renyi(components: Sequence[Component], delta: Fraction) -> Offer | None:
    pairs = composed("compose-pairs", components, Dominated)
    if pairs is None or delta == 0:
        return None
    theorem, order, divergence = renyi_theorem(pairs, delta)
    proved = smallest_proved(
        lambda: converted(divergence, order, delta),
        lambda epsilon: prove(
            "renyi-to-approx", [theorem], {"order": order, "epsilon": epsilon, "delta": delta}
        ),
    )
    return _offer("Rényi DP at the best order", proved)


def _pairs(components: Sequence[Component], delta: Fraction) -> Offer | None:
    pairs = composed("compose-pairs", components, Dominated)
    if pairs is None:
        return None
    theorem, ends = _at_delta(pairs, delta)
    name = NAMES.get(ends.method, ends.method)
    only = ends.method not in {*RECHECKED, "sum"}
    return Offer(name, _epsilon_of(theorem), theorem, ends.lower, only)


NAMES = {
    "gaussian": "Gaussian DP, closed form",
    "responses": "optimal composition, closed form",
    "laplace": "privacy-loss distribution, closed form",
    "contour": "privacy-loss distribution, contour integral",
    "lattice": "privacy-loss distribution, lattice",
    "sum": "sum of the largest losses",
}
"""Methods of the profile as a reader meets them."""


def _at_delta(pairs: Theorem, delta: Fraction) -> tuple[Theorem, accountants.Bracket]:
    """(ε, δ) of dominating pairs at the smallest ε found, with both ends of it."""
    judgment = pairs.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, Dominated)
    ends = accountants.epsilon(judgment.guarantee.losses, delta)
    if ends.method == "sum":
        return prove("pair-to-pure", [pairs]), ends
    given = {"method": ends.method, "epsilon": ends.upper, "delta": delta, "hints": ends.hints}
    return prove("pair-to-approx", [pairs], given), ends


def strongest(components: Sequence[Component], claimed: Claimed) -> tuple[Offer, ...]:
    """What every way gives of the claim's own parameter, the smallest first; () if none does.

    Of the claim, only its kind and its δ or order are looked at.
    """
    ways: Sequence[Callable[[], Offer | None]]
    match claimed:
        case ApproxDP(_, delta):
            try:
                return offers(components, delta)
            except ProofError:
                return ()
        case ZCDP():
            ways = (lambda: _composed_zcdp(components), lambda: _pairs_zcdp(components))
        case GaussianDP():
            ways = (lambda: _pairs_gdp(components), lambda: _pure_gdp(components))
        case RenyiDP(order, _):
            ways = (
                lambda: _zcdp_renyi(components, order),
                lambda: _pure_renyi(components, order),
                lambda: _pairs_renyi(components, order),
            )
    found: list[Offer] = []
    for way in ways:
        with contextlib.suppress(ProofError, TooLargeError):
            offer = way()
            found += [] if offer is None else [offer]
    return tuple(sorted(found, key=lambda offer: offer.value))


def settling(found: Sequence[Offer], claimed: Claimed, neighbours: Neighbours) -> Offer | None:
    """An offer that implies the claim, one that the checker can follow if there is such."""
    enough = [offer for offer in found if implies(offer.theorem, claimed, neighbours)]
    return min(enough, key=lambda offer: offer.kernel_only, default=None)


def _composed_zcdp(components: Sequence[Component]) -> Offer | None:
    theorem = composed("compose-zcdp", components, ZCDP)
    return None if theorem is None else Offer("zCDP composition", _rho(theorem), theorem)


def _pairs_zcdp(components: Sequence[Component]) -> Offer | None:
    pairs = composed("compose-pairs", components, Dominated)
    if pairs is None:
        return None
    theorem = prove("pair-to-zcdp", [pairs])
    return Offer("zCDP of the dominating pairs", _rho(theorem), theorem)


def _mu(theorem: Theorem) -> Fraction:
    judgment = theorem.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, GaussianDP)
    return judgment.guarantee.mu


def _pairs_gdp(components: Sequence[Component]) -> Offer | None:
    pairs = composed("compose-pairs", components, Dominated)
    if pairs is None:
        return None
    assert isinstance(pairs.judgment, Private) and isinstance(pairs.judgment.guarantee, Dominated)
    losses = pairs.judgment.guarantee.losses
    squared = sum((x.mu_squared for _, x in losses if isinstance(x, GaussianLoss)), Fraction(0))
    theorem = smallest_proved(
        lambda: mpmath.sqrt(to_mpf(squared)), lambda mu: prove("pair-to-gdp", [pairs], {"mu": mu})
    )
    return Offer("Gaussian DP composition", _mu(theorem), theorem)


def _pure_gdp(components: Sequence[Component]) -> Offer | None:
    pure = composed("compose", components, ApproxDP)
    if pure is None:
        return None
    odds = exp_interval(_epsilon_of(pure), 128).lower
    mu = -2 * normal_quantile(1 / (1 + odds), 100).lower
    theorem = smallest_proved(
        lambda: to_mpf(mu), lambda mu: prove("pure-to-gdp", [pure], {"mu": mu})
    )
    return Offer("Gaussian DP of the pure guarantee", _mu(theorem), theorem)


def _renyi_offer(rule: str, theorem: Theorem) -> Offer:
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, RenyiCurve)
    return Offer(rule, theorem.judgment.guarantee.points[0][1], theorem)


def _zcdp_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    zcdp = composed("compose-zcdp", components, ZCDP)
    if zcdp is None:
        return None
    return _renyi_offer("zCDP composition", prove("zcdp-to-renyi", [zcdp], {"orders": [order]}))


def _pure_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    pure = composed("compose", components, ApproxDP)
    if pure is None:
        return None
    loss = ResponseLoss(_epsilon_of(pure))
    given = {"orders": [order], "epsilons": [renyi_value(((1, loss),), order)]}
    return _renyi_offer("basic composition", prove("pure-to-renyi", [pure], given))


def _pairs_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    pairs = composed("compose-pairs", components, Dominated)
    if pairs is None:
        return None
    assert isinstance(pairs.judgment, Private) and isinstance(pairs.judgment.guarantee, Dominated)
    value = renyi_value(pairs.judgment.guarantee.losses, order)
    given = {"orders": [order], "epsilons": [value]}
    return _renyi_offer("Rényi DP composition", prove("pair-to-renyi", [pairs], given))
