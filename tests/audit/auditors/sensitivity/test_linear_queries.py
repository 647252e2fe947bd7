"""Linear queries in closed form, against every record and every pair of neighbours."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.sensitivity.declaration import Norm
from audit.auditors.sensitivity.described import Described, cell_of, codes_of
from audit.auditors.sensitivity.linear import Column, columns_of, largest_corner
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    Layer,
    LinearQueries,
    Marginal,
    ModelError,
    Query,
    RecodedMarginal,
    Total,
    answers_of_histograms,
)

F = Fraction
SQUARE = Domain.from_cells("2x3")
LINE = Domain.from_cells("3")
SINGLE = Domain.from_cells("1")
CASES: list[tuple[Query, Domain]] = [
    (Total(), LINE),
    (Total(), SINGLE),
    (Marginal(("cell",)), LINE),
    (Marginal(("cell",)), SINGLE),
    (Marginal(("a1",)), SQUARE),
    (Marginal(("a2", "a1")), SQUARE),
    (CellCounts((2,)), LINE),
    (CellCounts((0, 1)), LINE),
    (CellCounts((2, 0, 1)), LINE),
    (CellCounts((0,)), SINGLE),
    (BoundedSum("cell", (5, -7, 2), -4, 3), LINE),
    (BoundedSum("cell", (1, 2, 3), 1, 3), LINE),
    (BoundedSum("cell", (-1, -2, -3), -9, 9), LINE),
    (BoundedSum("cell", (2, 2, 2), 0, 9), LINE),
    (BoundedSum("a2", (0, 4, 9), 0, 5), SQUARE),
    (RecodedMarginal(("cell",), ((1, 0, 1),)), LINE),
    (RecodedMarginal(("cell",), ((0, 0, 0),)), LINE),
    (RecodedMarginal(("cell",), ((-1, 4, 2),)), LINE),
    (RecodedMarginal(("cell",), ((0,),)), SINGLE),
    (RecodedMarginal(("a2", "a1"), ((0, 0, 0), (-1, 0))), SQUARE),
    (RecodedMarginal(("a2",), ((2, -1, 0),)), SQUARE),
    (LinearQueries(("cell",), (Layer(1, (0, 1, 2)), Layer(1, (3, 3, 4)))), LINE),
    (LinearQueries(("cell",), (Layer(2, (0, 1, -1)), Layer(-3, (-1, 0, 0)))), LINE),
    (LinearQueries(("cell",), (Layer(2, (0, 0, 0)), Layer(-2, (0, 0, 0)))), LINE),
    (LinearQueries(("cell",), (Layer(7, (1,)),)), SINGLE),
    (LinearQueries(("a2",), (Layer(5, (0, 1, 0)), Layer(-1, (1, 0, 2)))), SQUARE),
]
RELATIONS = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 3)),
    ReplaceOne(Unit("person", 2)),
]


def _largest(query: Query, domain: Domain, neighbours: Neighbours, norm: Norm) -> Fraction:
    """By a loop over all neighbours among small databases, with the query's own answers."""
    rows = databases(neighbours, domain.size, 3)
    answers = answers_of_histograms(query, domain, rows)
    found = [F(0)]
    for a, b in neighbour_pairs(neighbours, rows).tolist():
        moved = np.abs(answers[a] - answers[b]).tolist()
        found.append(F(norm.of([F(step) for step in moved])))
    return max(found)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize(("query", "domain"), CASES, ids=str)
@pytest.mark.parametrize("norm", Norm)
def test_the_largest_corner_is_the_largest_change(
    query: Query, domain: Domain, neighbours: Neighbours, norm: Norm
) -> None:
    columns = columns_of(query, domain)
    assert columns is not None
    corner = largest_corner(columns, neighbours, norm)
    m = neighbours.unit.max_records
    size = F(0)
    if corner is not None:
        size = F(norm.of([abs(m * step) for step in corner.change.values()]))
    assert size == _largest(query, domain, neighbours, norm)


@pytest.mark.parametrize(("query", "domain"), CASES, ids=str)
def test_columns_are_what_a_record_adds(query: Query, domain: Domain) -> None:
    columns = columns_of(query, domain)
    assert columns is not None
    known = Described(query, domain)

    def added(cell: int) -> Column:
        numbers = known.of_counts({cell: 1}).numbers
        return {place: F(number) for place, number in enumerate(numbers) if number}

    for column, cell in zip(columns.columns, columns.cells, strict=True):
        assert added(cell) == column

    def shape(column: Column) -> list[Fraction]:
        return sorted(column.values())

    # Up to the order of coordinates, records are of these kinds, or for sums lie between them.
    for cell in range(domain.size):
        if isinstance(query, BoundedSum):
            ends = [column.get(0, F(0)) for column in columns.columns]
            assert min(ends) <= added(cell).get(0, F(0)) <= max(ends)
        else:
            assert shape(added(cell)) in [shape(column) for column in columns.columns]


def test_a_query_of_another_kind_has_no_columns() -> None:
    assert columns_of(ModelError((Marginal(("cell",)),), ((0, 0, 0),)), LINE) is None


def test_domains_may_have_more_cells_than_64_bits_number() -> None:
    values = tuple(str(value) for value in range(100))
    wide = Domain("wide", tuple(Attribute(f"a{k}", values) for k in range(20)))
    columns = columns_of(Marginal(("a3", "a7")), wide)
    assert columns is not None
    corner = largest_corner(columns, ReplaceOne(), Norm.L1)
    assert corner is not None and sum(map(abs, corner.change.values())) == 2
    cell = 10**39 + 12345
    assert cell_of(wide, codes_of(wide, cell)) == cell
