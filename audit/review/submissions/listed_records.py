"""Outputs that are lists of records, as tables: what `Outcomes` holds of them, read back."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd


def as_table(text: str) -> pd.DataFrame | None:
    r"""The table of an outcome of plain data; None where that is no list of records.

    >>> text = '{"list": [{"dict": [["\\"age\\"", {"int": "0x22"}], ["\\"sex\\"", "f"]]}]}'
    >>> as_table(text).to_dict("records")
    [{'age': 34, 'sex': 'f'}]
    """
    match json.loads(text):
        case {"list": [*records]}:
            rows = [_record(record) for record in records]
        case _:
            return None
    found = [row for row in rows if row is not None]
    if len(found) < len(rows) or len({tuple(row) for row in found}) != 1:
        return None
    return pd.DataFrame(found, dtype=object)


def _record(record: Any) -> dict[str, Any] | None:
    match record:
        case {"dict": [*fields]}:
            named = {json.loads(key): _value(value) for key, value in fields}
            return named if all(isinstance(name, str) for name in named) else None
    return None


def _value(value: Any) -> Any:
    match value:
        case {"int": digits}:
            return int(digits, 16)
        case {"float": digits}:
            return float.fromhex(digits) if digits.startswith(("0x", "-0x")) else float(digits)
    return value if isinstance(value, str | bool | None) else str(value)
