"""Rulers: where a claim, and the bounds on what it bounds, lie on one axis.

The axis is that of the claim's own parameter: ε, ρ, μ or, at one order α, ε(α). It is linear from
0; infinity, where it occurs, has a place of its own beyond the axis' end, so that it is seen and
never mistaken for a large number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.report.picture import round_ticks
from audit.report.words import (
    above,
    bound_text,
    claimed_text,
    claimed_value,
    decisive_value,
    is_wide,
)
from audit.statements.certificate import Certificate
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Decision, Evidence, Side

FINITE_SHARE = 0.86
"""The part of an axis that finite values take where infinity is shown too."""

INFINITE_PLACE = 0.97


@dataclass(frozen=True)
class Mark:
    """One thing on the axis: the claim, the bound of a side, or how small a leak was visible.

    ``low``, ``high``: ends on the axis, may be infinite; equal for a point.
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
    """An axis of ``symbol`` from 0 to ``high``, with a place for infinity or without."""

    symbol: str
    high: float
    infinite: bool

    @property
    def name(self) -> str:
        """The symbol with its unit; μ, a distance in standard deviations, has none."""
        return self.symbol if self.symbol == "μ" else f"{self.symbol}, nats"

    def share(self, value: float) -> float:
        """The share of the axis' length at which a value lies, in [0, 1]."""
        if math.isinf(value):
            return INFINITE_PLACE
        share = min(max(value / self.high, 0.0), 1.0)
        return share * (FINITE_SHARE if self.infinite else 1.0)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Round values with their labels, infinity last."""
        finite = round_ticks(0.0, self.high)
        return (*finite, (math.inf, "∞")) if self.infinite else finite


def claim_mark(certificate: Certificate) -> Mark:
    """The most that is claimed of the claim's parameter."""
    guarantee = certificate.claim.guarantee
    _, most = claimed_value(guarantee)
    # Beyond the doubles the ruler has no other place for it.
    value = float(most) if most < 10**300 else math.inf
    text = claimed_text(guarantee)
    return Mark("claim", "Claim", text, value, value, True, "", certificate.claim.covers)


def bound_marks(certificate: Certificate) -> tuple[Mark, ...]:
    """The floor, the exact value and the ceiling, those that there are on the claim's axis."""
    marks = []
    axis, _ = claimed_value(certificate.claim.guarantee)
    names = {Side.FLOOR: "Floor", Side.EXACT: "Exact value", Side.CEILING: "Ceiling"}
    for side, name in names.items():
        bound = certificate.bound(side)
        if bound is None or decisive_value(bound)[0] != axis:
            continue
        source = next(e for e in certificate.evidence if e.bound is bound)
        if side is Side.EXACT:
            bound = _cut(bound, source, certificate)
            name = "Enclosure" if is_wide(decisive_value(bound)[1]) else name
        low, high = decisive_value(bound)[1].floats()
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


def _cut(bound: Bound, source: Evidence, certificate: Certificate) -> Bound:
    """An exact value's enclosure, no further up than a theorem about the same databases allows."""
    ceilings = [
        e.bound.parameter[1].upper
        for e in certificate.evidence
        if e.bound is not None
        and e.bound.parameter is not None
        and e.bound.side is Side.CEILING
        and (e.proof is not None and e.whole)
    ]
    if bound.parameter is None or not ceilings or source.decision is Decision.SILENT:
        return bound
    name, ends = bound.parameter
    upper = min(ends.upper, *ceilings)
    if upper < ends.lower:
        return bound
    return replace(bound, parameter=(name, Enclosure(ends.lower, upper)))


def power_marks(certificate: Certificate) -> tuple[Mark, ...]:
    """How small a leak an attack that refutes nothing could have seen; none without one."""
    symbol, _ = claimed_value(certificate.claim.guarantee)
    marks = []
    for evidence in certificate.evidence:
        if evidence.power is None:
            continue
        seen = evidence.power.detectable
        text = f"sees no {symbol}"
        if math.isfinite(seen):
            text = f"sees {symbol} ≥ {above(Fraction(str(seen)), 3)}"
        basis = f"the smallest leak that would have been refuted with a chance of 90 %, {_BY}"
        marks.append(Mark("power", "Power", text, seen, seen, False, basis, evidence.covers))
    return tuple(marks)


_BY = "by the rule that was tested"


def _basis(evidence: Evidence) -> str:
    rigour = evidence.bound.rigour if evidence.bound is not None else ""
    if evidence.confidence is None:
        return f"{rigour}, by {evidence.auditor}"
    return f"{rigour} at confidence {evidence.confidence}, by {evidence.auditor}"


def common_scale(certificates: Sequence[Certificate]) -> Scale:
    """One axis on which the claims and bounds of certificates of one parameter fit."""
    ends = [
        end
        for certificate in certificates
        for mark in (
            claim_mark(certificate),
            *bound_marks(certificate),
            *power_marks(certificate),
        )
        for end in (mark.low, mark.high)
    ]
    top = max((end for end in ends if math.isfinite(end)), default=0.0) * 1.12
    symbol, _ = claimed_value(certificates[0].claim.guarantee)
    return Scale(symbol, top if top > 0 else 1.0, any(math.isinf(end) for end in ends))
