"""Tables and values as bytes that hold plain data alone, so that a stranger's can be read.

Of a table, a head in JSON says what each column is; numbers, dates and the like follow as they lie
in memory. `audit.subjects.writing` writes them.
"""

from __future__ import annotations

import json
import re
import struct
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MOST_ROWS = 2**26
"""The most rows of a table (a byte each is what is sent of an output)."""

_HEAD = struct.Struct("<Q")

_FIXED = re.compile(r"[<>|=][biufcmM]\d{1,2}(\[\d{0,6}[a-z]{1,2}\])?")
"""Types of numpy whose values are their bytes, none of which is an address."""

_ITEMS = re.compile(r"\|O|[<>]U\d{1,6}")
"""Types of numpy whose values are objects, or texts."""

_DEEPEST = 50
"""The most collections in one another in a cell."""

_LONGEST_NAME = 500
"""The most characters of the name of a type."""


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


def read_value(content: bytes) -> Any:
    """The output that a process told as JSON; raises an exception of any kind for other bytes.

    Guarantee
    ---------
    As of `read_table`; of an object of any other class, nothing is known but the name of its type.
    Backed by ``tests/audit/subjects/test_plain_tables.py``.
    """
    return _value(json.loads(content))


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
    return _only_an_output(cell, depth)


def _only_an_output(cell: Any, depth: int) -> Any:
    """What is told of an output, and never of a cell of a table."""
    match cell:
        case {"items": [str(kind), [*lengths], [*items]]} if _ITEMS.fullmatch(kind):
            values = [_value(item, depth + 1) for item in items]
            if kind != "|O":
                return np.array([_only_text(one) for one in values], kind).reshape(lengths)
            found = np.empty(len(values), object)
            found[:] = values
            return found.reshape(lengths)
        case {"complex": [float(real), float(imaginary)]}:
            return complex(real, imaginary)
        case {"other": str(name)} if len(name) <= _LONGEST_NAME and name.isprintable():
            # An object that nothing is known of but the name of its type.
            return type(name, (), {})()
    raise ValueError("no cell")


def _only_text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("no text")
    return value


def _array(kind: str, lengths: list[Any], digits: str) -> NDArray[Any]:
    if not _FIXED.fullmatch(kind) or any(type(n) is not int or n < 0 for n in lengths):
        raise ValueError("no array")
    return np.frombuffer(bytes.fromhex(digits), np.dtype(kind)).reshape(lengths).copy()
