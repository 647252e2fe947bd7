"""Databases and neighbours, against lists made by counting through everything."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers import neighbours as module
from synthesizers.errors import InputError, TooLargeError
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    compositions,
    databases,
    describe,
    from_json,
    histogram_count,
    histograms,
    neighbour_pairs,
    neighbours_from,
    to_json,
)
from tests.synthesizers.brute_force import RELATIONS, neighbours_by_persons, relation_id, vectors

pytestmark = pytest.mark.smoke

SHAPES = [(1, 0), (1, 3), (2, 0), (2, 4), (3, 0), (3, 3), (4, 2), (5, 1)]


@pytest.mark.parametrize(("cells", "records"), SHAPES)
def test_histograms_are_all_vectors_of_the_sum_in_order(cells: int, records: int) -> None:
    wanted = [v for v in vectors(cells, records) if sum(v) == records]
    found = histograms(cells, records)
    assert found.dtype == np.int64 and found.shape == (len(wanted), cells)
    assert [tuple(row) for row in found.tolist()] == wanted
    assert list(compositions(cells, records)) == wanted
    assert histogram_count(cells, records) == len(wanted)


@pytest.mark.parametrize(("cells", "records"), SHAPES)
@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_databases_have_the_public_number_of_records_or_up_to_it(
    neighbours: Neighbours, cells: int, records: int
) -> None:
    public = isinstance(neighbours, ReplaceOne) and neighbours.unit.is_record
    wanted = {v for v in vectors(cells, records) if not public or sum(v) == records}
    found = [tuple(row) for row in databases(neighbours, cells, records).tolist()]
    assert set(found) == wanted and len(found) == len(wanted)
    assert neighbours.records_public == public


@pytest.mark.parametrize(("cells", "records"), [(1, 0), (1, 4), (2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_pairs_are_those_of_the_definition(
    neighbours: Neighbours, cells: int, records: int
) -> None:
    rows = np.array(list(vectors(cells, records)), np.int64)
    wanted = [
        (i, j)
        for i, j in itertools.combinations(range(len(rows)), 2)
        if neighbours_by_persons(neighbours, rows[i].tolist(), rows[j].tolist())
    ]
    assert [tuple(pair) for pair in neighbour_pairs(neighbours, rows).tolist()] == wanted
    for i, j in itertools.product(range(len(rows)), repeat=2):
        expected = (min(i, j), max(i, j)) in set(wanted)
        assert neighbours.are_neighbours(rows[i].tolist(), rows[j].tolist()) == expected


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("kept", [0, 1, 2, 7, 20])
def test_pairs_of_an_incomplete_and_shuffled_list(neighbours: Neighbours, kept: int) -> None:
    everything = np.array(list(vectors(3, 4)), np.int64)
    rows = np.random.default_rng(kept).permutation(everything)[:kept]
    wanted = [
        (i, j)
        for i, j in itertools.combinations(range(len(rows)), 2)
        if neighbours_by_persons(neighbours, rows[i].tolist(), rows[j].tolist())
    ]
    assert [tuple(pair) for pair in neighbour_pairs(neighbours, rows).tolist()] == wanted


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("neighbours", RELATIONS[:4], ids=relation_id)
def test_pairs_where_rows_are_too_wide_for_a_code(neighbours: Neighbours, kind: type) -> None:
    # 70 cells in base 3 pass 62 bits, so rows are looked up as bytes.
    rows: NDArray[Any] = np.zeros((5, 70), kind)
    rows[1, 0] = rows[2, 69] = rows[3, 69] = 1
    rows[3, 0] = 1
    rows[4, 3] = 2
    wanted = [
        (i, j)
        for i, j in itertools.combinations(range(5), 2)
        if neighbours.are_neighbours(rows[i].tolist(), rows[j].tolist())
    ]
    assert wanted
    assert [tuple(pair) for pair in neighbour_pairs(neighbours, rows).tolist()] == wanted


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("cells", [1, 2, 3])
def test_differences_are_each_yielded_once(neighbours: Neighbours, cells: int) -> None:
    most = neighbours.unit.max_records
    found = list(neighbours.differences(cells))
    both_signs = found + [tuple(-d for d in step) for step in found]
    assert len(set(both_signs)) == len(both_signs)
    assert len(found) <= neighbours.difference_count(cells)
    if not isinstance(neighbours, ReplaceOne) or neighbours.unit.is_record:
        assert len(found) == neighbours.difference_count(cells)
    start = (most,) * cells
    wanted = {
        tuple(b - a for a, b in zip(start, target, strict=True))
        for target in itertools.product(range(2 * most + 1), repeat=cells)
        if neighbours_by_persons(neighbours, start, target)
    }
    assert set(both_signs) == wanted


def test_many_cells_are_no_trouble() -> None:
    rows = np.eye(1500, dtype=np.int64)[:3]
    assert neighbour_pairs(AddRemove(), rows).shape == (0, 2)
    together = np.concatenate([rows, np.zeros((1, 1500), np.int64)])
    assert neighbour_pairs(AddRemove(), together).tolist() == [[0, 3], [1, 3], [2, 3]]


def test_caps_are_stated() -> None:
    with pytest.raises(TooLargeError, match=str(module.MAX_DATABASES)):
        histograms(10, 30)
    with pytest.raises(TooLargeError, match=str(module.MAX_DATABASES)):
        databases(AddRemove(), 10, 30)
    with pytest.raises(TooLargeError, match="pairs"):
        neighbour_pairs(ReplaceOne(Unit("person", 12)), np.zeros((1, 12), np.int64))
    for cells, records in ((0, 1), (2, -1)):
        with pytest.raises(InputError, match="at least one cell"):
            histograms(cells, records)


@pytest.mark.parametrize(
    ("name", "most", "words"),
    [
        ("persons", 1, "unit"),
        ("record", 2, "max-records"),
        ("person", 0, "at least 1"),
        ("person", -3, "at least 1"),
        ("person", True, "whole number"),
        ("person", 1.5, "whole number"),
    ],
)
def test_units_are_checked(name: str, most: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Unit(name, most)


def test_words_of_the_command_line() -> None:
    assert neighbours_from("add-remove") == AddRemove()
    assert neighbours_from("replace-one", "person", 3) == ReplaceOne(Unit("person", 3))
    for arguments, words in (
        (("both",), "add-remove or replace-one"),
        (("add-remove", "person"), "--max-records"),
        (("add-remove", "record", 2), "--max-records"),
        (("add-remove", "household", 2), "unit"),
    ):
        with pytest.raises(InputError, match=words):
            neighbours_from(*arguments)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_plain_data_round_trip_and_words(neighbours: Neighbours) -> None:
    assert from_json(to_json(neighbours)) == neighbours
    assert describe(neighbours).startswith(neighbours.name)
    private = "n is private" if isinstance(neighbours, AddRemove) else "is public"
    assert private in describe(neighbours)
