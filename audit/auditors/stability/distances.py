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

    Infinite where one of them has no distance from the other: of another length, or no finite
    number. Raises InputError for a metric that is not known here, and for values that it is none
    of.

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
    try:
        return _DISTANCES[name](first, second)
    except TypeError as error:
        raise InputError(f"{name} is no metric of such values: {error}") from None


def measure(metric: str, stated: Any) -> Size:
    """A stated bound as `distance` measures it; raises InputError where it is no distance."""
    if isinstance(stated, bool) or not isinstance(stated, int | float | Fraction):
        raise InputError(f"a map gives a number as its distance, found {type(stated).__name__}")
    if not stated >= 0:
        raise InputError(f"a map gives a distance, which is 0 or more; found {stated!r:.40}")
    if stated == math.inf:
        return math.inf
    bound = Fraction(stated)
    return bound * bound if metric_name(metric) == "L2Distance" else bound


def _apart(first: Any, second: Any) -> Size:
    for number in (first, second):
        if not isinstance(number, int | float | Fraction):
            raise TypeError(f"expected numbers, found {type(number).__name__}")
    if first == second or (first != first and second != second):
        return ZERO
    if any(isinstance(one, float) and not math.isfinite(one) for one in (first, second)):
        return math.inf
    return abs(Fraction(first) - Fraction(second))


def _changes(first: Any, second: Any) -> list[Size]:
    """Coordinate by coordinate; a key that one mapping alone has is 0 in the other."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        keys = [*first, *(key for key in second if key not in first)]
        return [_apart(first.get(key, 0), second.get(key, 0)) for key in keys]
    for value in (first, second):
        if not isinstance(value, list | tuple):
            raise TypeError(f"expected lists of numbers, found {type(value).__name__}")
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
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected tables, which are lists of rows, found {type(value).__name__}")
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
    apart = _symmetric(first, second)
    return apart / 2 if len(first) == len(second) else math.inf


def _hamming(first: Any, second: Any) -> Size:
    left, right = _words(first), _words(second)
    if len(left) != len(right):
        return math.inf
    return Fraction(sum(one != other for one, other in zip(left, right, strict=True)))


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
