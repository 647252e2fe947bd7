"""Linear queries: the largest change in closed form, on domains of any size.

A linear query adds a record's *column* to its answer, whatever else the database holds. The
change between neighbours is A·d for their difference d; its norms are convex, even and 0 at 0, so
that they are largest at a corner of the differences, m times a column or m times the difference of
two (`synthesizers.neighbours.extreme_differences`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.sensitivity.declaration import Norm
from audit.auditors.sensitivity.described import cell_of
from audit.auditors.sensitivity.piecewise import PiecewiseLinear
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours, ReplaceOne
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    LinearQueries,
    Marginal,
    Query,
    RecodedMarginal,
    Total,
)

Column = Mapping[int, Fraction]
"""What one record adds to an answer: coordinate -> value, zeros left out."""


@dataclass(frozen=True)
class MatrixColumns:
    """The different columns of a linear query.

    ``columns``: one for each kind of record that the query tells apart; of kinds that differ by a
    permutation of the coordinates alone, at least two. ``cells``: a cell of each kind.
    """

    columns: tuple[Column, ...]
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Corner:
    """A corner of the differences: a unit's records come in one cell, and go in another, if any.

    ``change``: what one such record changes, coordinate by coordinate.
    """

    gains: int
    loses: int | None
    change: Column


def columns_of(query: Query | PiecewiseLinear, domain: Domain) -> MatrixColumns | None:
    """The columns of a declared linear query; None for a query of another kind.

    Raises InputError where the query does not fit the domain.

    Guarantee
    ---------
    For every pair of records of the domain there is a pair of the columns whose difference is
    theirs, up to a permutation of the coordinates and the sign; likewise for single records.
    Backed by the comparison with every record of small domains in
    ``tests/audit/auditors/sensitivity/test_linear_queries.py``.
    """
    one = Fraction(1)
    match query:
        case Total():
            return MatrixColumns(({0: one},), (0,))
        case Marginal(attributes=names):
            size = query.size(domain)
            places = range(min(size, 2))
            return MatrixColumns(
                tuple({place: one} for place in places),
                tuple(_cell(domain, names, place) for place in places),
            )
        case RecodedMarginal():
            query.size(domain)
            return _of_groups(query, domain)
        case LinearQueries():
            query.size(domain)
            return _of_layers(query, domain)
        case CellCounts(cells=counted):
            places = range(min(query.size(domain), 2))
            columns: list[Column] = [{place: one} for place in places]
            cells = [counted[place] for place in places]
            if len(counted) < domain.size:
                taken = set(counted)
                columns.append({})
                cells.append(next(cell for cell in itertools.count() if cell not in taken))
            return MatrixColumns(tuple(columns), tuple(cells))
        case BoundedSum():
            query.size(domain)
            clipped = [min(max(value, query.low), query.high) for value in query.values]
            ends = dict.fromkeys((clipped.index(min(clipped)), clipped.index(max(clipped))))
            return MatrixColumns(
                tuple({0: Fraction(clipped[code])} if clipped[code] else {} for code in ends),
                tuple(_cell(domain, (query.attribute,), code) for code in ends),
            )
    return None


def _of_groups(query: RecodedMarginal, domain: Domain) -> MatrixColumns:
    """Of records in two groups, if there are two that hold a value, and of one in none."""
    base = [next(c for c, group in enumerate(codes) if group >= 0) for codes in query.groups]
    cells: dict[int | None, int] = {}
    for place, codes in enumerate(query.groups):
        for code in (base[place], *range(len(codes))):
            held = [*base[:place], code, *base[place + 1 :]]
            where = dict.fromkeys(domain.names, 0) | dict(zip(query.attributes, held, strict=True))
            cells.setdefault(_group(query, held), cell_of(domain, list(where.values())))
    counted = [answer for answer in cells if answer is not None][:2]
    columns: list[Column] = [{answer: Fraction(1)} for answer in counted]
    kept = [cells[answer] for answer in counted]
    if None in cells:
        columns.append({})
        kept.append(cells[None])
    return MatrixColumns(tuple(columns), tuple(kept))


def _group(query: RecodedMarginal, held: Sequence[int]) -> int | None:
    """The answer that counts a record with these codes, if one does."""
    place = 0
    for codes, code, radix in zip(query.groups, held, query.shape, strict=True):
        if codes[code] < 0:
            return None
        place = place * radix + codes[code]
    return place


def _of_layers(query: LinearQueries, domain: Domain) -> MatrixColumns:
    """Every column of the matrix that differs from those before it."""
    found: dict[frozenset[tuple[int, int]], int] = {}
    for place, rows in enumerate(zip(*(layer.rows for layer in query.layers), strict=True)):
        column: dict[int, int] = {}
        for layer, row in zip(query.layers, rows, strict=True):
            column[row] = column.get(row, 0) + layer.weight
        held = frozenset((row, value) for row, value in column.items() if row >= 0 and value)
        found.setdefault(held, place)
    columns = tuple({row: Fraction(value) for row, value in sorted(held)} for held in found)
    cells = tuple(_cell(domain, query.attributes, place) for place in found.values())
    return MatrixColumns(columns, cells)


def _cell(domain: Domain, names: Sequence[str], place: int) -> int:
    """A cell of the domain in a cell of a marginal, the first value of every other attribute."""
    codes = dict.fromkeys(domain.names, 0)
    for name in reversed(names):
        place, codes[name] = divmod(place, domain.shape[domain.position(name)])
    return cell_of(domain, list(codes.values()))


MOST_COLUMNS = 2000
"""The most different columns whose pairs are tried (two million)."""


def largest_corner(columns: MatrixColumns, neighbours: Neighbours, norm: Norm) -> Corner | None:
    """The corner at which a norm of the change is largest; of several, the first.

    Exact: no solver and no doubles. None where all records are of one kind and n is public, so
    that nothing ever changes. Raises InputError above `MOST_COLUMNS` columns under replace-one.
    """
    best, most = None, Fraction(-1)
    for corner in _corners(columns, neighbours):
        # m times as much on every corner.
        size = Fraction(norm.of([abs(value) for value in corner.change.values()]))
        if size > most:
            best, most = corner, size
    return best


def _corners(columns: MatrixColumns, neighbours: Neighbours) -> Iterator[Corner]:
    exchange = isinstance(neighbours, ReplaceOne)
    listed = list(zip(columns.columns, columns.cells, strict=True))
    if not (exchange and neighbours.unit.is_record):
        yield from (Corner(cell, None, column) for column, cell in listed)
    if not exchange:
        return
    if len(listed) > MOST_COLUMNS:
        raise InputError(
            f"the query tells {len(listed)} kinds of records apart, and at most {MOST_COLUMNS} are "
            "compared pair by pair; take fewer cells"
        )
    for (left, gains), (right, loses) in itertools.combinations(listed, 2):
        yield Corner(gains, loses, _difference(left, right))


def _difference(left: Column, right: Column) -> Column:
    zero = Fraction(0)
    places = sorted(left.keys() | right.keys())
    return {place: left.get(place, zero) - right.get(place, zero) for place in places}
