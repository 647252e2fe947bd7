"""Databases of floats: neighbours in any order."""

from __future__ import annotations

from collections import Counter

import pytest

import dp_audit as dpa
from audit.auditors.components.float_pairs import list_float_pairs
from audit.auditors.sensitivity.records import FloatColumn
from synthesizers.neighbours import AddRemove, ReplaceOne

COLUMN = FloatColumn("x", 0.0, 1.0)


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
@pytest.mark.parametrize("records", [None, 1, 4])
def test_all_pairs_are_neighbours(neighbours, records):
    pairs = list_float_pairs(COLUMN, neighbours, records, 48)
    assert pairs
    for pair in pairs:
        first, second = (Counter(r["x"].hex() for r in one) for one in (pair.first, pair.second))
        gone, came = first - second, second - first
        assert gone.total() <= (0 if isinstance(neighbours, AddRemove) else 1)
        assert came.total() <= 1
        sizes = {len(pair.first), len(pair.second)}
        assert max(sizes) <= (records or 10)
        if isinstance(neighbours, ReplaceOne):
            assert len(sizes) == 1


def clipped_sum(records, rng):
    return sum(min(1.0, max(0.0, record["x"])) for record in records) + rng.laplace(scale=1.0)


def by_place(records, rng):
    total = sum((-1) ** place * record["x"] for place, record in enumerate(records))
    return total + rng.laplace(scale=1.0)


@pytest.mark.parametrize(("function", "code"), [(clipped_sum, 0), (by_place, 1)])
def test_what_depends_on_the_order_moves_further(function, code):
    found = dpa.components(
        function, "epsilon=1", neighbours="add-remove", floats="x=0..1", records=4
    )
    assert found.exit_code == code
