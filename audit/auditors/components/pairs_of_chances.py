"""Losses of choices: the chances of each outcome on either database; several together.

With P and Q such chances beside a pair (R, S) that is the same in both directions, and l the
logarithm of p/q of an outcome,

    δ(ε) of (P×R, Q×S) = Σ p·δ₁(ε - l),    δ₁(r) = 1 - e^r·(1 - δ₁(-r)) where r < 0,

δ₁ that of (R, S); Rényi divergences of independent pairs add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_OUTCOMES = 40_000
"""The most different losses of several choices together."""

MOST_PRODUCTS = 400_000
"""The most products of chances in one step (half a second)."""

SAME = 12
"""Logarithms that agree to so many decimals are one loss."""

Outcomes = tuple[tuple[float, float], ...]
"""Of each outcome its chances on the first database and on the second."""


@dataclass(frozen=True)
class ChanceLoss:
    """The pair of laws of a draw of finitely many outcomes, ``outcomes`` of positive chance."""

    outcomes: Outcomes

    @property
    def epsilon(self) -> float:
        """The largest loss, in nats; infinite where an outcome has no chance on one database."""
        return max((abs(loss_of_outcome(*one)) for one in self.outcomes), default=0.0)

    @property
    def turned(self) -> ChanceLoss:
        """The pair with the databases exchanged."""
        return ChanceLoss(tuple((q, p) for p, q in self.outcomes))


def state_chances(first: Sequence[float], second: Sequence[float]) -> ChanceLoss:
    """The loss of a draw, by the chances of its outcomes in order."""
    return ChanceLoss(tuple((p, q) for p, q in zip(first, second, strict=True) if p > 0 or q > 0))


def loss_of_outcome(p: float, q: float) -> float:
    """ln(p/q); infinite where one of them is 0."""
    if p > 0 and q > 0:
        return math.log(p) - math.log(q)
    return math.inf if p > 0 else -math.inf


def multiply(losses: Sequence[ChanceLoss]) -> ChanceLoss | None:
    """Independent choices as one, outcomes of the same loss together; None where these are many.

    Guarantee
    ---------
    The profile is that of the product, but for rounding. Backed by
    ``tests/audit/auditors/components/test_pairs_of_chances.py``.
    """
    found: Outcomes = ((1.0, 1.0),)
    for loss in losses:
        merged: dict[float, list[tuple[float, float]]] = {}
        if len(found) * len(loss.outcomes) > MOST_PRODUCTS:
            return None
        for p, q in found:
            for r, s in loss.outcomes:
                if p * r or q * s:
                    key = round(loss_of_outcome(p * r, q * s), SAME)
                    merged.setdefault(key, []).append((p * r, q * s))
        if len(merged) > MOST_OUTCOMES:
            return None
        found = tuple(
            (math.fsum(p for p, _ in own), math.fsum(q for _, q in own)) for own in merged.values()
        )
    return ChanceLoss(found)


def delta_of(loss: ChanceLoss, epsilon: float, rest: Callable[[float], float] | None) -> float:
    """δ at an ε, in the direction of the pair; ``rest``: δ₁ at r >= 0, None for nothing else."""
    total = []
    for p, q in loss.outcomes:
        at = epsilon - loss_of_outcome(p, q)
        if at == -math.inf:
            total.append(p)
        elif at >= 0 and p:
            total.append(p * rest(at) if rest is not None and at < math.inf else 0.0)
        elif p:
            beyond = 0.0 if rest is None else rest(-at)
            # e^at·p is e^ε·q, which is closer.
            total.append(p - math.exp(epsilon) * q * (1 - beyond))
    return math.fsum(total)


def renyi_of(loss: ChanceLoss, order: float) -> float:
    """The Rényi divergence of an order above 1, in the direction of the pair, in nats."""
    logs = []
    for p, q in loss.outcomes:
        if p and not q:
            return math.inf
        if p:
            logs.append(order * math.log(p) + (1 - order) * math.log(q))
    top = max(logs, default=0.0)
    return (top + math.log(math.fsum(math.exp(one - top) for one in logs))) / (order - 1)
