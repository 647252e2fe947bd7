"""The prover: searches for a theorem about a composition. The kernel checks what it finds.

Each way of composing is tried, so that a reader sees what every rule would have cost, and the
best one that a checker can follow wins where it suffices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import mpmath

from proofs.components import Component
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.guarantees import Guarantee as Claimed
from proofs.implication import implies
from proofs.judgments import Dominated
from proofs.kernel import Theorem, prove
from proofs.losses import GaussianLoss, Losses, ResponseLoss
from proofs.offers import (
    WAYS,
    compose,
    compose_pairs,
    divergences_of_each,
    offer,
    stated_value,
)
from proofs.offers import Offer as Offer
from proofs.search.decimals import smallest_proved
from proofs.search.orders import renyi_value
from synthesizers.intervals import exp_interval, to_mpf
from synthesizers.neighbours import Neighbours
from synthesizers.normal import normal_quantile


def offers(components: Sequence[Component], delta: Fraction) -> tuple[Offer, ...]:
    """What every way of composing that applies gives at a δ, the smallest ε first.

    Raises ProofError where none gives a finite ε.
    """
    found = _collect_offers([partial(way, components, delta) for way in WAYS])
    if not found:
        raise ProofError(
            "no composition rule gives a finite epsilon at this delta; give a larger one, or "
            "mechanisms with a finite guarantee"
        )
    return found


def _collect_offers(ways: Sequence[Callable[[], Offer | None]]) -> tuple[Offer, ...]:
    """What all ways give, the smallest first; a way whose search fails gives nothing."""
    found: list[Offer] = []
    for way in ways:
        try:
            offer = way()
        except (ValueError, ArithmeticError):
            # A rule that does not apply, a size that is not looked at, or a search in doubles
            # that left their range.
            continue
        found += [] if offer is None else [offer]
    return tuple(sorted(found, key=lambda offer: (offer.value, offer.kernel_only)))


def strongest(components: Sequence[Component], claimed: Claimed) -> tuple[Offer, ...]:
    """What every way gives of the claim's own parameter, the smallest first; () if none does.

    Of the claim, only its kind and its δ or order are looked at.
    """
    match claimed:
        case ApproxDP(_, delta):
            return _collect_offers([partial(way, components, delta) for way in WAYS])
        case ZCDP():
            return _collect_offers([partial(way, components) for way in (_zcdp, _pairs_zcdp)])
        case GaussianDP():
            ways = (_pairs_gdp, _each_gdp, _pure_gdp)
            return _collect_offers([partial(way, components) for way in ways])
        case RenyiDP(order, _):
            orders = (_zcdp_renyi, _pure_renyi, _pairs_renyi, _each_renyi)
            return _collect_offers([partial(way, components, order) for way in orders])


def settling(found: Sequence[Offer], claimed: Claimed, neighbours: Neighbours) -> Offer | None:
    """An offer that implies the claim, one that the checker can follow if there is such."""
    enough = [offer for offer in found if implies(offer.theorem, claimed, neighbours)]
    return min(enough, key=lambda offer: offer.kernel_only, default=None)


def _zcdp(components: Sequence[Component]) -> Offer | None:
    theorem = compose("compose-zcdp", components, ZCDP)
    return None if theorem is None else offer("zCDP composition", theorem)


def _pairs_zcdp(components: Sequence[Component]) -> Offer | None:
    pairs = compose("compose-pairs", components, Dominated)
    if pairs is None:
        return None
    return offer("zCDP of the dominating pairs", prove("pair-to-zcdp", [pairs]))


def _pairs_gdp(components: Sequence[Component]) -> Offer | None:
    pairs = compose_pairs(components)
    return None if pairs is None else offer("Gaussian DP composition", _gaussian(*pairs))


def _gaussian(pairs: Theorem, losses: Losses) -> Theorem:
    """The μ of Gaussian losses; ProofError for any other."""
    squared = sum((x.mu_squared for _, x in losses if isinstance(x, GaussianLoss)), Fraction(0))
    return smallest_proved(
        lambda: mpmath.sqrt(to_mpf(squared)), lambda mu: prove("pair-to-gdp", [pairs], {"mu": mu})
    )


def _each_gdp(components: Sequence[Component]) -> Offer | None:
    premises = [_own_gdp(component) for component in components]
    if any(premise is None for premise in premises):
        return None
    found = [premise for premise in premises if premise is not None]
    counts = [component.count for component in components]
    squared = sum(
        (n * stated_value(one) ** 2 for n, one in zip(counts, found, strict=True)), Fraction(0)
    )
    theorem = smallest_proved(
        lambda: mpmath.sqrt(to_mpf(squared)),
        lambda mu: prove("compose-gdp", found, {"counts": counts, "mu": mu}),
    )
    return offer("Gaussian DP of each mechanism", theorem)


def _own_gdp(component: Component) -> Theorem | None:
    """The μ of one run: of its Gaussian pair, or of its pure guarantee."""
    pure = component.of(ApproxDP)
    if pure is not None:
        return _gdp_of_pure(pure[0])
    pairs = component.of(Dominated)
    return None if pairs is None else _gaussian(pairs[0], pairs[1].losses)


def _pure_gdp(components: Sequence[Component]) -> Offer | None:
    pure = compose("compose", components, ApproxDP)
    if pure is None:
        return None
    return offer("Gaussian DP of the pure guarantee", _gdp_of_pure(pure))


def _gdp_of_pure(pure: Theorem) -> Theorem:
    odds = exp_interval(stated_value(pure), 128).lower
    mu = -2 * normal_quantile(1 / (1 + odds), 100).lower
    return smallest_proved(lambda: to_mpf(mu), lambda mu: prove("pure-to-gdp", [pure], {"mu": mu}))


def _zcdp_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    zcdp = compose("compose-zcdp", components, ZCDP)
    if zcdp is None:
        return None
    return offer("zCDP composition", prove("zcdp-to-renyi", [zcdp], {"orders": [order]}))


def _pure_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    pure = compose("compose", components, ApproxDP)
    if pure is None:
        return None
    value = renyi_value(((1, ResponseLoss(stated_value(pure))),), order)
    given = {"orders": [order], "epsilons": [value]}
    return offer("basic composition", prove("pure-to-renyi", [pure], given))


def _pairs_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    pairs = compose_pairs(components)
    if pairs is None:
        return None
    theorem, losses = pairs
    given = {"orders": [order], "epsilons": [renyi_value(losses, order)]}
    return offer("Rényi DP composition", prove("pair-to-renyi", [theorem], given))


def _each_renyi(components: Sequence[Component], order: Fraction) -> Offer | None:
    if all(component.repetition is None for component in components):
        return None
    ((theorem, _, _), *_) = divergences_of_each(components, lambda near: order)
    return offer("Rényi DP of repeated mechanisms", theorem)
