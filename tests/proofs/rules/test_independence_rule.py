"""Distances from independence: small databases by exhaustion, large ones where they move most."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from synthesizers.domain import Domain
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)
from synthesizers.queries import IndependenceDistance, answers_of_histograms
from tests.proofs.rules.moved import bounds
from tests.synthesizers.brute_force import RELATIONS, relation_id

Table = list[list[int]]
PAIR = (("a1",), ("a2",))


def distance(table: Table) -> Fraction:
    """Σ|n_ij - n_i·n_j/n|."""
    n = sum(map(sum, table))
    rows, columns = (
        [sum(row) for row in table],
        [sum(column) for column in zip(*table, strict=True)],
    )
    if n == 0:
        return Fraction(0)
    parts = (
        abs(table[i][j] - Fraction(rows[i] * columns[j], n))
        for i, j in itertools.product(range(len(rows)), range(len(columns)))
    )
    return sum(parts, Fraction(0))


def changed(table: Table, *places: tuple[int, int, int]) -> Table:
    found = [list(row) for row in table]
    for i, j, more in places:
        found[i][j] += more
    return found


def cells(table: Table) -> list[tuple[int, int]]:
    return list(itertools.product(range(len(table)), range(len(table[0]))))


def exchanges(table: Table) -> Iterator[Table]:
    for (i, j), (k, o) in itertools.product(cells(table), repeat=2):
        if table[i][j] and (i, j) != (k, o):
            yield changed(table, (i, j, -1), (k, o, 1))


def largest_exchange(table: Table) -> Fraction:
    old = distance(table)
    return max(abs(distance(new) - old) for new in exchanges(table))


SMALL = (("2x2", 6), ("2x3", 4), ("3x3", 3), ("1x4", 3), ("2x4", 3))


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize(("sides", "most"), SMALL)
def test_small_databases_by_exhaustion(sides: str, most: int, neighbours: Neighbours) -> None:
    domain = Domain.from_cells(sides)
    rows = databases(neighbours, domain.size, most)
    pairs = neighbour_pairs(neighbours, rows)
    for scale in (1, 7):
        query = IndependenceDistance((PAIR,), scale)
        answers = answers_of_histograms(query, domain, rows)[:, 0]
        tables = rows.reshape(-1, *domain.shape).tolist()
        assert answers.tolist() == [scale * distance(table) // 1 for table in tables]
        found = bounds(domain, query, neighbours)
        steps = np.abs(answers[pairs[:, 1]] - answers[pairs[:, 0]])
        assert found.linf >= steps.max(initial=0)
        assert (found.l1, found.l2_squared) == (found.linf, found.linf**2)
        assert not found.monotone or found.linf == 0


entries = st.sampled_from([0, 0, 0, 1, 2, 10, 100, 1000, 10**5, 10**8])


@st.composite
def tables(draw: st.DrawFn, least: int = 2, most: int = 4) -> Table:
    """Tables in which a few cells hold nearly all records."""
    height, width = draw(st.integers(least, most)), draw(st.integers(2, 4))
    row = st.lists(entries, min_size=width, max_size=width)
    found = draw(st.lists(row, min_size=height, max_size=height))
    assume(any(map(any, found)))
    return found


@given(table=tables(), data=st.data())
def test_a_record_more_moves_less_than_four(table: Table, data: st.DataObject) -> None:
    """The difference is n/(n+1)·(e_i - a)(e_j - b)ᵀ, as the page says."""
    i, j = data.draw(st.sampled_from(cells(table)))
    n, more = sum(map(sum, table)), changed(table, (i, j, 1))
    rows = [Fraction(sum(row), n) for row in table]
    columns = [Fraction(sum(column), n) for column in zip(*table, strict=True)]

    def gap(table: Table, row: int, column: int) -> Fraction:
        total, others = sum(map(sum, table)), sum(each[column] for each in table)
        return table[row][column] - Fraction(sum(table[row]) * others, total)

    for row, column in cells(table):
        step = (Fraction(row == i) - rows[row]) * (Fraction(column == j) - columns[column])
        assert gap(more, row, column) - gap(table, row, column) == Fraction(n, n + 1) * step
    assert abs(distance(more) - distance(table)) <= Fraction(4 * n, n + 1)


@given(table=tables())
def test_an_exchanged_record_moves_at_most_six(table: Table) -> None:
    assert largest_exchange(table) <= 6


@given(table=tables(most=2))
def test_an_exchanged_record_moves_tables_of_two_rows_at_most_four(table: Table) -> None:
    assert largest_exchange(table) <= 4
    assert largest_exchange([list(column) for column in zip(*table, strict=True)]) <= 4


FAMILY: list[Any] = [((100, 1000), 5.07), ((1000, 10**5), 5.88), ((10**4, 10**8), 5.998)]


@pytest.mark.parametrize(("numbers", "least"), FAMILY)
def test_large_tables_of_three_rows_move_more_than_five(
    numbers: tuple[int, int], least: float
) -> None:
    """So the bound of two rows is none of three, and six can't be made smaller."""
    a, n = numbers
    table = [[0, 0, a], [0, a, 0], [a, 0, n]]
    assert least < largest_exchange(table) <= 6
    domain, query = Domain.from_cells("3x3"), IndependenceDistance((PAIR,), 1000)
    found = bounds(domain, query, ReplaceOne())
    rows = np.array([np.ravel(each) for each in (table, *exchanges(table))])
    answers = answers_of_histograms(query, domain, rows)[:, 0]
    assert 1000 * least < np.abs(answers - answers[0]).max() <= found.linf == 6000


@given(table=tables(most=3), records=st.integers(1, 4), exchange=st.booleans(), data=st.data())
def test_persons_of_large_tables(
    table: Table, records: int, exchange: bool, data: st.DataObject
) -> None:
    """What comes and goes is drawn; a person may bring fewer records than another takes."""
    domain = Domain.from_cells(f"{len(table)}x{len(table[0])}")
    few = st.lists(st.sampled_from(cells(table)), max_size=records)
    held = [cell for cell in cells(table) for _ in range(min(table[cell[0]][cell[1]], records))]
    gone = data.draw(st.lists(st.sampled_from(range(len(held))), max_size=records, unique=True))
    come = data.draw(few) if exchange else []
    moved = changed(table, *((*held[at], -1) for at in gone), *((*cell, 1) for cell in come))
    query = IndependenceDistance((PAIR,), 3)
    rows = np.array([np.ravel(table), np.ravel(moved)])
    first, second = answers_of_histograms(query, domain, rows)[:, 0].tolist()
    relation = (ReplaceOne if exchange else AddRemove)(Unit("person", records))
    assert abs(second - first) <= bounds(domain, query, relation).linf


def test_the_stated_table() -> None:
    person = Unit("person", 3)
    relations = (AddRemove(), AddRemove(person), ReplaceOne(), ReplaceOne(person))
    query = IndependenceDistance((PAIR,), 5)
    for sides, factors in (
        ("2x2", (4, 12, 4, 24)),
        ("2x9", (4, 12, 4, 24)),
        ("3x3", (4, 12, 6, 24)),
        ("1x3", (0, 0, 0, 0)),
    ):
        for neighbours, factor in zip(relations, factors, strict=True):
            assert bounds(Domain.from_cells(sides), query, neighbours).linf == 5 * factor
