"""Tables as bytes that hold plain data alone, so that those of a stranger's process can be read.

A head in JSON says what each column is; numbers, dates and the like follow as they lie in memory.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MOST_ROWS = 2**26
"""The most rows of a table (a byte each is what is sent of an output)."""

_HEAD = struct.Struct("<Q")

_FIXED = re.compile(r"[<>|=][biufcmM]\d{1,2}(\[\d{0,6}[a-z]{1,2}\])?")
"""Types of numpy whose values are their bytes, none of which is an address."""

_MASKED = re.compile(r"(U?Int(8|16|32|64)|Float(32|64)|boolean)")
"""Types of pandas that are numbers beside a mask of what is missing."""

_KNOWN = sys.stdlib_module_names | {"numpy", "pandas", "pyarrow"}
"""Packages whose values have a text that says what they are."""

_MOST_DIGITS = 18
"""The digits that a whole number may have in JSON; a larger one is hexadecimal text."""

_DEEPEST = 50
"""The most collections in one another in a cell."""

_AS_THEY_ARE = {str, bool, float, type(None)}
"""Types of cells that JSON tells apart."""


def write_table(table: pd.DataFrame) -> bytes:
    """A table as bytes, without its index; raises ValueError where it is nested too deeply.

    Values that are no numbers, texts, dates or collections of these are told by their text, and
    those of the user's own classes by the name of their type.
    """
    arrays: list[bytes] = []
    columns = [_column(table.iloc[:, place], arrays) for place in range(table.shape[1])]
    names = [_cell(name) for name in table.columns]
    head = {"rows": len(table), "names": names, "columns": columns}
    written = json.dumps(head).encode("ascii")
    return b"".join([_HEAD.pack(len(written)), written, *arrays])


def read_table(content: bytes) -> pd.DataFrame:
    """The table; raises an exception of any kind for bytes that are none.

    Guarantee
    ---------
    Nothing of the bytes is run: what is made of them are numbers, texts, dates and collections of
    these. Backed by ``tests/audit/subjects/test_plain_tables.py``.
    """
    (length,) = _HEAD.unpack_from(content)
    head = json.loads(content[_HEAD.size : _HEAD.size + length])
    rows, names = head["rows"], [_value(name) for name in head["names"]]
    if type(rows) is not int or not 0 <= rows <= MOST_ROWS or len(names) != len(head["columns"]):
        raise ValueError("no table")
    for name in names:
        hash(name)
    source = _Arrays(content, _HEAD.size + length)
    columns = {place: _series(said, rows, source) for place, said in enumerate(head["columns"])}
    source.require_end()
    table = pd.DataFrame(columns, index=pd.RangeIndex(rows))
    # Tuples may be those of an index of several levels; texts may be none that Arrow takes.
    levels = any(isinstance(name, tuple) for name in names)
    table.columns = pd.Index(names, dtype=None if levels else object)
    return table


class _Arrays:
    """The arrays that follow a head, one after the other."""

    def __init__(self, content: bytes, start: int) -> None:
        self._content = content
        self._place = start

    def next(self, kind: str, rows: int) -> NDArray[Any]:
        if not _FIXED.fullmatch(kind):
            raise ValueError("no type of numbers")
        dtype = np.dtype(kind)
        found = (
            np.frombuffer(self._content, dtype, rows, self._place) if rows else np.empty(0, dtype)
        )
        self._place += rows * dtype.itemsize
        return found.copy()

    def require_end(self) -> None:
        if self._place != len(self._content):
            raise ValueError("more than a table")


def _column(column: pd.Series, arrays: list[bytes]) -> list[Any]:
    """What a column is; its numbers go to ``arrays``."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        if _FIXED.fullmatch(dtype.str):
            arrays.append(column.to_numpy().tobytes())
            return ["array", dtype.str]
    elif isinstance(dtype, pd.StringDtype):
        return ["text", dtype.na_value is pd.NA, _cells(column)]
    elif isinstance(dtype, pd.CategoricalDtype):
        codes, categories = column.cat.codes.to_numpy(), pd.Series(dtype.categories)
        parts = [codes.tobytes()]
        own = _column(categories, parts)
        # Others may be told by one text, which no two categories can be.
        if own[0] != "cells" or len({cell for cell in own[1] if type(cell) is str}) == len(own[1]):
            arrays += parts
            return ["category", codes.dtype.str, bool(dtype.ordered), len(categories), own]
    elif _MASKED.fullmatch(str(dtype)):
        plain = np.dtype(str(dtype).lower().replace("boolean", "bool"))
        arrays.append(column.to_numpy(plain, na_value=plain.type(0)).tobytes())
        arrays.append(column.isna().to_numpy().tobytes())
        return ["masked", plain.str]
    return ["cells", _cells(column)]


