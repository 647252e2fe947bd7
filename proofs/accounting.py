"""Accounting: both ends of the smallest ε at a δ, or of the smallest δ at an ε, by the best rule.

The upper end is a theorem. The lower end says how much of it is due to the mechanisms: no smaller
value holds for their dominating pairs, or, where no rule is tight, nothing is known (0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofs import accountants
from proofs.components import Component
from proofs.errors import ProofError
from proofs.judgments import Dominated, Private
from proofs.kernel import Theorem, prove
from proofs.prover import NAMES, Offer, composed, offers


@dataclass(frozen=True)
class Accounting:
    """What every rule gives for one composition at a δ, the best first.

    ``lower``: no smaller ε holds for the dominating pairs. ``recheckable``: the best offer that
    the independent checker can follow, None where it can't follow any.
    """

    delta: Fraction
    lower: Fraction
    found: tuple[Offer, ...]

    @property
    def best(self) -> Offer:
        """The smallest ε."""
        return self.found[0]

    @property
    def recheckable(self) -> Offer | None:
        """The best one that the checker can follow."""
        return next((offer for offer in self.found if not offer.kernel_only), None)


def accounting(components: Sequence[Component], delta: Fraction) -> Accounting:
    """All rules at a δ in [0, 1); raises ProofError where none gives a finite ε."""
    if not 0 <= delta < 1:
        raise ProofError(f"delta must lie in [0, 1), found {delta}")
    found = offers(components, delta)
    lower = max(
        (o.lower for o in found if o.lower is not None and _tight(components)), default=None
    )
    return Accounting(delta, Fraction(0) if lower is None else lower, found)


def _tight(components: Sequence[Component]) -> bool:
    """Whether every component's dominating pair is its own, and not that of a mere guarantee."""
    rules = {"pure-to-pair", "stated-guarantee", "poisson", "group"}
    for component in components:
        pairs = component.of(Dominated)
        if pairs is None or pairs[0].rule in rules:
            return False
    return True


def delta_at(
    components: Sequence[Component], epsilon: Fraction
) -> tuple[accountants.Bracket, Theorem, str]:
    """Both ends of the smallest δ at an ε >= 0, the theorem, and the rule's name.

    Raises ProofError where some component has no dominating pair.
    """
    if epsilon < 0:
        raise ProofError(f"epsilon must be at least 0, found {epsilon}")
    pairs = composed("compose-pairs", components, Dominated)
    if pairs is None:
        raise ProofError(
            "delta at an epsilon needs the dominating pair of every mechanism, and one has none"
        )
    assert isinstance(pairs.judgment, Private) and isinstance(pairs.judgment.guarantee, Dominated)
    ends = accountants.delta(pairs.judgment.guarantee.losses, epsilon)
    given = {"method": ends.method, "epsilon": epsilon, "delta": ends.upper, "hints": ends.hints}
    theorem = prove("pair-to-approx", [pairs], given)
    if not _tight(components):
        ends = accountants.Bracket(Fraction(0), ends.upper, ends.method, ends.hints)
    return ends, theorem, NAMES[ends.method]
