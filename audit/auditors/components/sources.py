"""Draws of coins and choices as numbers t between 0 and 1.

A uniform draw is one in proportion, one of finitely many outcomes by its distribution function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, permutations
from typing import Any

from audit.auditors.components.recording.steps import Call, Entry

MOST_VALUES = 130
"""The most outcomes of one draw (those of five records in any order are 120)."""

Range = tuple[Fraction, Fraction]
WHOLE: Range = (Fraction(0), Fraction(1))


@dataclass(frozen=True)
class Uniform:
    """A draw between two numbers."""

    low: Fraction
    high: Fraction

    def answer(self, t: Fraction) -> tuple[Any, ...]:
        """The draw at t."""
        return (float(self.low + t * (self.high - self.low)),)


@dataclass(frozen=True)
class Several:
    """A draw of finitely many outcomes, each so many entries, with their chances' sums so far."""

    outcomes: tuple[tuple[Any, ...], ...]
    ends: tuple[Fraction, ...]

    def answer(self, t: Fraction) -> tuple[Any, ...]:
        """The outcome at t."""
        return next(one for one, end in zip(self.outcomes, self.ends, strict=True) if t < end)

    def range_of(self, outcome: tuple[Any, ...]) -> Range | None:
        """Where t lies; None of what is no outcome."""
        if outcome not in self.outcomes:
            return None
        place = self.outcomes.index(outcome)
        return (self.ends[place - 1] if place else Fraction(0)), self.ends[place]


Source = Uniform | Several


def several(outcomes: Sequence[tuple[Any, ...]], weights: Sequence[float]) -> Several | None:
    """A draw by weights of any sum; None where there are too many, or no weights."""
    if not 0 < len(outcomes) == len(weights) <= MOST_VALUES:
        return None
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
        return None
    exact = [Fraction(weight) for weight in weights]
    total = sum(exact, Fraction(0))
    return Several(tuple(outcomes), tuple(end / total for end in accumulate(exact)))


def sources_of(call: Call, number: int) -> Mapping[Entry, Source] | None:
    """The draws of a call of NumPy's or Python's generators; None of other laws."""
    known = _LAWS.get(call.law)
    if known is None or not call.primitive.startswith(("numpy.random.", "random.")):
        return None
    if call.law == "arrangement":
        source = known(call, 0)
        return None if source is None else {(number, 0): source}
    found = {(number, place): known(call, place) for place in range(len(call.answer))}
    kept = {entry: source for entry, source in found.items() if source is not None}
    return kept if len(kept) == len(found) else None


def _uniform(call: Call, place: int) -> Source | None:
    low, high = call.parameters.get("low"), call.parameters.get("high")
    if not (isinstance(low, int | float) and isinstance(high, int | float) and low < high):
        return None
    return Uniform(Fraction(low), Fraction(high))


def _integers(call: Call, place: int) -> Source | None:
    low, high = call.parameters.get("low"), call.parameters.get("high")
    if not (isinstance(low, int) and isinstance(high, int) and high - low <= MOST_VALUES):
        return None
    return several([(one,) for one in range(low, high)], [1.0] * (high - low))


def _choice(call: Call, place: int) -> Source | None:
    if call.value is None or not (call.parameters.get("replace") or len(call.answer) == 1):
        return None
    return several([(one,) for one in range(len(call.value))], [float(one) for one in call.value])


def _arrangement(call: Call, place: int) -> Source | None:
    among, taken = call.parameters.get("among"), call.parameters.get("taken")
    if not (isinstance(among, int) and isinstance(taken, int) and 0 < taken <= among <= 5):
        return None
    orders = list(permutations(range(among), taken))
    return several(orders, [1.0] * len(orders))


def _binomial(call: Call, place: int) -> Source | None:
    trials = call.parameters.get("n")
    if isinstance(trials, tuple):
        trials = trials[place] if len(trials) == len(call.answer) else None
    values = call.value or ()
    if not isinstance(trials, int) or not 0 <= trials < MOST_VALUES:
        return None
    if len(values) not in (1, len(call.answer)):
        return None
    p = float(values[place % len(values)])
    if not 0 <= p <= 1:
        return None
    weights = [math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
    return several([(k,) for k in range(trials + 1)], weights)


_LAWS: Mapping[str, Callable[[Call, int], Source | None]] = {
    "uniform": _uniform,
    "integers": _integers,
    "choice": _choice,
    "arrangement": _arrangement,
    "binomial": _binomial,
}
