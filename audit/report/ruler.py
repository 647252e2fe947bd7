"""Rulers: where a claim and the bounds on ε lie on one axis.

An axis is linear from 0; infinity, where it occurs, has a place of its own
beyond the axis' end, so that it is seen and never mistaken for a large number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.certificate import Certificate
from audit.evidence import Evidence, Side
from audit.report.curve import round_ticks
from audit.report.words import bound_text, guarantee_symbols
from proofs.guarantees import ApproxDP

FINITE_SHARE = 0.86
"""The part of an axis that finite values take where infinity is shown too."""

INFINITE_PLACE = 0.97


@dataclass(frozen=True)
class Mark:
    """One thing on the axis: the claim, or the bound of a side.

    ``low``, ``high``: ends in nats, may be infinite; equal for a point.
    ``whole``: it covers every database that the claim speaks of.
    """

    kind: str
    name: str
    text: str
    low: float
    high: float
    whole: bool
    basis: str
    covers: str


@dataclass(frozen=True)
class Scale:
    """An axis from 0 to ``top`` (nats), with a place for infinity or without."""

    top: float
    infinite: bool

    def place(self, value: float) -> float:
        """The share of the axis' length at which a value lies, in [0, 1]."""
        if math.isinf(value):
            return INFINITE_PLACE
        share = min(max(value / self.top, 0.0), 1.0)
        return share * (FINITE_SHARE if self.infinite else 1.0)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Round values with their labels, infinity last."""
        finite = round_ticks(self.top)
        return (*finite, (math.inf, "∞")) if self.infinite else finite


def claim_mark(certificate: Certificate) -> Mark | None:
    """The claimed ε; None where the claim is not a statement about ε."""
    guarantee = certificate.claim.guarantee
    if not isinstance(guarantee, ApproxDP):
        return None
    # Beyond the doubles the ruler has no other place for it.
    value = float(guarantee.epsilon) if guarantee.epsilon < 10**300 else math.inf
    text = guarantee_symbols(ApproxDP(guarantee.epsilon))
    return Mark("claim", "Claim", text, value, value, True, "", certificate.claim.covers)


def bound_marks(certificate: Certificate) -> tuple[Mark, ...]:
    """The certificate's floor, exact value and ceiling, those that there are."""
    marks = []
    names = {Side.FLOOR: "Floor", Side.EXACT: "Exact value", Side.CEILING: "Ceiling"}
    for side, name in names.items():
        bound = certificate.bound(side)
        if bound is None:
            continue
        source = next(e for e in certificate.evidence if e.bound is bound)
        low, high = bound.epsilon.floats()
        if side is Side.FLOOR:
            high = low
        elif side is Side.CEILING:
            low = high
        marks.append(
            Mark(
                side.value,
                name,
                bound_text(bound),
                low,
                high,
                source.whole,
                _basis(source),
                bound.covers,
            )
        )
    return tuple(marks)


def _basis(evidence: Evidence) -> str:
    rigour = evidence.bound.rigour if evidence.bound is not None else ""
    if evidence.confidence is None:
        return f"{rigour}, by {evidence.auditor}"
    return f"{rigour} at confidence {evidence.confidence}, by {evidence.auditor}"


def common_scale(certificates: Sequence[Certificate]) -> Scale:
    """One axis on which the claims and bounds of all certificates fit."""
    ends = [
        end
        for certificate in certificates
        for mark in (claim_mark(certificate), *bound_marks(certificate))
        if mark is not None
        for end in (mark.low, mark.high)
    ]
    top = max((end for end in ends if math.isfinite(end)), default=0.0) * 1.12
    return Scale(top if top > 0 else 1.0, any(math.isinf(end) for end in ends))
