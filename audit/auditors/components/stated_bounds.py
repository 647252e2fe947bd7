"""Mechanisms of no known law: what their library states that they spend, taken at its word."""

from __future__ import annotations

import math
from fractions import Fraction

from audit.auditors.components.parts import INFINITE, Line, Part, number_text
from audit.auditors.components.recording.steps import Call
from audit.auditors.stability.distances import distance, measure
from proofs.losses import ResponseLoss
from synthesizers.errors import InputError

WHY = "the library states a bound of it, which nothing here shows"


def bound(one: Call, other: Call) -> Part:
    """The part of a call on both databases: the loss that is stated at their values' distance.

    It bounds what the call spends if the library is right, and accuses nobody. Without any where
    nothing is stated of values that lie so far apart.
    """
    moved = _distance(one, other)
    stated = None if moved is None else _find_bound(one, moved)
    if stated is None:
        why = "nothing is stated of values that lie so far apart"
        return Part((_line(one, "another value", INFINITE),), None, False, (), why=why)
    epsilon, delta = stated
    words = number_text(moved) if isinstance(moved, Fraction) else "another value"
    loss = ResponseLoss(Fraction(epsilon), Fraction(delta))
    return Part((_line(one, words, epsilon),), (loss,), False, (), why=WHY)


def _line(one: Call, moved: str, epsilon: float) -> Line:
    return Line(one.place, one.law, "", moved, epsilon)


def _distance(one: Call, other: Call) -> Fraction | float | None:
    """By the call's own metric (of L2 its square); None where that is not known."""
    metric = str(one.parameters.get("metric"))
    first, second = list(one.value or ()), list(other.value or ())
    try:
        if metric.startswith(("AbsoluteDistance", "DiscreteDistance")):
            found = [distance(metric, a, b) for a, b in zip(first, second, strict=True)]
            return max(found)
        return distance(metric, first, second)
    except (InputError, ValueError):
        return None


def _find_bound(one: Call, moved: Fraction | float) -> tuple[float, float] | None:
    """What is stated of the smallest distance that is at least this."""
    metric = str(one.parameters["metric"])
    told = [one.parameters.get(name) for name in ("reach", "epsilon", "delta")]
    columns = [part if isinstance(part, tuple) else () for part in told]
    for reach, epsilon, delta in zip(*columns, strict=False):
        numbers = all(isinstance(part, int | float) for part in (reach, epsilon, delta))
        if not numbers or not (math.isfinite(epsilon) and epsilon >= 0 and 0 <= delta < 1):
            return None
        if moved <= measure(metric, reach):
            return epsilon, delta
    return None