def _series(said: list[Any], rows: int, source: _Arrays) -> pd.Series:
    match said:
        case ["array", str(kind)]:
            return pd.Series(source.next(kind, rows))
        case ["text", bool(nullable), [*cells]] if len(cells) == rows:
            missing = pd.NA if nullable else np.nan
            return pd.Series(
                [_text(cell) for cell in cells], dtype=pd.StringDtype(na_value=missing)
            )
        case ["category", str(kind), bool(ordered), int(number), own] if 0 <= number <= MOST_ROWS:
            codes = source.next(kind, rows)
            categories = pd.Index(_series(own, number, source))
            return pd.Series(pd.Categorical.from_codes(codes, categories, ordered))
        case ["masked", str(kind)]:
            return pd.Series(_mask(source.next(kind, rows), source.next("|b1", rows)))
        case ["cells", [*cells]] if len(cells) == rows:
            values = np.empty(rows, object)
            for place, cell in enumerate(cells):
                values[place] = _value(cell)
            return pd.Series(values, dtype=object)
    raise ValueError("no column")


def _mask(values: NDArray[Any], mask: NDArray[Any]) -> Any:
    kinds = {
        "b": pd.arrays.BooleanArray,
        "i": pd.arrays.IntegerArray,
        "u": pd.arrays.IntegerArray,
        "f": pd.arrays.FloatingArray,
    }
    return kinds[values.dtype.kind](values, mask)


def _text(cell: Any) -> str | None:
    if cell is None or type(cell) is str:
        return cell
    if cell == {"missing": "NA"} or cell != cell:
        return None
    raise ValueError("no text")


def _cells(column: pd.Series) -> list[Any]:
    values = column.astype(object).tolist()
    return values if set(map(type, values)) <= _AS_THEY_ARE else [_cell(value) for value in values]


def _cell(value: Any, depth: int = 0) -> Any:
    """A value as JSON: itself, or an object of one key that says what it is."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if depth > _DEEPEST:
        raise ValueError("a cell is nested too deeply")
    if kind is int:
        return value if abs(value) < 10**_MOST_DIGITS else {"int": hex(value)}
    if value is pd.NA or value is pd.NaT:
        return {"missing": "NA" if value is pd.NA else "NaT"}
    if kind in (list, tuple, set, frozenset):
        return {kind.__name__: [_cell(item, depth + 1) for item in value]}
    if kind is dict:
        pairs = value.items()
        return {"dict": [[_cell(key, depth + 1), _cell(item, depth + 1)] for key, item in pairs]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if isinstance(value, np.generic) and _FIXED.fullmatch(value.dtype.str):
        return {"number": [value.dtype.str, value.tobytes().hex()]}
    if isinstance(value, np.ndarray) and _FIXED.fullmatch(value.dtype.str):
        return {"array": [value.dtype.str, list(value.shape), value.tobytes().hex()]}
    owner = value if isinstance(value, type) or callable(value) else kind
    module = str(getattr(owner, "__module__", None) or "builtins")
    return str(value) if module.partition(".")[0] in _KNOWN else kind.__name__


def _value(cell: Any, depth: int = 0) -> Any:
    if not isinstance(cell, dict | list):
        return cell
    if depth > _DEEPEST:
        raise ValueError("a cell is nested too deeply")
    match cell:
        case {"int": str(digits)}:
            return int(digits, 16)
        case {"missing": name}:
            return pd.NA if name == "NA" else pd.NaT
        case {"list": [*items]}:
            return [_value(item, depth + 1) for item in items]
        case {"tuple": [*items]}:
            return tuple(_value(item, depth + 1) for item in items)
        case {"set": [*items]}:
            return {_value(item, depth + 1) for item in items}
        case {"frozenset": [*items]}:
            return frozenset(_value(item, depth + 1) for item in items)
        case {"dict": [*items]}:
            return {_value(k, depth + 1): _value(item, depth + 1) for k, item in items}
        case {"bytes": str(digits)}:
            return bytes.fromhex(digits)
        case {"number": [str(kind), str(digits)]}:
            (number,) = _array(kind, [1], digits)
            return number
        case {"array": [str(kind), [*lengths], str(digits)]}:
            return _array(kind, lengths, digits)
    raise ValueError("no cell")


def _array(kind: str, lengths: list[Any], digits: str) -> NDArray[Any]:
    if not _FIXED.fullmatch(kind) or any(type(n) is not int or n < 0 for n in lengths):
        raise ValueError("no array")
    return np.frombuffer(bytes.fromhex(digits), np.dtype(kind)).reshape(lengths).copy()
