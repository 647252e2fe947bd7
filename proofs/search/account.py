"""Accounts: both ends of the smallest ε at a δ, or of the smallest δ at an ε, by the best rule.

The upper end is a theorem. The lower end says how much of it is due to the mechanisms: no smaller
value holds for pairs that each of them attains: their dominating pairs, or smaller ones where it is
open whether those are attained. Where one is known only by a guarantee, nothing is known (0).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.judgments import Private
from proofs.kernel import Theorem, prove
from proofs.losses import Losses, join
from proofs.parts import Part, attained_losses, attains, entries_of
from proofs.profiles.entry_moments import leak, pairs
from proofs.search.best import offers
from proofs.search.decimals import rounded_up, smallest_proved
from proofs.search.ends import Bracket, enclose_delta, enclose_epsilon
from proofs.search.orders import (
    best_order_at,
    convert_to_delta,
    float_divergence,
    known_orders,
    renyi_value,
)
from proofs.search.repetition import at_epsilon
from proofs.search.shares import marginal_shares
from proofs.search.ways import (
    NAMES,
    Offer,
    by_moment,
    by_sum,
    compose,
    concentrate,
    offer,
    read_off,
    stated_value,
    with_curves_near,
)
from synthesizers.intervals import WORKING_BITS, round_down, to_mpf

LEAST_STATED = Fraction(1, 10**1000)
"""The smallest δ above 0 that is stated."""


@dataclass(frozen=True)
class Account:
    """What every rule gives for one composition, the best first: of ε at a δ, or of δ at an ε.

    ``lower``: no smaller value holds for mechanisms that attain the losses of
    `proofs.parts.attained_losses`, as far as these are known; 0 where none are, or none is found.
    ``shares``: how much of ε each part causes, by estimates in doubles (`proofs.search.shares`);
    None where it is of δ, or none is found.
    """

    lower: Fraction
    found: tuple[Offer, ...]
    shares: tuple[float, ...] | None = None

    @property
    def best(self) -> Offer:
        """The smallest value."""
        return self.found[0]

    @property
    def recheckable(self) -> Offer | None:
        """The best one that the independent checker can follow, None where it can't follow any."""
        return next((offer for offer in self.found if not offer.kernel_only), None)


def account_epsilon(parts: Sequence[Part], delta: Fraction) -> Account:
    """ε by all rules at a δ in [0, 1); raises ProofError where none gives a finite one."""
    if not 0 <= delta < 1:
        raise ProofError("delta must lie in [0, 1)")
    shares = None
    with contextlib.suppress(ValueError, ArithmeticError):
        shares = marginal_shares(parts, delta)
    ends = _of(parts, offers(parts, delta), lambda one: enclose_epsilon(one, delta))
    return replace(ends, shares=shares)


def account_delta(parts: Sequence[Part], epsilon: Fraction) -> Account:
    """δ by all rules at an ε >= 0; raises ProofError where none gives a δ below 1."""
    if epsilon < 0:
        raise ProofError("epsilon must be at least 0")
    found: list[Offer] = []
    for way in (_tight_delta, _repeated_delta, _renyi_delta, _zcdp_delta, _basic_delta):
        try:
            offer = way(parts, epsilon)
        except (ValueError, ArithmeticError):
            # The rule does not apply, or a search in doubles left their range.
            continue
        found += [] if offer is None else [offer]
    if not found:
        raise ProofError(
            "no delta below 1 could be proved at this epsilon; ask for epsilon at a delta instead"
        )
    ordered = tuple(sorted(found, key=lambda o: (o.value, o.kernel_only)))
    return _of(parts, ordered, lambda losses: enclose_delta(losses, epsilon))


