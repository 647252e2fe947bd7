"""Predicates of records: in each of a few columns a value lies between two ends, both included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.disclosure.tables import NOWHERE, Array, Integers
from audit.utility.records import LARGEST

LOWEST, HIGHEST = -2 * LARGEST, 2 * LARGEST
"""Ends beyond every number of a table; a missing value lies below both."""


@dataclass(frozen=True)
class Condition:
    """One column, and the ends between which its value lies."""

    column: int
    low: float
    high: float


Predicate = tuple[Condition, ...]
"""All conditions hold."""


def count_matches(predicate: Predicate, values: Array) -> int:
    """How many records of [records, columns] satisfy it."""
    held = np.ones(len(values), np.bool_)
    for one in predicate:
        column = values[:, one.column]
        held &= (column >= one.low) & (column <= one.high)
    return int(np.count_nonzero(held))


def count_isolating(predicates: Sequence[Predicate], values: Array) -> int:
    """How many are satisfied by exactly one record."""
    return sum(count_matches(predicate, values) == 1 for predicate in predicates)


def of_one_column(values: Array, ordered: Sequence[bool]) -> Iterator[Predicate]:
    """Predicates of one column that exactly one record of [records, columns] satisfies.

    A value that occurs once; of the lowest and the highest number, all that lie beyond it too.
    """
    for column, by in enumerate(ordered):
        found, counts = np.unique(values[:, column], return_counts=True)
        numbers = found[found > NOWHERE]
        for value in found[counts == 1].tolist():
            low = high = value
            if by and value > NOWHERE:
                low = LOWEST if value == numbers[0] else low
                high = HIGHEST if value == numbers[-1] else high
            yield (Condition(column, low, high),)


def of_record(
    record: NDArray[np.float64], columns: Integers, ordered: Sequence[bool], middles: Array
) -> Predicate:
    """That a record is like another in some columns, or at least as far from the median.

    ``middles`` [columns]: the medians.
    """
    return tuple(
        _like(int(column), float(record[column]), ordered[column], float(middles[column]))
        for column in columns
    )


def _like(column: int, value: float, ordered: bool, middle: float) -> Condition:
    if not ordered or value <= NOWHERE:
        return Condition(column, value, value)
    if value > middle:
        return Condition(column, value, HIGHEST)
    return Condition(column, LOWEST, value)


def at_random(
    held: Sequence[Array], columns: Integers, ordered: Sequence[bool], random: np.random.Generator
) -> Predicate:
    """A predicate of whoever knows which values each column has, ``held``, and no more."""
    found = []
    for column in columns.tolist():
        value = float(random.choice(held[column]))
        ends = [(value, value)]
        if ordered[column] and value > NOWHERE:
            ends += [(value, HIGHEST), (LOWEST, value)]
        low, high = ends[random.integers(len(ends))]
        found.append(Condition(column, low, high))
    return tuple(found)
