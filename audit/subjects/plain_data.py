"""Plain nested data, read back from the text that stands for it in outcomes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any


def value(text: str) -> Any:
    """The data that a text of kind "data" stands for: lists, mappings, numbers, text, None."""
    return _value(json.loads(text))


def leaves(text: str) -> dict[str, float]:
    """The numbers in nested data, by their paths, such as "age.mean" or "0.1"."""
    found: dict[str, float] = {}
    _gather(value(text), "", found)
    return found


def records(text: str, attributes: Sequence[str]) -> list[dict[str, Any]] | None:
    """The data as records: a list of mappings, or of lists as long as there are attributes.

    None where it is anything else, or its items hold further structure.
    """
    rows = value(text)
    if not isinstance(rows, list) or not rows:
        return None
    if all(isinstance(row, list) and len(row) == len(attributes) for row in rows):
        rows = [dict(zip(attributes, row, strict=True)) for row in rows]
    if not all(isinstance(row, dict) for row in rows):
        return None
    nested = any(isinstance(item, dict | list) for row in rows for item in row.values())
    return None if nested else [{str(key): item for key, item in row.items()} for row in rows]


def _value(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    match kind:
        case "int":
            return int(content, 16)
        case "float":
            return float.fromhex(content)
        case "dict":
            return {_key(_value(json.loads(key))): _value(item) for key, item in content}
        case "set":
            return sorted((_value(json.loads(item)) for item in content), key=str)
        case "array":
            return _value(content[2])
    return [_value(item) for item in content]


def _key(key: Any) -> Any:
    return key if not isinstance(key, dict | list) else json.dumps(key)


def _gather(data: Any, path: str, found: dict[str, float]) -> None:
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        for key, item in pairs:
            _gather(item, f"{path}.{key}" if path else str(key), found)
    elif isinstance(data, bool | int | float):
        try:
            found[path or "."] = float(data)
        except OverflowError:
            found[path or "."] = math.inf if data > 0 else -math.inf
