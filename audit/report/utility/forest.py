"""Coefficients of one model fitted to two tables, as points with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.report.grid import Grid
from audit.report.utility.words import value_text
from audit.utility.score import Breakdown, Entry

MOST_ROWS = 12
"""The most rows that are drawn."""

FAR = 1.0
"""Zero is left out of a scale that would become more than so many times wider by it, and said to
lie beyond: of an intercept far from zero its intervals would be one point else."""

ROOM = 0.04
"""What a scale leaves free at either end."""

DIGITS = 3

CHANGES = {
    "": "",
    "lost": "differs from 0 in the real table alone",
    "new": "differs from 0 in the synthetic table alone",
    "sign": "differs from 0 with the other sign",
}
"""What a coefficient says otherwise of a synthetic table."""

Ends = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """An ``estimate`` with its interval."""

    estimate: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """Such as ``1.98 (1.7 to 2.26)``."""
        found, low, high = (value_text(v, DIGITS) for v in (self.estimate, self.low, self.high))
        return f"{found} ({low} to {high})"

    @property
    def brief(self) -> str:
        """Such as ``1.98 ± 0.28``: intervals lie evenly about their estimate."""
        half = value_text((self.high - self.low) / 2, 2)
        return f"{value_text(self.estimate, DIGITS)} ± {half}"

    def within(self, width: float) -> Estimate:
        """The same with an interval of at most this width about the estimate."""
        low = max(self.low, self.estimate - width / 2)
        return Estimate(self.estimate, low, min(self.high, self.estimate + width / 2))

    @property
    def differs(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Coefficient:
    """One coefficient of both fits, and the ``overlap`` of the intervals, None if one is flat."""

    name: str
    real: Estimate
    synthetic: Estimate
    overlap: float | None

    @property
    def agreement(self) -> str:
        """Whether the intervals overlap, and by how much."""
        if self.overlap is None:
            return "no width"
        return f"{value_text(100 * self.overlap, 2)} %" if self.overlap > 0 else "apart"

    @property
    def distance(self) -> float:
        """How far the estimates are apart, in the half-widths of both intervals."""
        halves = [(own.high - own.low) / 2 for own in (self.real, self.synthetic)]
        apart = abs(self.real.estimate - self.synthetic.estimate)
        return apart / math.hypot(*halves) if any(halves) else math.inf if apart else 0.0

    @property
    def change(self) -> str:
        """What a reader of the synthetic table would conclude otherwise, a key of ``CHANGES``."""
        if self.real.differs != self.synthetic.differs:
            return "lost" if self.real.differs else "new"
        turned = (self.real.estimate > 0) != (self.synthetic.estimate > 0)
        return "sign" if self.real.differs and turned else ""

    @property
    def consequence(self) -> str:
        """The change in words."""
        return CHANGES[self.change]


@dataclass(frozen=True)
class ForestRow:
    """One coefficient on a scale of its own.

    ``real``, ``synthetic``: the estimate, the low and the high end as shares of the width, cut
    where they lie beyond; ``zero``: where 0 lies, or beyond which end of the scale.
    """

    coefficient: Coefficient
    real: tuple[float, float, float]
    synthetic: tuple[float, float, float]
    zero: float | Literal["left", "right"]


@dataclass(frozen=True)
class Forest:
    """Coefficients one below the other, the worst first."""

    rows: tuple[ForestRow, ...]


def coefficients(detail: Breakdown) -> tuple[Coefficient, ...]:
    """The rows of the breakdown "coefficients" whose ends are all finite."""
    if len(detail.columns) != 8:
        return ()
    return tuple(
        Coefficient(str(name), Estimate(*numbers[:3]), Estimate(*numbers[3:]), _number(overlap))
        for name, *entries, overlap in detail.rows
        if len(numbers := [n for n in map(_number, entries) if n is not None]) == 6
    )


def scales(coefficients: Iterable[Coefficient]) -> Mapping[str, Ends]:
    """The ends of a scale for each name, that fit its intervals in all files, with 0 if near."""
    ends: dict[str, Ends] = {}
    for each in coefficients:
        low, high = ends.get(each.name, (math.inf, -math.inf))
        own = each.real, each.synthetic
        ends[each.name] = min(low, *(e.low for e in own)), max(high, *(e.high for e in own))
    return {name: _widen(*own) for name, own in ends.items()}


def forest(coefficients: Sequence[Coefficient], ends: Mapping[str, Ends]) -> Forest | None:
    """The first rows as a picture; None of none."""
    if not coefficients:
        return None
    return Forest(tuple(_row(each, *ends[each.name]) for each in coefficients[:MOST_ROWS]))


def coefficient_grid(forest: Forest, what: str) -> Grid:
    """The same rows as a table."""
    each = (row.coefficient for row in forest.rows)
    rows = tuple(
        (c.name, (c.real.brief, c.synthetic.brief, c.agreement, c.change or "–")) for c in each
    )
    return Grid(what, ("real", "synthetic", "overlap", "change"), rows)


def _row(each: Coefficient, low: float, high: float) -> ForestRow:
    def place(of: Estimate) -> tuple[float, float, float]:
        shares = ((v - low) / (high - low) for v in (of.estimate, of.low, of.high))
        at, start, end = (min(max(share, 0.0), 1.0) for share in shares)
        return at, start, end

    zero: float | Literal["left", "right"] = -low / (high - low)
    if not low <= 0 <= high:
        zero = "left" if low > 0 else "right"
    return ForestRow(each, place(each.real), place(each.synthetic), zero)


def _widen(low: float, high: float) -> Ends:
    near = max(low, -high, 0.0) <= FAR * (high - low) or high == low
    if near:
        low, high = min(low, 0.0), max(high, 0.0)
    if high == low:
        low, high = -1.0, 1.0
    room = ROOM * (high - low)
    return low - room, high + room


def _number(entry: Entry) -> float | None:
    return float(entry) if isinstance(entry, int | float) and math.isfinite(entry) else None
