"""The best theorem about a composition, found by search. The kernel checks what is found.

Each way of composing is tried, so that a reader sees what every rule would have cost, and the
best one that a checker can follow wins where it suffices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import mpmath

from proofs.entries import Entry
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.guarantees import Guarantee as Claimed
from proofs.implication import implies
from proofs.kernel import Theorem, prove
from proofs.losses import GaussianLoss
from proofs.parts import Part, entries_of
from proofs.profiles.entry_moments import largest
from proofs.search.decimals import rounded_up, smallest_proved
from proofs.search.orders import renyi_value
from proofs.search.ways import WAYS, by_sum, compose, concentrate, offer, with_curves
from proofs.search.ways import Offer as Offer
from synthesizers.intervals import exp_interval, to_mpf
from synthesizers.neighbours import Neighbours
from synthesizers.normal import normal_quantile


def offers(parts: Sequence[Part], delta: Fraction) -> tuple[Offer, ...]:
    """What every way of composing that applies gives at a δ, the smallest ε first.

    Raises ProofError where none gives a finite ε.
    """
    found = _collect_offers([partial(way, parts, delta) for way in WAYS])
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
        if offer is None:
            continue
        found.append(offer)
        if offer.value == 0 and not offer.kernel_only:
            # Nothing is smaller.
            break
    return tuple(sorted(found, key=lambda offer: (offer.value, offer.kernel_only)))


def strongest(parts: Sequence[Part], claimed: Claimed) -> tuple[Offer, ...]:
    """What every way gives of the claim's own parameter, the smallest first; () if none does.

    Of the claim, only its kind and its δ or order are looked at.
    """
    match claimed:
        case ApproxDP(_, delta):
            return _collect_offers([partial(way, parts, delta) for way in WAYS])
        case ZCDP():
            return _collect_offers([partial(_zcdp, parts)])
        case GaussianDP():
            return _collect_offers([partial(way, parts) for way in (_each_gdp, _pure_gdp)])
        case RenyiDP(order, _):
            ways = (_renyi, _renyi_of_repeated)
            return _collect_offers([partial(way, parts, order) for way in ways])


def settle(found: Sequence[Offer], claimed: Claimed, neighbours: Neighbours) -> Offer | None:
    """An offer that implies the claim, one that the checker can follow if there is such."""
    enough = [offer for offer in found if implies(offer.theorem, claimed, neighbours)]
    return min(enough, key=lambda offer: offer.kernel_only, default=None)


def _zcdp(parts: Sequence[Part]) -> Offer:
    return offer("zCDP composition", concentrate(parts))


def _each_gdp(parts: Sequence[Part]) -> Offer:
    return offer("Gaussian DP composition", _gaussian(compose(parts)))


def _pure_gdp(parts: Sequence[Part]) -> Offer:
    pure = prove("as-losses", [by_sum(compose(parts))])
    return offer("Gaussian DP of the pure guarantee", _gaussian(pure))


def _gaussian(theorem: Theorem) -> Theorem:
    """The least μ of losses that are Gaussian or bounded; ProofError for any other."""
    entries = entries_of(theorem)
    squared, shares = Fraction(0), list[Fraction]()
    for count, entry in entries:
        if isinstance(entry, GaussianLoss):
            squared += count * entry.mu_squared
        else:
            shares.append(_share(entry))
            squared += count * shares[-1] ** 2
    return smallest_proved(
        lambda: mpmath.sqrt(to_mpf(squared)),
        lambda mu: prove("to-gdp", [theorem], {"mu": mu, "shares": shares}),
    )


def _share(entry: Entry) -> Fraction:
    """A μ of the Gaussian that dominates a bounded loss, close to the least."""
    odds = exp_interval(largest(entry), 128).lower
    return rounded_up(max(-2 * normal_quantile(1 / (1 + odds), 100).lower, Fraction(0)))


def _renyi(parts: Sequence[Part], order: Fraction) -> Offer:
    return offer("Rényi DP composition", _at_order(compose(parts), order))


def _renyi_of_repeated(parts: Sequence[Part], order: Fraction) -> Offer | None:
    if all(part.repetition is None for part in parts):
        return None
    theorem = with_curves(parts, [order])
    return offer("Rényi DP of repeated mechanisms", _at_order(theorem, order))


def _at_order(theorem: Theorem, order: Fraction) -> Theorem:
    given = {"orders": [order], "epsilons": [renyi_value(entries_of(theorem), order)]}
    return prove("to-renyi", [theorem], given)
