"""Yardsticks: what two claims must have in common before their numbers may be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.statements.claim import Claim
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from synthesizers.neighbours import Neighbours


@dataclass(frozen=True)
class Yardstick:
    """The question that a bound answers: how large is which parameter, between which databases.

    ``kind``: of guarantee: "pure", "approximate", "zero-concentrated", "Gaussian" or "Rényi".
    ``at``: the δ or the order α at which the parameter is the smallest; None where there is none.
    ``neighbours``: with the unit, a record or a person of at most so many.
    """

    kind: str
    at: Fraction | None
    neighbours: Neighbours


def yardstick(claim: Claim) -> Yardstick:
    """What the bounds on a claim's parameter are measured by.

    Guarantee
    ---------
    Two claims have one yardstick only if their guarantees bound the same parameter at the same δ
    and order, under the same neighbours and unit. Backed by
    ``tests/audit/review/comparison/test_yardsticks.py``.
    """
    match claim.guarantee:
        case ApproxDP(delta=delta):
            kind, at = ("pure", None) if delta == 0 else ("approximate", delta)
        case RenyiDP(alpha=alpha):
            kind, at = "Rényi", alpha
        case ZCDP():
            kind, at = "zero-concentrated", None
        case GaussianDP():
            kind, at = "Gaussian", None
    return Yardstick(kind, at, claim.neighbours)


def group_claims(claims: Sequence[Claim]) -> dict[Yardstick, tuple[int, ...]]:
    """The places of the claims by their yardsticks, in the order of their first."""
    places: dict[Yardstick, list[int]] = {}
    for place, claim in enumerate(claims):
        places.setdefault(yardstick(claim), []).append(place)
    return {stick: tuple(found) for stick, found in places.items()}
