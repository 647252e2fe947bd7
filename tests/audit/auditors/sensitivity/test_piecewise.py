"""Piecewise linear queries: their values, their ceiling and what the solver proposes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.auditors.sensitivity.ceiling import ceiling
from audit.auditors.sensitivity.declaration import Norm
from audit.auditors.sensitivity.piecewise import (
    Abs,
    Clamp,
    CountsByCell,
    Expression,
    Form,
    Largest,
    Least,
    PiecewiseLinear,
    Sum,
    classes,
    form,
    value,
)
from audit.auditors.sensitivity.solver import propose
from audit.auditors.sensitivity.spans import span
from synthesizers.errors import InputError
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)

F = Fraction
CELLS = 3
RELATIONS: list[Neighbours] = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
]

rationals = st.builds(F, st.integers(-6, 6), st.sampled_from([1, 1, 2, 3]))
forms = st.builds(form, st.dictionaries(st.integers(0, CELLS - 1), rationals), rationals)


def _grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    few = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Abs, inner),
        st.builds(Largest, few),
        st.builds(Least, few),
        st.builds(
            lambda part, ends: Clamp(part, *sorted(ends)), inner, st.tuples(rationals, rationals)
        ),
        st.builds(Sum, st.lists(st.tuples(rationals, inner), max_size=3).map(tuple)),
    )


expressions: st.SearchStrategy[Expression] = st.recursive(forms, _grown, max_leaves=5)
queries = st.builds(
    lambda outputs: PiecewiseLinear(CELLS, tuple(outputs)),
    st.lists(expressions, min_size=1, max_size=2),
)


def _plain(expression: Expression, row: list[int]) -> Fraction:
    """The definition, on a dense histogram."""
    match expression:
        case Form(weights=weights, constant=constant):
            dense = [dict(weights).get(cell, F(0)) for cell in range(CELLS)]
            return constant + sum((w * x for w, x in zip(dense, row, strict=True)), F(0))
        case Abs(part=part):
            inner = _plain(part, row)
            return inner if inner >= 0 else -inner
        case Largest(parts=parts):
            return sorted(_plain(part, row) for part in parts)[-1]
        case Least(parts=parts):
            return sorted(_plain(part, row) for part in parts)[0]
        case Clamp(part=part, low=low, high=high):
            return sorted([low, _plain(part, row), high])[1]
        case Sum(terms=terms):
            return sum((weight * _plain(part, row) for weight, part in terms), F(0))


def _sparse(row: list[int]) -> CountsByCell:
    return {cell: count for cell, count in enumerate(row) if count}


def _pairs(neighbours: Neighbours, records: int) -> Iterator[tuple[list[int], list[int]]]:
    rows = databases(neighbours, CELLS, records)
    for a, b in neighbour_pairs(neighbours, rows).tolist():
        yield rows[a].tolist(), rows[b].tolist()


def _size(query: PiecewiseLinear, first: list[int], second: list[int], norm: Norm) -> Fraction:
    moved = [abs(_plain(e, first) - _plain(e, second)) for e in query.outputs]
    return F(norm.of(moved))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(expressions, st.lists(st.integers(0, 9), min_size=CELLS, max_size=CELLS))
def test_values_are_those_of_the_definition(expression: Expression, row: list[int]) -> None:
    assert value(expression, _sparse(row)) == _plain(expression, row)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(expressions, st.lists(st.integers(-2, 2), min_size=CELLS, max_size=CELLS))
def test_no_histogram_changes_by_more_than_the_span(
    expression: Expression, difference: list[int]
) -> None:
    low, high = span(expression).of(_sparse(difference))
    for row in itertools.product(range(4), repeat=CELLS):
        moved = [x + d for x, d in zip(row, difference, strict=True)]
        if min(moved) >= 0:
            change = _plain(expression, moved) - _plain(expression, list(row))
            assert low <= change <= high


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(queries, st.sampled_from(RELATIONS), st.sampled_from(list(Norm)))
def test_the_solver_finds_what_exhaustion_finds_and_the_ceiling_is_above(
    query: PiecewiseLinear, neighbours: Neighbours, norm: Norm
) -> None:
    records = 3
    best = max(_size(query, *pair, norm) for pair in _pairs(neighbours, records))
    cells = classes(query)
    assert ceiling(query, cells, neighbours, norm) >= best
    found = propose(query, cells, neighbours, records, norm, records)
    # Where the query can't tell any records apart, an exchange changes nothing.
    if found is None:
        assert len(cells) == 1 and neighbours.records_public
        return
    assert found.optimal
    first, second = ([c.get(cell, 0) for cell in range(CELLS)] for c in (found.first, found.second))
    assert neighbours.are_neighbours(first, second) or _size(query, first, second, norm) == 0
    assert _size(query, first, second, norm) == best


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_databases_of_any_size_are_neighbours_too(neighbours: Neighbours) -> None:
    # Whoever could add records besides would gain by it.
    query = PiecewiseLinear(CELLS, (form({0: 3, 1: -2, 2: 1}),))
    found = propose(query, (0, 1, 2), neighbours, None, Norm.L1, 6)
    assert found is not None and found.optimal
    first, second = ([c.get(cell, 0) for cell in range(CELLS)] for c in (found.first, found.second))
    assert neighbours.are_neighbours(first, second)
    m = neighbours.unit.max_records
    expected = 3 * m if isinstance(neighbours, AddRemove) else 5 * m
    assert _size(query, first, second, Norm.L1) == expected


def test_a_ceiling_without_pairs_of_corners_is_still_above(monkeypatch: pytest.MonkeyPatch) -> None:
    query = PiecewiseLinear(CELLS, tuple(Abs(form({cell: 1}, -2)) for cell in range(CELLS)))
    exact = {norm: ceiling(query, (0, 1, 2), ReplaceOne(), norm) for norm in Norm}
    assert exact == {Norm.L1: 2, Norm.L2: 2, Norm.LINF: 1}
    monkeypatch.setattr("audit.auditors.sensitivity.ceiling.MOST_CORNERS", 1)
    loose = {norm: ceiling(query, (0, 1, 2), ReplaceOne(), norm) for norm in Norm}
    assert all(loose[norm] >= exact[norm] for norm in Norm) and loose[Norm.L1] == 2


def test_cells_of_equal_weights_are_one_class() -> None:
    weights = {cell: 1 for cell in range(5000)}
    query = PiecewiseLinear(9000, (Abs(form(weights, -3)), form({7: 2})))
    assert classes(query) == (0, 7, 5000)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: form({0: 0.5}), "in quotes"),
        (lambda: form({-1: 1}), "not be negative"),
        (lambda: PiecewiseLinear(0, (form({}),)), "at least one cell"),
        (lambda: PiecewiseLinear(3, ()), "at least one output"),
        (lambda: PiecewiseLinear(3, (form({3: 1}),)), "cells 0 to 2"),
        (lambda: PiecewiseLinear(3, (Largest(()),)), "at least one part"),
        (lambda: PiecewiseLinear(3, (Clamp(form({0: 1}), F(2), F(1)),)), "low <= high"),
        (lambda: PiecewiseLinear(3, (Sum(((0.5, form({0: 1})),)),)), "not floats"),
        (lambda: PiecewiseLinear(3, ("x",)), "found str"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(made: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        made()


def test_expressions_that_are_nested_too_deeply_are_refused() -> None:
    expression: Expression = form({0: 1})
    for _ in range(5000):
        expression = Abs(expression)
    with pytest.raises(InputError, match="deep at most"):
        PiecewiseLinear(1, (expression,))


def test_numbers_that_do_not_fit_the_solver_are_not_handed_to_it() -> None:
    query = PiecewiseLinear(2, (Abs(form({0: 10**18}, -1)),))
    assert propose(query, (0, 1), AddRemove(), 3, Norm.L1, 3) is None
