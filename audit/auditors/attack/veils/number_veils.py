"""Veils of numbers: low bits, how far numbers reach, and those without noise.

See `audit.auditors.attack.veils.veils` for what veils are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from audit.auditors.attack.columns.fields import FloatArray, edit_numbers, numbers_by_field
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair

FINENESS = 10
"""The step of a lattice is 2^-10 of the spread of its numbers (what a rule could have told from
the place within a step is then below a thousandth of the noise, and the forty bits of a double
below it are out of sight)."""

OF_SIZE = 30
"""The same of the size of numbers that don't spread: behind 2^-30 no decimal of a report lies."""

WHOLE = 2.0**53
"""Whole numbers below this size stay: doubles hold them all, so that their bits are no rounding."""

FEW = 2
"""A number that takes at most so many values over all runs on two databases has no noise."""

INNER = 0.02
"""Numbers are clipped to what lies between these quantiles (what lies beyond is too rare on both
databases to matter where no value stands out)."""

MANY, TIMES = 10, 10
"""A value stands out where it comes so often, and so many times as often as its neighbours (those
of geometric noise of ε = 2 come 7 times as often as the next)."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Rounds numbers to multiples of a step, a power of two for each field. Hides low bits."""

    kind: ClassVar[str] = "lattice"
    steps: Mapping[str, float]

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Lattice:
        """Steps by the spread of the numbers of each field."""
        return cls({field: _step(values) for field, values in numbers_by_field(outcomes).items()})

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes with numbers on the lattice; what is not finite stays."""

        def edit(field: str, values: FloatArray) -> FloatArray:
            step = self.steps.get(field, 0.0)
            if not step:
                return values
            with np.errstate(over="ignore", invalid="ignore"):
                # Adding 0 makes minus zero zero.
                found = np.round(values / step) * step + 0.0
            return np.where(np.isfinite(found), found, values)

        return edit_numbers(outcomes, edit)

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind, "steps": dict(self.steps)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Lattice:
        """The veil that `to_json` wrote; ValueError for steps that are none."""
        steps = {str(field): float(step) for field, step in data["steps"].items()}
        if not all(0 <= step < math.inf for step in steps.values()):
            raise ValueError("steps are at least 0")
        return cls(steps)


def _step(values: FloatArray) -> float:
    """The step of a lattice for numbers like these; 0 where they stay as they are."""
    finite = values[np.isfinite(values)]
    if not len(finite) or ((np.round(finite) == finite) & (abs(finite) < WHOLE)).all():
        return 0.0
    low, high = np.quantile(finite, [0.25, 0.75])
    spread, size = float(high - low), float(abs(finite).max())
    exponent = math.frexp(spread)[1] - FINENESS if spread > 0 else math.frexp(size)[1] - OF_SIZE
    # Above the smallest normal double: its multiples are doubles.
    return math.ldexp(1.0, max(exponent, -1000))


@dataclass(frozen=True, eq=False)
class Ends:
    """Clips numbers of each field to two ends, and stretches columns of tables from 0 to 1.

    Hides how far they reach.
    """

    kind: ClassVar[str] = "ends"
    ends: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Ends:
        """Ends within which no value stands out, where one can be the end of one database's."""
        found = {}
        for field, values in numbers_by_field(outcomes).items():
            finite = values[np.isfinite(values)]
            if len(finite) and not field.startswith("table "):
                found[field] = _inner_ends(finite)
        return cls(found)

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes with numbers clipped, and columns stretched."""

        def edit(field: str, values: FloatArray) -> FloatArray:
            if field.startswith("table "):
                return _stretch(values)
            return np.clip(values, *self.ends[field]) if field in self.ends else values

        return edit_numbers(outcomes, edit)

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind, "ends": {field: list(ends) for field, ends in self.ends.items()}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Ends:
        """The veil that `to_json` wrote; ValueError for ends that are none."""
        ends = {str(f): (float(low), float(high)) for f, (low, high) in data["ends"].items()}
        if not all(-math.inf < low <= high < math.inf for low, high in ends.values()):
            raise ValueError("ends rise")
        return cls(ends)


def _inner_ends(values: FloatArray) -> tuple[float, float]:
    """Quantiles near the ends, or the values nearest the middle that stand out beyond it."""
    low, middle, high = np.quantile(values, [INNER, 0.5, 1 - INNER]).tolist()
    kinds, counts = np.unique(values, return_counts=True)
    for value in kinds[counts >= MANY].tolist():
        if stands_out(value, values):
            low, high = (max(low, value), high) if value < middle else (low, min(high, value))
    return min(low, high), max(low, high)


def stands_out(value: float, values: FloatArray) -> bool:
    """Whether a value comes far more often than its neighbours: no law of noise alone does that.

    Where nothing else comes it does.
    """
    kinds, counts = np.unique(values, return_counts=True)
    if np.isnan(value):
        return bool(np.isnan(values).any())
    place = int(np.searchsorted(kinds, value))
    if place == len(kinds) or kinds[place] != value:
        return False
    around = np.concatenate([counts[max(place - 2, 0) : place], counts[place + 1 : place + 3]])
    return bool(counts[place] >= MANY and counts[place] > TIMES * max(around, default=0))


def _stretch(values: FloatArray) -> FloatArray:
    """One table's column from 0 to 1."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        found = (values - low) / (high - low) if high > low else np.zeros_like(values)
    return np.where(np.isfinite(found), found, 0.0)


@dataclass(frozen=True, eq=False)
class Absent:
    """Sets the numbers of some fields to 0. Hides what stands there without noise."""

    kind: ClassVar[str] = "absent"
    fields: frozenset[str]

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Absent:
        """The fields whose numbers take hardly any value, or that of a database's size."""
        numbers = numbers_by_field(outcomes)
        sizes = [len(base) for base in (pair.first, pair.second) if isinstance(base, list)]
        return cls(
            frozenset(
                field
                for field, values in numbers.items()
                if not field.startswith("table ")
                and (len(np.unique(values)) <= FEW or np.isin(values, sizes).all())
            )
        )

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes without these numbers."""
        return edit_numbers(
            outcomes, lambda field, old: np.zeros_like(old) if field in self.fields else old
        )

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind, "fields": sorted(self.fields)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Absent:
        """The veil that `to_json` wrote."""
        return cls(frozenset(map(str, data["fields"])))
