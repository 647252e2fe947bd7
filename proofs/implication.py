"""Whether a theorem's guarantee is the one that a claim makes, or a stronger one of its kind."""

from __future__ import annotations

from proofs.entries import RenyiCurve
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.guarantees import Guarantee as Claimed
from proofs.judgments import Private
from proofs.kernel import Theorem
from synthesizers.neighbours import Neighbours


def implies(theorem: Theorem, claimed: Claimed, neighbours: Neighbours) -> bool:
    """Whether the theorem says at least what is claimed, under the same neighbours.

    Kinds are compared with their own kind alone: a conversion is a step of the proof.

    Guarantee
    ---------
    True only if the judgment entails the claim. Backed by
    ``tests/proofs/test_implication.py``.
    """
    judgment = theorem.judgment
    if not isinstance(judgment, Private) or judgment.neighbours != neighbours:
        return False
    match judgment.guarantee, claimed:
        case ApproxDP(epsilon, delta), ApproxDP(wanted, limit):
            return epsilon <= wanted and delta <= limit
        case ZCDP(rho), ZCDP(wanted):
            return rho <= wanted
        case GaussianDP(mu), GaussianDP(wanted):
            return mu <= wanted
        case RenyiCurve(points), RenyiDP(order, wanted):
            # Rényi divergences do not fall as the order grows.
            return any(at >= order and epsilon <= wanted for at, epsilon in points)
        case _:
            return False
