"""Certificates: what is called exact is what exhaustion finds, and the pair shown attains it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.auditors.sensitivity.certificate import Certified, certify_change
from audit.auditors.sensitivity.declaration import Declared, Norm
from audit.auditors.sensitivity.described import Described
from audit.auditors.sensitivity.extremes import exhaust
from audit.auditors.sensitivity.piecewise import Abs, PiecewiseLinear, Sum, form
from audit.auditors.sensitivity.records import DomainRecords
from audit.auditors.sensitivity.small import small
from audit.statements.finding import Rigour
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.queries import (
    BoundedSum,
    CellErrors,
    Layer,
    LinearQueries,
    Marginal,
    ModelError,
    RecodedMarginal,
    Total,
)
from tests.audit.auditors.sensitivity.test_piecewise import CELLS, RELATIONS, queries

F = Fraction
LINE = Domain.from_cells(str(CELLS))
SQUARE = Domain.from_cells("2x2")
HALF = RecodedMarginal(("a2", "a1"), ((0, 0), (0, -1)))
ANY = Declared(F(0), F(0), F(0))


def _exhausted(known: Described, neighbours: Neighbours, records: int) -> dict[Norm, Fraction]:
    """By asking every database of so many records."""
    space = DomainRecords(known.domain)
    instance = small(space.list_records() or (), neighbours, records, None, "")
    found = exhaust(known, instance, ANY)
    return {norm: F(extreme.largest.size(norm)) for norm, extreme in found.items()}


def _counts(database: Any) -> Counter[str]:
    return Counter(repr(record) for record in database)


def _check_pair(found: Certified, known: Described, neighbours: Neighbours) -> None:
    assert found.shown is not None
    first, second = _counts(found.shown.first), _counts(found.shown.second)
    cells = sorted(first.keys() | second.keys())
    assert neighbours.are_neighbours([first[c] for c in cells], [second[c] for c in cells])
    answers = [known.answer(database) for database in (found.shown.first, found.shown.second)]
    moved = [abs(F(a) - F(b)) for a, b in zip(*(one.numbers for one in answers), strict=True)]
    assert found.norm.of(moved) == found.size


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(queries, st.sampled_from(RELATIONS), st.sampled_from(list(Norm)), st.integers(1, 3))
def test_what_is_exact_is_what_exhaustion_finds(
    query: PiecewiseLinear, neighbours: Neighbours, norm: Norm, records: int
) -> None:
    known = Described(query, LINE)
    found = certify_change(known, neighbours, records, norm)
    assert found is not None and found.rigour is Rigour.EXACT
    assert found.size == _exhausted(known, neighbours, records)[norm]
    if found.shown is not None:
        _check_pair(found, known, neighbours)


# Where the solver does not end, it takes seconds until it gives up.
@settings(max_examples=10, deadline=None, derandomize=True, database=None)
@given(queries, st.sampled_from(RELATIONS))
def test_of_any_size_it_is_at_least_that_of_small_ones(
    query: PiecewiseLinear, neighbours: Neighbours
) -> None:
    known = Described(query, LINE)
    found = certify_change(known, neighbours, None, Norm.L1)
    assert found is not None and found.size >= _exhausted(known, neighbours, 3)[Norm.L1]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("records", [1, 3])
@pytest.mark.parametrize(
    "query",
    [
        Total(),
        Marginal(("a1",)),
        Marginal(("a1", "a2")),
        BoundedSum("a2", (-2, 5), -1, 3),
        ModelError((Marginal(("a1",)), Marginal(("a2", "a1"))), ((1, 0), (0, 2, 0, -1))),
        ModelError((Marginal(("a1",)),), ((-3, -3),)),
        ModelError((HALF, Marginal(("a1",))), ((1,), (0, 2)), (3, 2), (-7, 0)),
        ModelError((HALF,), ((1,),), (0,), (4,)),
        RecodedMarginal(("a2", "a1"), ((0, -1), (0, 0))),
        LinearQueries(("a1",), (Layer(2, (0, 1)), Layer(-1, (1, 0)))),
        CellErrors((Marginal(("a1",)), Marginal(("a2", "a1"))), ((1,), (0, 3)), ((1,), (2, 0)), 2),
    ],
    ids=str,
)
def test_declared_queries_are_certified_exactly(
    query: Any, neighbours: Neighbours, records: int
) -> None:
    known = Described(query, SQUARE)
    expected = _exhausted(known, neighbours, records)
    for norm in Norm:
        found = certify_change(known, neighbours, records, norm)
        assert found is not None and found.rigour is Rigour.EXACT
        assert found.size == expected[norm]
        if found.size:
            _check_pair(found, known, neighbours)


def test_the_model_error_of_a_wide_domain_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise AssertionError("the solver was asked")

    monkeypatch.setattr("audit.auditors.sensitivity.certificate.propose", none)
    wide = Domain.from_cells("3000")
    known = Described(ModelError((Marginal(("cell",)),), ((2,) * 3000,)), wide)
    found = certify_change(known, AddRemove(), None, Norm.L1)
    assert found is not None and (found.size, found.rigour) == (1, Rigour.EXACT)
    assert "by the structure" in found.covers


@pytest.mark.parametrize("counts", [(2,), (0,), (5, 0, 1, 0)])
def test_an_exchange_far_from_its_model_needs_no_solver(
    counts: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audit.auditors.sensitivity.certificate.propose", lambda *_: None)
    cells = 120
    model = tuple(counts[cell % len(counts)] for cell in range(cells))
    known = Described(ModelError((Marginal(("cell",)),), (model,)), Domain.from_cells(str(cells)))
    found = certify_change(known, ReplaceOne(), None, Norm.L1)
    # Where the model is 0 everywhere, the distance is the number of records.
    expected = 2 if any(counts) else 0
    assert found is not None and (found.size, found.rigour) == (expected, Rigour.EXACT)


def test_what_rests_on_the_solver_says_so() -> None:
    # |x - 5| - |x - 5| moves by 0 and its structure allows 2.
    distance = Abs(form({0: 1}, -5))
    query = PiecewiseLinear(2, (Sum(((F(1), distance), (F(-1), distance))),))
    found = certify_change(Described(query, Domain.from_cells("2")), AddRemove(), 9, Norm.L1)
    assert found is not None and (found.size, found.rigour) == (0, Rigour.EXACT)
    assert "on the word of OR-Tools" in found.covers and "at most 2" in found.covers
    free = certify_change(Described(query, Domain.from_cells("2")), AddRemove(), None, Norm.L1)
    assert free is not None and (free.size, free.rigour) == (0, Rigour.FLOOR)
    assert "at most 2" in free.covers


def test_a_breakpoint_far_away_is_reached() -> None:
    # The change is 1 from 700 records on alone.
    query = PiecewiseLinear(
        2, (Sum(((F(1, 2), Abs(form({0: 1}, -700))), (F(1, 2), form({0: 1})))),)
    )
    found = certify_change(Described(query, Domain.from_cells("2")), AddRemove(), None, Norm.L1)
    assert found is not None and (found.size, found.rigour) == (1, Rigour.EXACT)
    small_only = certify_change(Described(query, Domain.from_cells("2")), AddRemove(), 700, Norm.L1)
    assert small_only is not None and small_only.size == 0
    just = certify_change(Described(query, Domain.from_cells("2")), AddRemove(), 701, Norm.L1)
    assert just is not None and just.size == 1


def test_thousands_of_cells_are_aggregated() -> None:
    weights = {cell: 2 if cell % 2 else 3 for cell in range(4000)}
    query = PiecewiseLinear(4000, (Abs(form(weights, -50)),))
    domain = Domain.from_cells("4000")
    found = certify_change(Described(query, domain), ReplaceOne(), 20, Norm.L1)
    assert found is not None and (found.size, found.rigour) == (1, Rigour.EXACT)


def test_persons_own_no_more_records_than_there_are() -> None:
    person = AddRemove(Unit("person", 5))
    known = Described(Total(), LINE)
    assert certify_change(known, person, 3, Norm.L1).size == 3
    assert certify_change(known, person, None, Norm.L1).size == 5


def test_a_domain_of_more_cells_than_64_bits_number() -> None:
    values = tuple(str(value) for value in range(100))
    wide = Domain("wide", tuple(Attribute(f"a{k}", values) for k in range(20)))
    known = Described(Marginal(("a3", "a7")), wide)
    found = certify_change(known, ReplaceOne(), None, Norm.L2)
    assert found is not None and (found.size, found.rigour) == (2, Rigour.EXACT)
    _check_pair(found, known, ReplaceOne())


def test_a_query_of_unknown_form_has_no_certificate() -> None:
    wide = Domain.from_cells("128x200")
    error = ModelError((Marginal(("a1",)),), ((0,) * 128,))
    assert certify_change(Described(error, wide), AddRemove(), None, Norm.L1) is None
