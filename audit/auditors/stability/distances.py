"""Distances between two values by the name of their metric, exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from synthesizers.errors import InputError

Size = Fraction | float
"""A rational, or the float ``inf``."""

ZERO = Fraction(0)


def metric_name(metric: str) -> str:
    """A metric as it prints itself, without its type: ``L1Distance(i32)`` is ``L1Distance``."""
    return metric.partition("(")[0].partition("<")[0].strip()


def distance(metric: str, first: Any, second: Any) -> Size:
    """How far two values lie apart; of ``L2Distance`` the *square*, which is rational.

    Infinite where one of them has no distance from the other: of another length, or no number.
    Raises InputError for a metric that is not known here.

    Guarantee
    ---------
    Of the very numbers: a float is the rational that it is. Backed by
    ``tests/audit/auditors/stability/test_examine.py``.
    """
    name = metric_name(metric)
    if name not in _DISTANCES:
        raise InputError(
            f"the metric {name!r} is not known here; there are: {', '.join(_DISTANCES)}"
        )
    return _DISTANCES[name](first, second)


def measure(metric: str, stated: Any) -> Size:
    """A stated bound as `distance` measures it; raises InputError where it is no number."""
    if isinstance(stated, bool) or not isinstance(stated, int | float | Fraction):
        raise InputError(f"a map gives a number as its distance, found {type(stated).__name__}")
    if stated != stated or stated in (math.inf, -math.inf):
        return math.inf
    bound = Fraction(stated)
    return bound * bound if metric_name(metric) == "L2Distance" else bound


def _apart(first: Any, second: Any) -> Size:
    if first == second or (first != first and second != second):
        return ZERO
    for number in (first, second):
        real = isinstance(number, int | float | Fraction)
        if not real or (isinstance(number, float) and not math.isfinite(number)):
            return math.inf
    return abs(Fraction(first) - Fraction(second))


def _changes(first: Any, second: Any) -> list[Size]:
    """Coordinate by coordinate; a key that one mapping alone has is 0 in the other."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        keys = [*first, *(key for key in second if key not in first)]
        return [_apart(first.get(key, 0), second.get(key, 0)) for key in keys]
    if not isinstance(first, Sequence) or not isinstance(second, Sequence):
        return [math.inf]
    if len(first) != len(second):
        return [math.inf]
    return list(map(_apart, first, second))


def _total(sizes: Sequence[Size]) -> Size:
    return math.inf if math.inf in sizes else sum((Fraction(size) for size in sizes), ZERO)


def _l1(first: Any, second: Any) -> Size:
    return _total(_changes(first, second))


def _l2(first: Any, second: Any) -> Size:
    return _total([size * size for size in _changes(first, second)])


def _largest(first: Any, second: Any) -> Size:
    return max(_changes(first, second), default=ZERO)


def _words(value: Any) -> list[str]:
    """The rows of a table as texts, in which NaN equals itself, and 0.0 is not -0.0 either."""
    return [repr(row) for row in value]


def _symmetric(first: Any, second: Any) -> Size:
    left, right = Counter(_words(first)), Counter(_words(second))
    return Fraction((left - right).total() + (right - left).total())


def _insert_delete(first: Any, second: Any) -> Size:
    left, right = _words(first), _words(second)
    # What both begin or end with is in a longest common sequence.
    for _ in range(2):
        while left and right and left[-1] == right[-1]:
            left.pop()
            right.pop()
        left.reverse()
        right.reverse()
    common = [0] * (len(right) + 1)
    for one in left:
        before = 0
        for place, other in enumerate(right, 1):
            above = common[place]
            common[place] = before + 1 if one == other else max(above, common[place - 1])
            before = above
    return Fraction(len(left) + len(right) - 2 * common[-1])


def _change_one(first: Any, second: Any) -> Size:
    return _symmetric(first, second) / 2 if len(first) == len(second) else math.inf


def _hamming(first: Any, second: Any) -> Size:
    if len(first) != len(second):
        return math.inf
    pairs = zip(_words(first), _words(second), strict=True)
    return Fraction(sum(one != other for one, other in pairs))


def _discrete(first: Any, second: Any) -> Size:
    return Fraction(repr(first) != repr(second))


_DISTANCES: Mapping[str, Callable[[Any, Any], Size]] = {
    "AbsoluteDistance": _apart,
    "L1Distance": _l1,
    "L2Distance": _l2,
    "LInfDistance": _largest,
    "SymmetricDistance": _symmetric,
    "InsertDeleteDistance": _insert_delete,
    "ChangeOneDistance": _change_one,
    "HammingDistance": _hamming,
    "DiscreteDistance": _discrete,
}

TABLES = ("SymmetricDistance", "InsertDeleteDistance", "ChangeOneDistance", "HammingDistance")
"""The metrics of lists of records."""
