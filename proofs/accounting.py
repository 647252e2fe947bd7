"""Accounting: both ends of the smallest ε at a δ, or of the smallest δ at an ε, by the best rule.

The upper end is a theorem. The lower end says how much of it is due to the mechanisms: no smaller
value holds for pairs that each of them attains: their dominating pairs, or smaller ones where it is
open whether those are attained. Where one is known only by a guarantee, nothing is known (0).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofs import accountants
from proofs.components import Component, attained, attains
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Private
from proofs.kernel import prove
from proofs.losses import Losses, join
from proofs.offers import NAMES, Offer, compose, compose_pairs, offer, stated_value
from proofs.prover import offers
from proofs.search.decimals import rounded_up, smallest_proved
from proofs.search.orders import best_order_at, convert_to_delta
from synthesizers.exact import parse_rational
from synthesizers.intervals import to_mpf

LEAST_STATED = Fraction(1, 10**1000)
"""The smallest δ above 0 that is stated."""


@dataclass(frozen=True)
class Accounting:
    """What every rule gives for one composition, the best first: of ε at a δ, or of δ at an ε.

    ``lower``: no smaller value holds for mechanisms that attain the pairs of
    `proofs.components.attained`; 0 where that is not known of all of them.
    """

    lower: Fraction
    found: tuple[Offer, ...]

    @property
    def best(self) -> Offer:
        """The smallest value."""
        return self.found[0]

    @property
    def recheckable(self) -> Offer | None:
        """The best one that the independent checker can follow, None where it can't follow any."""
        return next((offer for offer in self.found if not offer.kernel_only), None)


def accounting(components: Sequence[Component], delta: Fraction) -> Accounting:
    """ε by all rules at a δ in [0, 1); raises ProofError where none gives a finite one."""
    if not 0 <= delta < 1:
        raise ProofError("delta must lie in [0, 1)")
    found = offers(components, delta)
    return _of(components, found, lambda losses: accountants.epsilon(losses, delta))


def delta_accounting(components: Sequence[Component], epsilon: Fraction) -> Accounting:
    """δ by all rules at an ε >= 0; raises ProofError where none gives a δ below 1."""
    if epsilon < 0:
        raise ProofError("epsilon must be at least 0")
    found: list[Offer] = []
    for way in (_tight_delta, _zcdp_delta, _basic_delta):
        try:
            offer = way(components, epsilon)
        except (ValueError, ArithmeticError):
            # The rule does not apply, or a search in doubles left their range.
            continue
        found += [] if offer is None else [offer]
    if not found:
        raise ProofError(
            "no delta below 1 could be proved at this epsilon; ask for epsilon at a delta instead"
        )
    ordered = tuple(sorted(found, key=lambda o: (o.value, o.kernel_only)))
    return _of(components, ordered, lambda losses: accountants.delta(losses, epsilon))


def _of(
    components: Sequence[Component],
    found: tuple[Offer, ...],
    ends: Callable[[Losses], accountants.Bracket],
) -> Accounting:
    if all(map(attains, components)):
        lower = [offer.lower for offer in found if offer.lower is not None]
        return Accounting(max(lower, default=Fraction(0)), found)
    parts = [attained(component) for component in components]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return Accounting(Fraction(0), found)
    try:
        attainable = join(known, [component.count for component in components])
        return Accounting(ends(attainable).lower, found)
    except (ValueError, ArithmeticError):
        # As in `proofs.prover`: a search in doubles that found nothing.
        return Accounting(Fraction(0), found)


def _tight_delta(components: Sequence[Component], epsilon: Fraction) -> Offer | None:
    """The smallest δ of the product of the dominating pairs."""
    pairs = compose_pairs(components)
    if pairs is None:
        return None
    theorem, losses = pairs
    ends = accountants.delta(losses, epsilon)
    # An end of an enclosure may have thousands of digits.
    upper = rounded_up(max(ends.upper, LEAST_STATED)) if ends.upper else ends.upper
    given = {"method": ends.method, "epsilon": epsilon, "delta": upper, "hints": ends.hints}
    proved = prove("pair-to-approx", [theorem], given)
    return offer(NAMES[ends.method], proved, upper, ends.lower)


def _zcdp_delta(components: Sequence[Component], epsilon: Fraction) -> Offer | None:
    """The δ of the sum of all ρ at the best order (Canonne, Kamath & Steinke 2020)."""
    theorem = compose("compose-zcdp", components, ZCDP)
    if theorem is None or stated_value(theorem) == 0:
        return None
    rho = stated_value(theorem)
    order = best_order_at(lambda at: at * float(rho), epsilon)
    proved = smallest_proved(
        lambda: max(convert_to_delta(order * rho, order, epsilon), to_mpf(LEAST_STATED)),
        lambda delta: prove(
            "zcdp-to-approx-at-order",
            [theorem],
            {"order": order, "epsilon": epsilon, "delta": delta},
        ),
    )
    value = parse_rational(proved.parameters["delta"], "delta")
    return offer("zCDP at the best order (Canonne, Kamath & Steinke)", proved, value)


def _basic_delta(components: Sequence[Component], epsilon: Fraction) -> Offer | None:
    """The sum of all δ where that of all ε is small enough."""
    theorem = compose("compose", components, ApproxDP)
    if theorem is None or stated_value(theorem) > epsilon:
        return None
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, ApproxDP)
    return offer("basic composition", theorem, theorem.judgment.guarantee.delta)
