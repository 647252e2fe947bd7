"""Outputs as plain data: what is told of them to another process.

The standard library alone, and numpy and pandas only where the output is theirs: an interpreter of
another environment uses it, too, which has other versions of them, or neither.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Callable
from typing import Any

_HEAD = struct.Struct("<Q")

_FIXED = re.compile(r"[<>|=][biufcmM]\d{1,2}(\[\d{0,6}[a-z]{1,2}\])?")
"""Types of numpy whose values are their bytes, none of which is an address."""

_MASKED = re.compile(r"(U?Int(8|16|32|64)|Float(32|64)|boolean)")
"""Types of pandas that are numbers beside a mask of what is missing."""

_KNOWN = {"numpy", "pandas", "pyarrow", *getattr(sys, "stdlib_module_names", ("datetime",))}
"""Packages whose values have a text that says what they are."""

_MOST_DIGITS = 18
"""The digits that a whole number may have in JSON; a larger one is hexadecimal text."""

_DEEPEST = 50
"""The most collections in one another in a cell."""

_AS_THEY_ARE = {str, bool, float, type(None)}
"""Types of cells that JSON tells apart."""


def write_table(table: Any) -> bytes:
    """A table as bytes, without its index; raises ValueError where it is nested too deeply.

    Values that are no numbers, texts, dates or collections of these are told by their text, and
    those of the user's own classes by the name of their type. ``table``: a data frame of whichever
    pandas this process has.
    """
    arrays: list[bytes] = []
    columns = [_column(table.iloc[:, place], arrays) for place in range(table.shape[1])]
    names = [_cell(name) for name in table.columns]
    head = {"rows": len(table), "names": names, "columns": columns}
    written = json.dumps(head).encode("ascii")
    return b"".join([_HEAD.pack(len(written)), written, *arrays])


def _column(column: Any, arrays: list[bytes]) -> list[Any]:
    """What a column is; its numbers go to ``arrays``."""
    np, pd = sys.modules["numpy"], sys.modules["pandas"]
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


def _cells(column: Any) -> list[Any]:
    values = column.astype(object).tolist()
    return values if set(map(type, values)) <= _AS_THEY_ARE else [_cell(value) for value in values]


def write_value(value: Any) -> bytes:
    """An output as JSON, which `audit.subjects.plain_tables.read_value` reads.

    What is no number, text or collection of these, nor an array, is told by the name of its type;
    raises ValueError where it is nested too deeply, or in itself.
    """
    return json.dumps(_cell(value, 0, _base_or_type)).encode("ascii")


def _cell(value: Any, depth: int = 0, otherwise: Callable[[Any, int], Any] | None = None) -> Any:
    """A value as JSON: itself, or an object of one key that says what it is.

    ``otherwise``: what is said of other values; by default, their text.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if depth > _DEEPEST:
        raise ValueError("a cell is nested too deeply")
    if kind is int:
        return value if abs(value) < 10**_MOST_DIGITS else {"int": hex(value)}
    np, pd = sys.modules.get("numpy"), sys.modules.get("pandas")
    if pd is not None and (value is pd.NA or value is pd.NaT):
        return {"missing": "NA" if value is pd.NA else "NaT"}

    def inner(item: Any) -> Any:
        return _cell(item, depth + 1, otherwise)

    if kind in (list, tuple, set, frozenset):
        return {kind.__name__: [inner(item) for item in value]}
    if kind is dict:
        return {"dict": [[inner(key), inner(item)] for key, item in value.items()]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if np is not None and isinstance(value, np.generic) and _FIXED.fullmatch(value.dtype.str):
        return {"number": [value.dtype.str, value.tobytes().hex()]}
    if np is not None and isinstance(value, np.ndarray) and _FIXED.fullmatch(value.dtype.str):
        return {"array": [value.dtype.str, list(value.shape), value.tobytes().hex()]}
    return _text_of(value) if otherwise is None else otherwise(value, depth)


def _text_of(value: Any) -> str:
    """What a cell of a table says of itself, if its class is no stranger's."""
    owner = value if isinstance(value, type) or callable(value) else type(value)
    module = str(getattr(owner, "__module__", None) or "builtins")
    return str(value) if module.partition(".")[0] in _KNOWN else type(value).__name__


_BASES: tuple[type[Any], ...] = (int, float, str, bytes, list, tuple, set, frozenset, dict)


def _base_or_type(value: Any, depth: int) -> Any:
    """An array of texts or objects; a value of a derived class as one of its base; or a type."""
    np = sys.modules.get("numpy")
    if np is not None and isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        items = [_cell(item, depth + 1, _base_or_type) for item in value.ravel().tolist()]
        return {"items": [value.dtype.str, list(value.shape), items]}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    for base in _BASES:
        if isinstance(value, base):
            return _cell(base(value), depth, _base_or_type)
    return {"other": type(value).__name__}
