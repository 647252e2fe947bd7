"""What attackers learn from: columns of runs, computed once for all attackers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.columns import (
    OutcomeColumns,
    ShapeColumns,
    bit_columns_for,
    choice_columns,
    columns_for,
    marginal_columns,
)
from audit.auditors.attack.columns.cuts import Tally
from audit.auditors.attack.columns.number_columns import NumberColumns
from audit.auditors.attack.columns.table_columns import TableColumns
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

FloatArray = NDArray[np.float64]

MOST_NUMBERS = 20_000_000
"""Numbers in a matrix that attackers learn from (160 MB)."""


class Cost(IntEnum):
    """How long fitting takes on some ten thousand runs: a moment, tenths of a second, or more."""

    LOW = 0
    MIDDLE = 1
    HIGH = 2


@dataclass(frozen=True, eq=False)
class Lesson:
    """``columns`` of which some values differ, their ``matrix`` [runs, columns], ``coins`` [runs].

    ``tallies``: of each column. Of very many runs it holds the first.
    """

    columns: OutcomeColumns
    matrix: FloatArray
    coins: NDArray[np.bool_]
    tallies: tuple[Tally, ...]

    def take(self, columns: NDArray[np.intp]) -> Lesson:
        """Some of the columns."""
        tallies = tuple(self.tallies[place] for place in columns)
        taken = self.columns.take(columns.tolist())
        return Lesson(taken, self.matrix[:, columns], self.coins, tallies)

    def first(self, runs: int) -> Lesson:
        """The first runs alone, with the tallies of all."""
        return Lesson(self.columns, self.matrix[:runs], self.coins[:runs], self.tallies)


Learning = Callable[[Runs, Pair], Lesson]
"""What of the runs an attacker looks at."""

_VALUES: WeakKeyDictionary[Runs, Lesson] = WeakKeyDictionary()
_BITS: WeakKeyDictionary[Runs, Lesson] = WeakKeyDictionary()
_MARGINALS: WeakKeyDictionary[Runs, Lesson] = WeakKeyDictionary()
_CHOICES: WeakKeyDictionary[Runs, Lesson] = WeakKeyDictionary()


def values(runs: Runs, pair: Pair) -> Lesson:
    """All columns but those of bits."""
    if runs not in _VALUES:
        _VALUES[runs] = _lesson(columns_for(runs, pair), runs)
    return _VALUES[runs]


def bits(runs: Runs, pair: Pair) -> Lesson:
    """The columns of bits."""
    if runs not in _BITS:
        _BITS[runs] = _lesson(bit_columns_for(runs), runs)
    return _BITS[runs]


def marginals(runs: Runs, pair: Pair) -> Lesson:
    """The columns of marginals, of tables."""
    if runs not in _MARGINALS:
        columns = marginal_columns(runs, pair) if _has_tables(runs, pair) else OutcomeColumns(())
        _MARGINALS[runs] = _lesson(columns, runs)
    return _MARGINALS[runs]


def choices(runs: Runs, pair: Pair) -> Lesson:
    """The column of what may be chosen, of tables."""
    if runs not in _CHOICES:
        columns = choice_columns(runs, pair) if _has_tables(runs, pair) else OutcomeColumns(())
        _CHOICES[runs] = _lesson(columns, runs)
    return _CHOICES[runs]


def _has_tables(runs: Runs, pair: Pair) -> bool:
    families = values(runs, pair).columns.families
    return any(isinstance(family, TableColumns) for family in families)


def direct(runs: Runs, pair: Pair) -> Lesson:
    """The columns that say a thing of its own each: shapes, and numbers of the output."""
    lesson = values(runs, pair)
    found: list[bool] = []
    for family in lesson.columns.families:
        if isinstance(family, NumberColumns):
            found += [bool(feature.key) for feature in family.features]
        else:
            found += [isinstance(family, ShapeColumns)] * len(family.names)
    return lesson.take(np.flatnonzero(found))


def _lesson(columns: OutcomeColumns, runs: Runs) -> Lesson:
    most = max(MOST_NUMBERS // max(len(columns), 1), 1)
    some = runs if len(runs) <= most else runs.take(np.arange(most))
    matrix = columns.matrix(some.outcomes)
    varying = np.flatnonzero(np.ptp(matrix, axis=0) > 0) if len(some) else np.arange(0)
    chosen = np.asfortranarray(matrix[:, varying])
    tallies = tuple(Tally.of(column, some.coins) for column in chosen.T)
    return Lesson(columns.take(varying.tolist()), chosen, some.coins, tallies)
