"""The row view of disclosure limitation: how far a released table is from the confidential one.

Abowd & Vilhuber 2008, section 3: disclosure limitation reads the rows of Pr[m | n], and asks for
a diagonal Pr[m = n | n] far from 1 and for Pr[m_i ≠ n_i | n] above some δ in every cell. The
second is measured by itself: a table may well differ from the confidential one somewhere while
one of its cells never does.

A suppressed count is not the count: an output with one is never "the confidential table itself",
and its cell counts among those that differ. How often cells are suppressed is given beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Columns
from audit.channels.measures.ends import Ends, pieces
from audit.channels.measures.expected_loss import is_count, no_tables
from audit.channels.measures.probabilistic import data_laws
from audit.channels.measures.unavailable import Unavailable
from audit.statements.decimals import Enclosure

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

MAX_COUNT = 2**53
"""Beyond it doubles do not hold every whole number."""


@dataclass(frozen=True)
class Attained:
    """The largest or smallest of a number over all databases, and a database that attains it."""

    value: Enclosure
    database: tuple[int, ...]


@dataclass(frozen=True)
class CellView:
    """One cell of the released table beside the same cell n_i of the confidential one.

    ``differs``: the smallest Pr[m_i ≠ n_i | n], suppressed counts among them. ``shown``: the
    largest chance that the cell shows n_i. The averages are over a named law of the confidential
    table: of the same two, of the chance that the cell is suppressed, and of |m_i - n_i|, which
    is None where the cell may be suppressed.
    """

    differs: Attained
    shown: Attained
    average_differs: Mapping[str, Enclosure]
    average_shown: Mapping[str, Enclosure]
    average_suppressed: Mapping[str, Enclosure]
    average_distance: Mapping[str, Enclosure] | None


@dataclass(frozen=True)
class RowView:
    """What the rows of a channel say of the released table.

    ``largest``, ``smallest``: of Pr[m = n | n], the chance that the confidential table itself is
    released; ``average``: of the same, under every named law of the confidential table (see
    `data_laws`). ``cells``: in the domain's order.
    """

    largest: Attained
    smallest: Attained
    average: Mapping[str, Enclosure]
    cells: tuple[CellView, ...]

    @property
    def least_changed(self) -> tuple[int, Attained]:
        """The cell with the smallest Pr[m_i ≠ n_i | n] of all, and that chance.

        Abowd & Vilhuber's δ, "infused into every tabulation", is what lies below it.
        """
        values = [cell.differs.value for cell in self.cells]
        place = min(range(len(values)), key=lambda cell: values[cell].upper)
        ends = Enclosure(min(value.lower for value in values), values[place].upper)
        return place, Attained(ends, self.cells[place].differs.database)


def row_view(columns: Columns) -> RowView | Unavailable:
    """The row view of a channel whose outputs are tables over the domain's cells.

    Guarantee
    ---------
    The exact values lie in the enclosures. Backed by the comparison with sums over all entries in
    fractions in ``tests/audit/channels/measures/test_rows.py``.
    """
    reason = no_tables(columns, _is_count_or_hidden)
    if reason:
        return Unavailable(reason)
    laws = data_laws(columns)
    cells = columns.databases.shape[1]
    sums = reduce(add, (_sums(columns, first, ends) for first, ends in pieces(columns, cells)))
    diagonal = sums.diagonal.at_most(1)
    return RowView(
        _attain(columns, diagonal.largest()),
        _attain(columns, diagonal.smallest()),
        _averages(diagonal, laws),
        tuple(_cell_view(columns, cell, laws) for cell in sums.cells),
    )


def _is_count_or_hidden(value: object) -> bool:
    return value is None or (is_count(value) and abs(value) < MAX_COUNT)


@dataclass(frozen=True)
class _CellSums:
    """Of one cell, for every database, summed over some outputs: chances and |m_i - n_i|.

    ``distance`` says nothing of a cell that may be suppressed.
    """

    differs: Ends
    shown: Ends
    suppressed: Ends
    distance: Ends

    def __add__(self, other: _CellSums) -> _CellSums:
        return _CellSums(
            self.differs + other.differs,
            self.shown + other.shown,
            self.suppressed + other.suppressed,
            self.distance + other.distance,
        )


@dataclass(frozen=True)
class _Sums:
    diagonal: Ends
    cells: tuple[_CellSums, ...]

    def __add__(self, other: _Sums) -> _Sums:
        cells = zip(self.cells, other.cells, strict=True)
        return _Sums(self.diagonal + other.diagonal, tuple(a + b for a, b in cells))


def _sums(columns: Columns, first: int, ends: Ends) -> _Sums:
    """What some outputs add to every sum."""
    outputs = columns.outputs[first : first + ends.width]
    hidden = np.array([[value is None for value in output] for output in outputs])
    counts = np.array([[value or 0 for value in output] for output in outputs], np.int64)
    equal = np.ones(ends.low.shape, bool)
    cells = []
    for cell in range(columns.databases.shape[1]):
        steps = np.abs(counts[:, cell] - columns.databases[:, cell, None])
        shown = (steps == 0) & ~hidden[:, cell]
        suppressed = np.broadcast_to(hidden[:, cell], shown.shape)
        equal &= shown
        cells.append(
            _CellSums(
                ends.where(~shown).total(1),
                ends.where(shown).total(1),
                ends.where(suppressed).total(1),
                ends.times(steps).total(1),
            )
        )
    return _Sums(ends.where(equal).total(1), tuple(cells))


def _cell_view(
    columns: Columns, cell: _CellSums, laws: Mapping[str, tuple[Fraction, ...]]
) -> CellView:
    differs, shown, suppressed = (
        sums.at_most(1) for sums in (cell.differs, cell.shown, cell.suppressed)
    )
    return CellView(
        _attain(columns, differs.smallest()),
        _attain(columns, shown.largest()),
        _averages(differs, laws),
        _averages(shown, laws),
        _averages(suppressed, laws),
        None if suppressed.high.any() else _averages(cell.distance, laws),
    )


def _attain(columns: Columns, found: tuple[Enclosure, tuple[int, ...]]) -> Attained:
    value, (row,) = found
    return Attained(value, tuple(columns.databases[row].tolist()))


def _averages(numbers: Ends, laws: Mapping[str, tuple[Fraction, ...]]) -> dict[str, Enclosure]:
    return {name: numbers.average(law) for name, law in laws.items()}
