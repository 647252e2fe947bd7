"""Columns of tables, against loops over their rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.columns.columns import OutcomeColumns, columns_for
from audit.auditors.attack.columns.table_rows import label
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

Record = dict[str, Any]

CITIES = ["Paris", "Lyon", "Rome"]
RNG = np.random.default_rng(5)


def records(count: int) -> list[Record]:
    return [
        {
            "city": CITIES[RNG.integers(3)],
            "size": int(RNG.integers(3)),
            "income": float(RNG.normal()),
        }
        for _ in range(count)
    ]


FIRST = records(30)
TARGETS = [{"city": "Oslo", "size": 1, "income": 0.5}, {"city": "Rome", "size": 2, "income": 9.0}]
PAIR = Pair([*FIRST, TARGETS[1]], [*FIRST, TARGETS[0]])


def outputs() -> list[list[Record]]:
    found = [records(int(RNG.integers(0, 12))) for _ in range(40)]
    for number, table in enumerate(found):
        for record in table[: number % 3]:
            record.update(dict(itertools.islice(TARGETS[number // 4 % 2].items(), number % 4)))
        if number % 5 == 0 and table:
            table[0]["city"] = None
            table[-1]["city"] = "Bern"
            table[-1]["income"] = math.nan
        if number % 5 in (1, 2) and table:
            table[-1]["income"] = 9.0
    return found


TABLES = outputs()


def learned(made: list[Any], pair: Pair = PAIR) -> tuple[OutcomeColumns, dict[str, list[float]]]:
    outcomes = Outcomes.of_outputs(made)
    columns = columns_for(Runs(outcomes, np.zeros(len(made), np.bool_)), pair)
    matrix = columns.matrix(outcomes)
    return columns, {name: matrix[:, k].tolist() for k, name in enumerate(columns.names)}


def frame(table: list[Record]) -> pd.DataFrame:
    whole = pd.DataFrame(table, columns=["city", "size", "income"])
    return whole.astype({"city": object, "size": np.int64, "income": np.float64})


COLUMNS, FOUND = learned([frame(table) for table in TABLES])


def check(name: str, expected: list[float]) -> None:
    assert FOUND[name] == pytest.approx(expected, abs=1e-12), name
    assert len(set(expected)) > 1, "the test would say nothing"


def missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def test_rows_values_and_their_kinds_are_counted() -> None:
    check("rows", [len(t) for t in TABLES])
    for attribute in ("city", "income"):
        held = [[r[attribute] for r in t] for t in TABLES]
        check(f"missing values of {attribute}", [sum(map(missing, v)) for v in held])
        distinct = [len({None if missing(x) else x for x in v}) for v in held]
        check(f"distinct values of {attribute}", distinct)
    check("rows with city Paris", [sum(r["city"] == "Paris" for r in t) for t in TABLES])
    check("rows with size 2", [sum(r["size"] == 2 for r in t) for t in TABLES])


def test_numbers_have_their_mean_and_their_ends() -> None:
    numbers = [[r["income"] for r in t if not missing(r["income"])] for t in TABLES]
    check("the mean of income", [sum(v) / len(v) if v else 0 for v in numbers])
    check("the least of income", [min(v, default=0) for v in numbers])
    check("the largest of income", [max(v, default=0) for v in numbers])


def test_values_that_neither_database_holds_are_counted() -> None:
    bern = [sum(r["city"] == "Bern" for r in t) for t in TABLES]
    check("rows with a value of city that is in neither database", bern)
    check("rows with a value of neither database", bern)


def test_targets_are_the_records_in_which_the_databases_differ() -> None:
    order = [TARGETS[0], TARGETS[1]]
    for number, target in enumerate(order, 1):
        equal = [sum(r == target for r in t) for t in TABLES]
        both = [sum(r["city"] == target["city"] and r["size"] == target["size"] for r in t)
                for t in TABLES]  # fmt: skip
        check(f"rows equal to target {number}", equal)
        check(f"rows like target {number} in city and size", both)


def test_the_nearest_row_differs_in_categories_by_one_and_in_numbers_by_a_part() -> None:
    (family,) = COLUMNS.families
    edges = family.to_json()["reference"]["edges"]["income"]
    width = edges[-1] - edges[0]

    def distance(record: Record, target: Record) -> float:
        apart = abs(record["income"] - target["income"]) / width
        numbers = 1.0 if missing(record["income"]) else min(apart, 1.0)
        return (record["city"] != target["city"]) + (record["size"] != target["size"]) + numbers

    for number, target in enumerate(TARGETS, 1):
        far = [[distance(r, target) for r in t] for t in TABLES]
        nearest = [min(d, default=3.0) for d in far]
        check(f"the distance of target {number} to the nearest row", nearest)
        near = [sum(x <= 1 for x in d) for d in far]
        check(f"rows within one value of target {number}", near)


def test_residuals_are_the_absolute_differences_of_marginals() -> None:
    first = [*FIRST, TARGETS[1]]
    known = [*CITIES, "Oslo"]

    def cell(record: Record) -> tuple[Any, Any]:
        return (record["city"] if record["city"] in known else "other", record["size"])

    def residual(table: list[Record], part: slice) -> int:
        cells = {cell(r)[part] for r in [*table, *first]}
        return sum(
            abs(sum(cell(r)[part] == c for r in table) - sum(cell(r)[part] == c for r in first))
            for c in cells
        )

    for name, part in (("city", slice(0, 1)), ("size", slice(1, 2)), ("city and size", slice(2))):
        check(f"the residual of the marginal of {name}", [residual(t, part) for t in TABLES])


def test_many_numbers_are_compared_by_bins_and_what_is_missing_is_in_none() -> None:
    (family,) = COLUMNS.families
    edges = family.to_json()["reference"]["edges"]["income"]

    def bin_of(income: float) -> int:
        return len(edges) + 1 if missing(income) else sum(income >= edge for edge in edges)

    for number, target in enumerate(TARGETS, 1):
        like = [sum(bin_of(r["income"]) == bin_of(target["income"]) for r in t) for t in TABLES]
        check(f"rows like target {number} in income", like)
    first = Counter(bin_of(r["income"]) for r in [*FIRST, TARGETS[1]])
    residuals = []
    for table in TABLES:
        found = Counter(bin_of(r["income"]) for r in table)
        residuals.append(sum(abs(found[k] - first[k]) for k in range(len(edges) + 2)))
    check("the residual of the marginal of income", residuals)


def test_a_target_is_looked_for_in_every_set_of_attributes_the_rarest_first() -> None:
    names = [name for name in COLUMNS.names if name.startswith("rows like target 1")]
    assert len(names) == 3 + 3 + 1
    assert names[0] == "rows like target 1 in city"  # no other record is in Oslo


def test_lists_of_records_are_tables_too() -> None:
    _, found = learned(TABLES)
    # An empty list is no table, and says so by its shape.
    some = [run for run, table in enumerate(TABLES) if table]
    for name in FOUND:
        expected = [FOUND[name][run] for run in some]
        assert [found[name][run] for run in some] == pytest.approx(expected), name


def test_arrays_with_as_many_columns_as_attributes_are_tables_too() -> None:
    rng = np.random.default_rng(6)
    arrays = [rng.integers(0, 3, (4, 2)) for _ in range(20)]
    target = {"a": 1, "b": 2}
    pair = Pair([{"a": 0, "b": 0}], [{"a": 0, "b": 0}, target])
    _, found = learned(arrays, pair)
    tables = [pd.DataFrame(array, columns=["a", "b"]) for array in arrays]
    _, expected = learned(tables, pair)
    assert found["rows equal to target 1"] == expected["rows equal to target 1"]
    assert any(expected["rows equal to target 1"])


def test_three_is_the_same_value_however_it_is_held() -> None:
    target = {"a": 3, "b": "x"}
    pair = Pair([], [target])
    made = [
        pd.DataFrame({"a": a, "b": ["x", "y"]})
        for a in ([3, 4], [3.0, 4.0], ["3", "4"], pd.Categorical([3, 4]), [None, 3])
    ]
    _, found = learned(made, pair)
    assert found["rows equal to target 1"] == [1, 1, 1, 1, 0]
    assert label(3) == label(3.0) == label(np.int8(3)) == "3"
    assert label(None) == label(math.nan) == label(pd.NA) == ""
    assert label(True) == "True" and label(0.1) == "0.1"


def test_columns_hold_only_what_they_need_of_the_databases() -> None:
    (place,) = [k for k, name in enumerate(COLUMNS.names) if name == "rows like target 1 in size"]
    (family,) = COLUMNS.take([place]).families
    reference = family.to_json()["reference"]
    assert reference["targets"] == [{"size": "1"}, {"size": "2"}]
    assert reference["marginals"] == [] and set(reference["labels"]) == {"size"}


def test_wide_tables_get_a_bounded_number_of_columns() -> None:
    rng = np.random.default_rng(7)
    names = [f"a{k}" for k in range(60)]
    rows = [dict(zip(names, map(int, row), strict=True)) for row in rng.integers(0, 5, (20, 60))]
    columns, _ = learned([pd.DataFrame(rows)] * 2, Pair(rows[:-1], rows))
    assert 100 < len(columns) <= 200
