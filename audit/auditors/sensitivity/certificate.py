"""Certificates: neighbours between which a query changes most, and why no others change more."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.sensitivity.answers import Record, Seen
from audit.auditors.sensitivity.ceiling import ceiling
from audit.auditors.sensitivity.declaration import Norm, Size
from audit.auditors.sensitivity.described import Described
from audit.auditors.sensitivity.linear import MatrixColumns, columns_of, largest_corner
from audit.auditors.sensitivity.piecewise import CountsByCell, PiecewiseLinear, classes
from audit.auditors.sensitivity.solver import propose
from audit.statements.finding import Rigour, Shown
from synthesizers.neighbours import Neighbours, ReplaceOne, Unit

MOST_SHOWN = 2000
"""The most records of a database that is shown as a list of them; a larger one is shown as
counts."""

MOST_COUNTED = 10_000
"""The most records of databases that are searched where no number is given (beyond it, counts no
longer fit the solver's products)."""

TRIED = 6
"""Classes of cells of which simple neighbours are tried before the solver."""


@dataclass(frozen=True)
class Certified:
    """One norm's largest change.

    ``size``: as `Norm.of` measures it, of the pair ``shown``; EXACT where no neighbours that
    ``covers`` speaks of change more.
    """

    norm: Norm
    size: Size
    shown: Shown | None
    responsible: str | None
    rigour: Rigour
    covers: str


def certify_change(
    query: Described, neighbours: Neighbours, records: int | None, norm: Norm
) -> Certified | None:
    """The largest change between neighbours; None for a query neither linear nor piecewise linear.

    Databases have ``records`` records, at most so many where n is private, any number for None.

    Guarantee
    ---------
    The change of the pair shown is what the query answers, evaluated exactly. A linear query's is
    the largest over all neighbours, by convexity; a piecewise linear one's is so where it reaches
    the ceiling of its structure, and rests on the solver's claim where ``covers`` says so. Backed
    by exhaustion in ``tests/audit/auditors/sensitivity/test_certified.py``.
    """
    within = _within(neighbours, records)
    if within is None:
        return Certified(norm, Fraction(0), None, None, Rigour.EXACT, _scope(neighbours, records))
    forms = query.forms
    if forms is not None:
        return _of_forms(query, forms, within, records, norm)
    columns = columns_of(query.query, query.domain)
    return None if columns is None else _of_columns(query, columns, within, records, norm)


def certifiable(query: Described) -> bool:
    """Whether `certify_change` has something to say of a query."""
    return query.forms is not None or columns_of(query.query, query.domain) is not None


def _within(neighbours: Neighbours, records: int | None) -> Neighbours | None:
    """The relation among databases of so many records; None where none are neighbours."""
    if records is None or neighbours.unit.is_record:
        return None if records == 0 else neighbours
    # Nobody owns more records than there are.
    most = min(neighbours.unit.max_records, records)
    return type(neighbours)(Unit("person", most)) if most else None


def _scope(neighbours: Neighbours, records: int | None) -> str:
    if records is None:
        return "all databases of any size"
    return f"all databases of {'' if neighbours.records_public else '0 to '}{records} records"


def _of_columns(
    query: Described,
    columns: MatrixColumns,
    neighbours: Neighbours,
    records: int | None,
    norm: Norm,
) -> Certified:
    covers = f"{_scope(neighbours, records)}: linear, largest at a corner of the differences"
    corner = largest_corner(columns, neighbours, norm)
    if corner is None:
        return Certified(norm, Fraction(0), None, None, Rigour.EXACT, covers)
    m = neighbours.unit.max_records
    first: dict[int, int] = {} if corner.loses is None else {corner.loses: m}
    second = {corner.gains: m}
    if records is not None and neighbours.records_public and records > 1:
        for counts in (first, second):
            counts[corner.gains] = counts.get(corner.gains, 0) + records - 1
    return _conclude(query, first, second, norm, Rigour.EXACT, covers)


def _of_forms(
    query: Described,
    forms: PiecewiseLinear,
    neighbours: Neighbours,
    records: int | None,
    norm: Norm,
) -> Certified:
    cells = classes(forms)
    most = ceiling(forms, cells, neighbours, norm)
    scope = _scope(neighbours, records)

    def size(pair: tuple[CountsByCell, CountsByCell]) -> Size:
        return _see(query, *pair).size(norm)

    structure = f"{scope}: no pair changes more, by the structure of the query"
    tried = []
    for pair in _simple(forms, cells, neighbours, records):
        if size(pair) == most:
            return _conclude(query, *pair, norm, Rigour.EXACT, structure)
        tried.append(pair)
    largest = _enough(forms, neighbours) if records is None else records
    found = propose(forms, cells, neighbours, records, norm, largest)
    # An exchange within a class of cells leaves the counts of classes as they are.
    if found is not None and neighbours.are_neighbours(
        [found.first.get(cell, 0) for cell in cells], [found.second.get(cell, 0) for cell in cells]
    ):
        tried.append((found.first, found.second))
    best = max(tried, key=size, default=None)
    if best is None:
        rigour = Rigour.EXACT if most == 0 else Rigour.FLOOR
        return Certified(norm, Fraction(0), None, None, rigour, structure if most == 0 else scope)
    if size(best) == most:
        return _conclude(query, *best, norm, Rigour.EXACT, structure)
    bound = f"by structure at most {norm.text(most)}"
    if found is None or not found.optimal:
        return _conclude(query, *best, norm, Rigour.FLOOR, f"{scope}; {bound}")
    claim = "no pair changes more on the word of OR-Tools CP-SAT"
    if records is None:
        covers = f"{scope}; among those of at most {largest} records {claim}; {bound}"
        return _conclude(query, *best, norm, Rigour.FLOOR, covers)
    return _conclude(query, *best, norm, Rigour.EXACT, f"{scope}: {claim}; {bound}")


def _simple(
    forms: PiecewiseLinear, cells: tuple[int, ...], neighbours: Neighbours, records: int | None
) -> Iterator[tuple[CountsByCell, CountsByCell]]:
    """Neighbours in databases that are empty, full, or full of what comes, for some corners."""
    m = neighbours.unit.max_records
    # Apart, since cells beside each other share most of what is counted.
    tried = sorted({cells[n * (len(cells) - 1) // (TRIED - 1)] for n in range(TRIED)})
    steps: list[tuple[CountsByCell, CountsByCell]] = []
    if isinstance(neighbours, ReplaceOne):
        steps += [({a: m}, {b: m}) for a, b in itertools.permutations(tried, 2)]
    if not (isinstance(neighbours, ReplaceOne) and neighbours.unit.is_record):
        steps += [({}, {cell: m}) for cell in tried]
    full = _enough(forms, neighbours)
    for gone, come in steps:
        (most,) = come
        rests: list[CountsByCell]
        if records is None:
            rests = [{}, dict.fromkeys(cells, full), {most: full}]
            rests.append(dict.fromkeys((c for c in cells if c not in gone), full))
        else:
            kept = records - m
            rests = [{cells[0]: kept}, {cells[-1]: kept}, {most: kept}]
            rests += [] if neighbours.records_public else [{}]
        for rest in rests:
            yield _sum(rest, gone), _sum(rest, come)


def _sum(left: CountsByCell, right: CountsByCell) -> CountsByCell:
    found = {cell: left.get(cell, 0) + right.get(cell, 0) for cell in (*left, *right)}
    return {cell: count for cell, count in sorted(found.items()) if count}


def _enough(forms: PiecewiseLinear, neighbours: Neighbours) -> int:
    """Records with which a single cell passes every form's zero, and some more."""
    constants = [abs(one.constant) for one in forms.forms()]
    weights = [abs(weight) for one in forms.forms() for _, weight in one.weights]
    past = 2 * max(constants, default=Fraction(0)) / min(weights, default=Fraction(1))
    return min(int(past) + 2 * neighbours.unit.max_records + 2, MOST_COUNTED)


def _see(query: Described, first: CountsByCell, second: CountsByCell) -> Seen:
    return Seen((), (), (query.of_counts(first), query.of_counts(second)))


def _conclude(
    query: Described,
    first: CountsByCell,
    second: CountsByCell,
    norm: Norm,
    rigour: Rigour,
    covers: str,
) -> Certified:
    pair = _see(query, first, second)
    shown = Shown(_spell(query, first), _spell(query, second))
    return Certified(norm, pair.size(norm), shown, pair.responsible, rigour, covers)


def _spell(query: Described, counts: CountsByCell) -> list[Record] | tuple[int, ...]:
    """A database as records; a large one over few cells as counts."""
    if sum(counts.values()) > MOST_SHOWN >= query.domain.size:
        return tuple(counts.get(cell, 0) for cell in range(query.domain.size))
    return [query.record(cell) for cell, count in sorted(counts.items()) for _ in range(count)]
