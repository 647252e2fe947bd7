"""Cell keys: the law against keys that are really added up."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.laws.cell_keys import MAX_CHANGE, CellKey, PerturbationTable
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.slow_tables import (
    Law,
    far,
    largest_ratio,
    law_of,
    put,
    records,
    require_law,
    worst_excess,
)

QUARTER = Fraction(1, 4)
ONE = ((-1, 2 * QUARTER), (0, QUARTER), (2, QUARTER))
TWO = ((-2, QUARTER), (0, 2 * QUARTER), (2, QUARTER))
MORE = ((-2, QUARTER), (-1, QUARTER), (1, QUARTER), (2, QUARTER))
TABLE = PerturbationTable((ONE, TWO, MORE))
LAW = CellKey(TABLE)


def by_keys(counts: tuple[int, ...]) -> Law:
    """Four keys: every key of every record, summed by cell and looked up in a list of four."""
    listed = [
        [change for change, chance in row for _ in range(int(4 * chance))]
        for row in (ONE, TWO, MORE, MORE, MORE)
    ]
    law: Law = {}
    cells = records(counts)
    for keys in itertools.product(range(4), repeat=len(cells)):
        released = []
        for cell, count in enumerate(counts):
            key = sum(k for k, own in zip(keys, cells, strict=True) if own == cell) % 4
            released.append(count + listed[count - 1][key] if count else 0)
        put(law, tuple(released), Fraction(1, 4 ** len(cells)))
    return law


@pytest.mark.parametrize("counts", [(0,), (1,), (5,), (1, 0), (2, 1), (1, 3, 1), (0, 2, 2, 1)])
def test_law_against_keys_that_are_added_up(counts: tuple[int, ...]) -> None:
    assert law_of(LAW, counts) == by_keys(counts)


@pytest.mark.parametrize(("cells", "size"), [(1, 0), (1, 4), (2, 1), (2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_it_is_a_law(neighbours: Any, cells: int, size: int) -> None:
    require_law(LAW, neighbours, cells, size)


def test_large_counts_share_the_last_row_and_zeros_stay() -> None:
    assert LAW.answers(0) == {0: 1} and LAW.answers(1) == {
        0: Fraction(1, 2),
        1: QUARTER,
        3: QUARTER,
    }
    for count in (3, 4, 1000):
        assert LAW.answers(count) == {count + change: chance for change, chance in MORE}


def test_a_record_of_a_cell_of_its_own_shows_unless_its_count_becomes_zero() -> None:
    for neighbours, size in ((AddRemove(), 1), (ReplaceOne(), 2)):
        assert largest_ratio(LAW, neighbours, 2, size) is None
        assert worst_excess(LAW, neighbours, 2, size, Fraction(10**6)) >= Fraction(1, 2)
    assert worst_excess(LAW, AddRemove(), 1, 1, Fraction(3)) == Fraction(1, 2)


def test_draws_follow_the_row_of_their_count() -> None:
    # 60 000 cells a count; a right sampler fails with probability at most 3 · 10^-10: see `far`.
    drawn = LAW.sample(np.repeat([0, 1, 2, 7], 60_000), InsecureSeededEntropy(5)).reshape(4, -1)
    assert not drawn[0].any()
    for part, count in zip(drawn[1:], (1, 2, 7), strict=True):
        law = LAW.answers(count)
        found = [int((part == value).sum()) for value in law]
        assert sum(found) == 60_000 and not far(found, list(law.values()))


def test_numbers_and_plain_data() -> None:
    assert isinstance(LAW, ProductLaw)
    numpy_rows = tuple(tuple((np.int64(v), p) for v, p in row) for row in TABLE.rows)
    table = PerturbationTable(numpy_rows)
    assert table == TABLE and all(type(v) is int for row in table.rows for v, _ in row)
    small = CellKey(PerturbationTable((((-1, Fraction(1, 3)), (1, Fraction(2, 3))),)))
    assert small.to_json() == {"law": "cell-key", "table": [[[-1, "1/3"], [1, "2/3"]]]}
    assert PerturbationTable((((0, 1),),)).rows == (((0, Fraction(1)),),)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((), "at least one row"),
        ((((-2, Fraction(1)),),), "count of 1: changes lie from -1"),
        ((ONE, ((-3, Fraction(1)),)), "count of 2: changes lie from -2"),
        ((((MAX_CHANGE + 1, Fraction(1)),),), "at most 1000"),
        ((((0, QUARTER), (0, 3 * QUARTER)),), "each stands once"),
        ((((1, QUARTER), (0, 3 * QUARTER)),), "ascend"),
        ((((0, QUARTER),),), "sum to exactly 1"),
        (((),), "sum to exactly 1"),
        ((((0, Fraction(2)), (1, Fraction(-1))),), "positive"),
        ((((0, Fraction(1)), (1, Fraction(0))),), "positive"),
        ((((0, 1.0),),), "exact rational"),
        ((((0.0, Fraction(1)),),), "whole numbers"),
    ],
)
def test_tables_are_checked(rows: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        PerturbationTable(rows)


def test_a_table_of_another_class_is_refused() -> None:
    class Keeps(PerturbationTable):
        def row(self, count: int) -> Any:
            raise AssertionError("a table of the program's own was asked for a true count")

    setting = Setting.of(Domain.from_cells("1"), AddRemove(), 3)
    curator = Curator(setting, UnlimitedBudget(), lambda event: (0,))
    with pytest.raises(ProtocolError, match="Keeps, which the curator does not know"):
        curator.sanitize(CellKey(Keeps(TABLE.rows)))
