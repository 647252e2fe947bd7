"""Tables as plain bytes: what comes back is what was sent, and a stranger's bytes run nothing."""

from __future__ import annotations

import builtins
import datetime
import json
import pickle
import random
import struct
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.subjects.plain_tables import read_table
from audit.subjects.writing import write_table
from tests.audit.subjects.hostile_functions import Frame, Intruder, Mine

DAYS = pd.date_range("2020-01-01", periods=3)

SAME = {
    "whole numbers": {"a": [1, 2], "b": np.array([1, 2], "int8"), "c": np.array([1, 2], "uint16")},
    "floats": {"a": [0.1, -0.0, np.nan], "b": np.array([0.1, np.inf, 0], "float32")},
    "halves": {"a": np.array([0.5], "float16"), "b": np.array([1], "longdouble")},
    "truth": {"a": [True, False]},
    "complex numbers": {"a": [1 + 2j]},
    "texts": {"a": ["x", None, 'y,"z"'], "b": pd.Series(["\ud800"] * 3, dtype=object)},
    "nullable texts": {"a": pd.array(["x", None], dtype="string")},
    "missing": {"a": pd.array([1, None], "Int64"), "b": pd.array([True, None], "boolean")},
    "missing floats": {"a": pd.array([0.5, None], "Float32"), "b": pd.array([1, None], "UInt8")},
    "dates": {"a": DAYS, "b": DAYS - DAYS[0]},
    "categories": {"a": pd.Categorical(["b", None, "a"], ["b", "a"], ordered=True)},
    "numbers of categories": {"a": pd.Categorical([3, 1, 3])},
    "no rows": {"a": [], "b": pd.Series([], dtype=str)},
    "names": {0: [1], "a": [2], (1, "b"): [3], None: [4]},
}


def objects(cells: list[Any]) -> pd.DataFrame:
    """A table of one column that holds objects as they are."""
    values = np.empty(len(cells), object)
    for place, cell in enumerate(cells):
        values[place] = cell
    return pd.DataFrame({"a": pd.Series(values, dtype=object)})


@pytest.mark.parametrize("name", SAME)
def test_a_table_of_plain_types_comes_back_as_it_was(name: str) -> None:
    table = pd.DataFrame(SAME[name])
    found = read_table(write_table(table))
    pd.testing.assert_frame_equal(found, table, check_column_type=False)
    assert found.to_csv(index=False) == table.to_csv(index=False)
    found.iloc[0:1] = found.iloc[0:1]  # it can be changed


def test_bits_of_numbers_are_kept() -> None:
    bits = np.array([0x7FF8DEAD0000BEEF, 1 << 63, 0xFFF0000000000001], np.uint64)
    found = read_table(write_table(pd.DataFrame({"a": bits.view(np.float64)})))
    assert found["a"].to_numpy().view(np.uint64).tolist() == bits.tolist()


CELLS: list[Any] = [
    *(1, -(10**40), True, None, 0.1, -0.0, "x", "\ud800", b"\xff", 1 + 2j),
    *(np.float32(0.1), np.int64(3), np.bool_(True), np.float64(2.5)),
    *((1, "a"), [1, [2.5, None]], {"k": (1,), 2: {}}, {1}, frozenset([2])),
]


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_a_cell_of_plain_data_comes_back_with_its_type(cell: Any) -> None:
    found = read_table(write_table(objects([cell])))["a"][0]
    assert found == cell or str(found) == str(cell)
    assert type(found) is type(cell) or isinstance(cell, complex)


def test_what_is_not_plain_is_told_by_its_text_or_the_name_of_its_type() -> None:
    others = [Decimal("1.0"), datetime.date(2020, 1, 2), Mine(), [Mine()], pd.NA, pd.NaT, Mine]
    found = read_table(write_table(Frame(objects(others))))
    expected = ["1.0", "2020-01-02", "Mine", ["Mine"], pd.NA, pd.NaT, "type"]
    assert list(map(repr, found["a"])) == list(map(repr, expected))
    assert type(found) is pd.DataFrame


@pytest.mark.parametrize(
    "column",
    [
        pd.cut([1, 9], [0, 5, 10]),
        DAYS.tz_localize("UTC"),
        pd.period_range("2020-01", periods=2, freq="M"),
        pd.arrays.SparseArray([0, 1]),
        pd.Categorical([Mine(), Mine()]),
    ],
)
def test_columns_of_other_types_have_the_texts_of_their_values(column: Any) -> None:
    table = pd.DataFrame({"a": column})
    found = read_table(write_table(table))["a"]
    if not isinstance(table["a"].iloc[0], Mine):
        assert list(map(str, found)) == list(map(str, table["a"]))


def test_a_cell_that_is_nested_too_deeply_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        write_table(objects([deep]))


def bytes_of(document: Any, rest: bytes = b"") -> bytes:
    head = json.dumps(document).encode()
    return struct.pack("<Q", len(head)) + head + rest


CATEGORY = ["category", "|i1", False, 1, ["cells", ["x"]]]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        pickle.dumps(Intruder()),
        bytes_of([]),
        bytes_of({"rows": 1}),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["array", "|O"]]}, b"\0" * 8),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["array", "O,f8"]]}, b"\0" * 16),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["array", "<f8"]]}, b"\0" * 7),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["array", "<f8"]]}, b"\0" * 9),
        bytes_of({"rows": 2**60, "names": [], "columns": []}),
        bytes_of({"rows": -1, "names": [], "columns": []}),
        bytes_of({"rows": True, "names": ["a"], "columns": [["cells", [1]]]}),
        bytes_of({"rows": 1, "names": [{"list": []}], "columns": [["cells", [1]]]}),
        bytes_of({"rows": 1, "names": ["a", "b"], "columns": [["cells", [1]]]}),
        bytes_of({"rows": 2, "names": ["a"], "columns": [["cells", [1]]]}),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["cells", [{"object": 1}]]]}),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["cells", [{"number": ["|O8", "00"]}]]]}),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["text", True, [1]]]}),
        bytes_of(
            {
                "rows": 1,
                "names": ["a"],
                "columns": [["category", "|i1", False, 1, ["cells", ["x"]]]],
            },
            b"\x05",
        ),
        bytes_of({"rows": 1, "names": ["a"], "columns": [["masked", "<c8"]]}, b"\0" * 9),
    ],
)
def test_bytes_that_are_no_table_are_refused(content: bytes) -> None:
    with pytest.raises(Exception, match=r"."):
        read_table(content)
    assert not hasattr(builtins, "intruded")


def test_bytes_that_were_altered_are_a_table_or_refused() -> None:
    tables = [write_table(pd.DataFrame(table)) for table in SAME.values()]
    chosen = random.Random(1)
    for _ in range(2000):
        content = bytearray(chosen.choice(tables))
        for _ in range(chosen.randint(1, 3)):
            content[chosen.randrange(len(content))] = chosen.randrange(256)
        try:
            found = read_table(bytes(content))
        except Exception:
            continue
        assert type(found) is pd.DataFrame
        found.to_csv(index=False)
