"""Columns of marginals, against counts of cells by a code of its own."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.columns.marginal_columns import (
    MOST_DIFFERENCES,
    MOST_MARGINALS,
    MarginalColumns,
    marginal_columns_for,
    marginal_columns_from_json,
)
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair

Record = dict[str, Any]

NAMES = ("city", "size", "sex")
RNG = np.random.default_rng(24)


def records(count: int) -> list[Record]:
    cities = ["Paris", "Lyon", "Rome"]
    return [
        {
            "city": cities[RNG.integers(3)],
            "size": int(RNG.integers(3)),
            "sex": "mf"[RNG.integers(2)],
        }
        for _ in range(count)
    ]


BOTH = records(20)
OUT = {"city": "Rome", "size": 1, "sex": "f"}
IN = {"city": "Oslo", "size": 1, "sex": "m"}
EXCHANGED = Pair([*BOTH, OUT, OUT], [*BOTH, IN, IN])
ADDED = Pair(BOTH, [*BOTH, IN])
TABLES = [
    [*records(int(RNG.integers(0, 12))), *[IN] * (n % 3), *[OUT] * (n % 2)] for n in range(25)
]
FRAMES = [pd.DataFrame(table, columns=list(NAMES)) for table in TABLES]


def cells(table: list[Record], of: tuple[str, ...]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(record[name] for name in of) for record in table)


def difference(pair: Pair, of: tuple[str, ...]) -> dict[tuple[Any, ...], int]:
    found = cells(pair.second, of)
    found.subtract(cells(pair.first, of))
    return {cell: count for cell, count in found.items() if count}


@pytest.mark.parametrize("pair", [EXCHANGED, ADDED], ids=["exchanged", "added"])
@pytest.mark.parametrize("made", [FRAMES, TABLES], ids=["data frames", "lists of records"])
def test_a_column_is_the_product_of_a_marginal_and_the_databases_difference(
    pair: Pair, made: list[Any]
) -> None:
    outcomes = Outcomes.of_outputs(made)
    columns = marginal_columns_for(outcomes, pair)
    moving = [of for size in range(4) for of in combinations(NAMES, size) if difference(pair, of)]
    assert list(columns.sets) == moving
    found = columns.rows(outcomes)
    for row, of in zip(found, moving, strict=True):
        apart = difference(pair, of)
        expected = [sum(apart.get(c, 0) * k for c, k in cells(t, of).items()) for t in TABLES]
        assert row.tolist() == expected
        assert len(set(expected)) > 1
    lengths = [sum(count**2 for count in difference(pair, of).values()) for of in moving]
    assert columns.shifts(pair.first, pair.second).tolist() == lengths


def test_where_only_some_attributes_differ_no_other_marginal_has_a_column() -> None:
    columns = marginal_columns_for(Outcomes.of_outputs(FRAMES), EXCHANGED)
    # Its size is 1 before and after, and the number of records is the same.
    assert () not in columns.sets
    assert ("size",) not in columns.sets
    assert ("city", "size") in columns.sets


def test_a_runs_row_is_the_same_whatever_runs_stand_beside_it() -> None:
    outcomes = Outcomes.of_outputs([*FRAMES, 3.0, "text"])
    columns = marginal_columns_for(outcomes, EXCHANGED)
    whole = columns.rows(outcomes)
    alone = [columns.rows(outcomes.take(np.array([run]))) for run in range(len(outcomes))]
    assert whole.tolist() == np.concatenate(alone, axis=1).tolist()
    assert not whole[:, -2:].any()


def test_columns_read_back_measure_the_same_and_what_is_none_is_refused() -> None:
    outcomes = Outcomes.of_outputs(FRAMES)
    columns = marginal_columns_for(outcomes, EXCHANGED).take([0, 2])
    read = marginal_columns_from_json(columns.to_json())
    assert read.rows(outcomes).tolist() == columns.rows(outcomes).tolist()
    assert read.to_json() == columns.to_json()
    for key, value in [("surpluses", [10**400, 1]), ("surpluses", [1, 1, 1]), ("sets", [[["a"]]])]:
        with pytest.raises((ValueError, LookupError, TypeError)):
            marginal_columns_from_json({**columns.to_json(), key: value})


def none_of(columns: MarginalColumns) -> bool:
    return not columns.names


def test_there_are_none_of_numbers_nor_where_nothing_or_too_much_differs() -> None:
    tables = Outcomes.of_outputs(FRAMES)
    assert none_of(marginal_columns_for(Outcomes.of_outputs([1.0, 2.0]), EXCHANGED))
    assert none_of(marginal_columns_for(tables, Pair(BOTH, BOTH)))
    assert none_of(marginal_columns_for(tables, Pair(0, 1)))
    many = [{**IN, "city": str(place)} for place in range(MOST_DIFFERENCES + 1)]
    assert none_of(marginal_columns_for(tables, Pair(BOTH, [*BOTH, *many])))


def test_of_many_attributes_the_small_marginals_come_first_to_a_bounded_number() -> None:
    names = [f"a{place}" for place in range(30)]
    low, high = dict.fromkeys(names, 0), dict.fromkeys(names, 1)
    frames = [pd.DataFrame([low, high]), pd.DataFrame([high, high])]
    columns = marginal_columns_for(Outcomes.of_outputs(frames), Pair([low], [high]))
    # Of no attributes the marginal does not move.
    assert len(columns.sets) == MOST_MARGINALS - 1
    assert {len(of) for of in columns.sets} == {1, 2}


def test_numbers_of_many_values_are_looked_at_in_bins() -> None:
    tables = [pd.DataFrame({"x": RNG.normal(size=40)}) for _ in range(10)]
    pair = Pair([{"x": 0.1}], [{"x": 2.5}])
    outcomes = Outcomes.of_outputs(tables)
    columns = marginal_columns_for(outcomes, pair)
    (edges,) = columns.to_json()["reference"]["edges"].values()

    def inside(values: Any, of: float) -> int:
        return int(
            (np.searchsorted(edges, values, "right") == np.searchsorted(edges, of, "right")).sum()
        )

    expected = [inside(t["x"], 2.5) - inside(t["x"], 0.1) for t in tables]
    assert columns.rows(outcomes)[0].tolist() == expected
