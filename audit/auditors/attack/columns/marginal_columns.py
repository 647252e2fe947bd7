"""Columns of marginals: how far each marginal of a table lies towards the second database.

A method that measures marginals with Gaussian noise, of variance v on a marginal, and puts out the
table that fits them best by least squares, gives away of the databases the sum over its marginals
of ⟨d, t⟩/v and nothing else: d the difference of the two databases' marginals, t the table's. So
there is one column ⟨d, t⟩ a marginal, and which marginals are measured, and how well, is in the
weights that are learned. Golob et al. 2024 (MAMA-MIA) look up a target in the marginals that a
method is likely to choose; here the exchanged record counts as well, and all are weighed together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.table_choice import databases_of, edges_of, surplus
from audit.auditors.attack.columns.table_columns import (
    Compared,
    Reference,
    reference_from_json,
)
from audit.auditors.attack.columns.table_rows import Rows, label, rows_of
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair

FloatArray = NDArray[np.float64]
Records = Sequence[Mapping[str, Any]]

LARGEST = 3
"""The most attributes of a marginal (methods measure pairs, and few triples)."""

MOST_MARGINALS = 200
"""Marginals that get a column, the small ones first (of 16 attributes all pairs; more would cost
runs that are learned from more than they tell)."""

MOST_DIFFERENCES = 8
"""Different records that only one database holds, or holds more often (pairs that are searched have
one or two; of a pair with more, marginals move in too many places for one direction)."""

MOST_RECORDS = 2**31
"""More than any database holds."""


@dataclass(frozen=True, eq=False)
class MarginalColumns:
    """Columns of marginals of tables; 0 for outcomes that are none.

    ``sets``: the attributes of each marginal, in order. ``surpluses``: of each of the reference's
    targets, how much more often the second database holds it.
    """

    sets: tuple[tuple[str, ...], ...]
    surpluses: tuple[int, ...]
    reference: Reference

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        return tuple(
            f"the shift of the marginal of {' and '.join(of)}" if of else "the shift of the rows"
            for of in self.sets
        )

    def rows(self, outcomes: Outcomes) -> FloatArray:
        """[columns, runs], whole numbers."""
        found = np.zeros((len(self.sets), len(outcomes)))
        for rows in rows_of(outcomes, self.reference.attributes):
            found[:, rows.runs] = self._measure(rows)
        return found

    def shifts(self, first: Records, second: Records) -> FloatArray:
        """[columns], by how much the databases themselves differ: the squared length of d."""
        before, after = (
            self._measure(Rows.of_records(some, self._attributes))[:, 0] for some in (first, second)
        )
        return np.asarray(after - before)

    @property
    def _attributes(self) -> list[str]:
        return list(dict.fromkeys(chain.from_iterable(self.sets)))

    def _measure(self, rows: Rows) -> FloatArray:
        """[columns, tables]; 0 where a table lacks the attribute."""
        compared = Compared(rows, self.reference)
        known = [name for name in self._attributes if name in rows.columns]
        found = np.zeros((len(self.sets), len(rows.runs)))
        for target, surplus_of in enumerate(self.surpluses):
            alike = {name: compared.match([name], target) for name in known}
            for place, of in enumerate(self.sets):
                if all(name in alike for name in of):
                    every = [alike[name] for name in of]
                    tables = rows.of[np.logical_and.reduce(every)] if of else rows.of
                    found[place] += surplus_of * np.bincount(tables, minlength=len(rows.runs))
        return found

    def take(self, places: Sequence[int]) -> MarginalColumns:
        """Some of the columns."""
        return MarginalColumns(
            tuple(self.sets[place] for place in places), self.surpluses, self.reference
        )

    def to_json(self) -> dict[str, Any]:
        """The columns as plain data."""
        return {
            "family": "marginals",
            "sets": [list(of) for of in self.sets],
            "surpluses": list(self.surpluses),
            "reference": self.reference.to_json(),
        }


def marginal_columns_from_json(data: Mapping[str, Any]) -> MarginalColumns:
    """The columns that `MarginalColumns.to_json` wrote.

    ValueError where a surplus is no count, LookupError where they can't be measured.
    """
    sets, surpluses = tuple(map(tuple, data["sets"])), tuple(map(int, data["surpluses"]))
    if any(abs(surplus_of) > MOST_RECORDS for surplus_of in surpluses):
        raise ValueError("a surplus counts records")
    columns = MarginalColumns(sets, surpluses, reference_from_json(data["reference"]))
    columns.shifts([{}], [{}])
    return columns


def marginal_columns_for(outcomes: Outcomes, pair: Pair) -> MarginalColumns:
    """The marginals of tables among outcomes in which the databases differ.

    None where no outcome is a table, or the databases differ in too many records.
    """
    reference, first, second, counts = list_targets(outcomes, pair)
    known = list(dict.fromkeys(chain.from_iterable(reference.targets)))
    sizes = (combinations(known, size) for size in range(LARGEST + 1 if counts else 0))
    sets = tuple(islice(chain.from_iterable(sizes), MOST_MARGINALS))
    columns = MarginalColumns(sets, counts, reference)
    return columns.take(np.flatnonzero(columns.shifts(first, second)).tolist())


def list_targets(
    outcomes: Outcomes, pair: Pair
) -> tuple[Reference, Records, Records, tuple[int, ...]]:
    """What tables are compared with, both databases, and how much more often the second has each.

    The targets are the records in which the databases differ, by the attributes that tables have.
    None where no outcome is a table, or there are more than `MOST_DIFFERENCES`.
    """
    first, second = databases_of(pair)
    given = tuple(dict.fromkeys(str(name) for record in [*first, *second] for name in record))
    some = next(rows_of(outcomes, given), None)
    apart = surplus(first, second)
    if some is None or not 0 < len(apart) <= MOST_DIFFERENCES:
        return Reference((), {}, {}, (), {}), [], [], ()
    known = [name for name in given if name in some.columns]
    both = Rows.of_records([*first, *second], known)
    edges = {name: found for name in known if (found := edges_of(name, some, both))}
    targets = tuple({n: label(record.get(n)) for n in known} for record, _ in apart)
    reference = Reference(given, {}, edges, targets, {})
    return reference, first, second, tuple(count for _, count in apart)