def _of(
    parts: Sequence[Part],
    found: tuple[Offer, ...],
    ends: Callable[[Losses], Bracket],
) -> Account:
    if all(map(attains, parts)):
        lower = [offer.lower for offer in found if offer.lower is not None]
        return Account(max(lower, default=Fraction(0)), found)
    # What else runs can only tell more.
    known = [(part.count, pair) for part in parts if (pair := attained_losses(part)) is not None]
    try:
        attained = join([pair for _, pair in known], [count for count, _ in known])
        # An end of an enclosure may have thousands of digits.
        least = round_down(ends(attained).lower, WORKING_BITS)
    except (ValueError, ArithmeticError):
        # As in `proofs.search.best`: a search in doubles that found nothing.
        least = Fraction(0)
    return Account(least if least >= LEAST_STATED else Fraction(0), found)


def _tight_delta(parts: Sequence[Part], epsilon: Fraction) -> Offer:
    """The smallest δ of the product of the dominating pairs."""
    theorem = compose(parts)
    ends = enclose_delta(pairs(entries_of(theorem)), epsilon)
    # An end of an enclosure may have thousands of digits.
    upper = rounded_up(max(ends.upper, LEAST_STATED)) if ends.upper else ends.upper
    proved = read_off(theorem, ends.method, epsilon, upper, ends.hints)
    return offer(NAMES[ends.method], proved, upper, ends.lower)


def _repeated_delta(parts: Sequence[Part], epsilon: Fraction) -> Offer | None:
    """The δ of the profile of one run of the only mechanism, which is repeated."""
    (only, *more) = parts
    if more or only.count > 1 or only.repetition is None:
        return None
    proved = at_epsilon(only.repetition, epsilon)
    return offer("profile of a repeated mechanism", proved, _delta_of(proved))


def _renyi_delta(parts: Sequence[Part], epsilon: Fraction) -> Offer | None:
    """The δ of the sum of all Rényi divergences, some of repeated mechanisms."""
    if any(part.repetition for part in parts):
        rule = "Rényi DP of repeated mechanisms"
        theorem = with_curves_near(parts, lambda near: best_order_at(near, epsilon))
    else:
        rule, theorem = "Rényi DP at the best order", compose(parts)
    entries = entries_of(theorem)
    near = best_order_at(lambda at: float_divergence(entries, at), epsilon)
    orders = known_orders(entries, near)
    values = [(convert_to_delta(renyi_value(entries, at), at, epsilon), at) for at in orders]
    value, order = min(values)
    # A loss is infinite with at most this chance, and else has the moment's δ.
    missed = to_mpf(sum((count * leak(entry) for count, entry in entries), Fraction(0)))
    proved = smallest_proved(
        lambda: max(missed + (1 - missed) * value, to_mpf(LEAST_STATED)),
        lambda delta: by_moment(theorem, order, epsilon, delta),
    )
    return offer(rule, proved, _delta_of(proved))


def _zcdp_delta(parts: Sequence[Part], epsilon: Fraction) -> Offer | None:
    """The δ of the sum of all ρ at the best order (Canonne, Kamath & Steinke 2020)."""
    zcdp = concentrate(parts)
    rho = stated_value(zcdp)
    if rho == 0:
        return None
    order, losses = best_order_at(lambda at: at * float(rho), epsilon), prove("as-losses", [zcdp])
    proved = smallest_proved(
        lambda: max(convert_to_delta(order * rho, order, epsilon), to_mpf(LEAST_STATED)),
        lambda delta: by_moment(losses, order, epsilon, delta),
    )
    return offer("zCDP at the best order (Canonne, Kamath & Steinke)", proved, _delta_of(proved))


def _basic_delta(parts: Sequence[Part], epsilon: Fraction) -> Offer | None:
    """The sum of all δ where that of all ε is small enough."""
    theorem = by_sum(compose(parts))
    if stated_value(theorem) > epsilon:
        return None
    return offer("basic composition", theorem, _delta_of(theorem))


def _delta_of(theorem: Theorem) -> Fraction:
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, ApproxDP)
    return theorem.judgment.guarantee.delta
