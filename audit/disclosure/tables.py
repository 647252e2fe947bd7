"""The three tables of a check as numbers: what a release was made from, a holdout, the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.utility.records import LARGEST, Records, is_measured, label_numbers
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

NOWHERE = -10 * LARGEST
"""Stands for a missing value: below every number that a table may hold."""

STEPS = 10**6
"""The distance of two records that differ in one column as far as can be; the finest is 1. Whole
numbers add up without rounding, for a thousand columns in 32 bits."""

APART = -2 * STEPS
"""Where a missing value lies: as far as can be from every number, and not from another one."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The table that a release was made ``real`` from, a ``holdout`` beside it, the ``synthetic``.

    ``chosen``: for each record of both halves, in the order of the table that was split, whether
    its coin put it into the real one; None where the holdout is only said to be a random part.
    Raises ``InputError`` for tables without records, for one over another domain, and for coins
    that chose other numbers of records.
    """

    real: Records
    holdout: Records
    synthetic: Records
    chosen: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        tables = {"real": self.real, "holdout": self.holdout, "synthetic": self.synthetic}
        for name, table in tables.items():
            if not table.records:
                raise InputError(f"the {name} table has no records")
            if table.domain != self.real.domain:
                raise InputError(f"the {name} table has another domain than the real one")
        if self.chosen is not None and (
            (int(self.chosen.sum()), int((~self.chosen).sum()))
            != (self.real.records, self.holdout.records)
        ):
            raise InputError("the coins of the split chose other numbers of records than there are")

    @property
    def domain(self) -> Domain:
        """What the columns are."""
        return self.real.domain

    @property
    def of_persons(self) -> tuple[Records, Records]:
        """The tables whose records are somebody's."""
        return self.real, self.holdout

    @cached_property
    def ordered(self) -> NDArray[np.bool_]:
        """[columns]: whether values lie before and behind each other."""
        return np.array([one.ordinal or one.edges is not None for one in self.domain.attributes])

    @cached_property
    def values(self) -> tuple[Array, Array, Array]:
        """[records, columns] of each table: numbers, and codes where values are no quantities."""
        tables = (self.real, self.holdout, self.synthetic)
        middles = frozenset().union(*(table.midpoints for table in tables))
        columns = [
            [_values(table, attribute, attribute.name in middles) for table in tables]
            for attribute in self.domain.attributes
        ]
        real, holdout, synthetic = (
            np.asfortranarray(np.stack(own, axis=1)) for own in zip(*columns, strict=True)
        )
        return real, holdout, synthetic

    @cached_property
    def places(self) -> tuple[NDArray[np.int32], ...]:
        """[columns, records] of each table: where values lie, for `audit.disclosure.nearest`."""
        values = self.values
        rows: list[list[NDArray[np.int32]]] = [[], [], []]
        for column, ordered in enumerate(self.ordered):
            own = [table[:, column] for table in values]
            scaled = _scale(own) if ordered else own
            for row, place in zip(rows, scaled, strict=True):
                row.append(place.astype(np.int32))
        return tuple(np.stack(row) for row in rows)

    def positions(self, names: Sequence[str]) -> Integers:
        """The places of columns."""
        return np.array([self.domain.position(name) for name in names], np.int64)

    def number_rows(self, tables: Sequence[Array], names: Sequence[str]) -> list[Integers]:
        """For each table one number a record, alike where records are in all named columns."""
        stacked = np.concatenate([table[:, self.positions(names)] for table in tables])
        numbered = np.zeros(len(stacked), np.int64)
        for column in stacked.T:
            codes, kinds = pd.factorize(column)
            # From 0 on without gaps, so that no product overflows.
            numbered = pd.factorize(numbered * (len(kinds) + 1) + codes)[0].astype(np.int64)
        ends = np.cumsum([len(table) for table in tables])[:-1]
        return list(np.split(numbered, ends))


def most_of_a_person(table: Records) -> int:
    """The most records that a person has, 1 where that is not known."""
    return 1 if table.persons is None else int(np.bincount(table.persons).max())


def _values(table: Records, attribute: Attribute, middles: bool) -> Array:
    """One column; ``middles``: the middles of bins stand for the numbers."""
    codes = table.column(attribute.name)
    if not is_measured(attribute):
        found = codes.astype(np.float64)
        if attribute.ordinal:
            found[codes >= len(attribute.values)] = NOWHERE
        return found
    numbers = label_numbers(attribute)[codes] if middles else table.numbers(attribute.name)
    return np.where(np.isnan(numbers), NOWHERE, numbers)


def _scale(columns: Sequence[Array]) -> list[Array]:
    """A column of each table, so that numbers differ by at most `STEPS`."""
    known = np.concatenate([column[column > NOWHERE] for column in columns])
    low, span = (known.min(), np.ptp(known)) if len(known) else (0.0, 0.0)
    factor = STEPS / span if span > 0 else 0.0
    return [
        np.where(column > NOWHERE, np.rint((column - low) * factor), APART) for column in columns
    ]
