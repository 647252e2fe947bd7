"""Fields: the numbers and the labels of outcomes, by name, and outcomes with some of them changed.

A field is a place that outcomes have in common: a coordinate, a column of a table, a path in nested
data (``*`` for places of lists), a number in a text. Its name begins with the outcome's kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.auditors.attack.columns.table_rows import array_width, label
from audit.subjects.outcomes import Block, Outcomes, Shape
from audit.subjects.plain_data import value

FloatArray = NDArray[np.float64]

Edit = Callable[[str, FloatArray], FloatArray]
"""What becomes of numbers of a field: as many, each a function of itself alone."""

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def numbers_by_field(outcomes: Outcomes) -> dict[str, FloatArray]:
    """The numbers of each field, those of all outcomes together, in their order."""
    found: dict[str, list[FloatArray]] = {}

    def gather(field: str, values: FloatArray) -> FloatArray:
        found.setdefault(field, []).append(values)
        return values

    edit_numbers(outcomes, gather)
    return {field: np.concatenate(parts) for field, parts in found.items()}


def edit_numbers(outcomes: Outcomes, edit: Edit) -> Outcomes:
    """The outcomes with all their numbers edited; shapes stay."""
    blocks = tuple(
        _edit_block(shape, block, edit)
        for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True)
    )
    return Outcomes(outcomes.shapes, outcomes.of, blocks)


def _edit_block(shape: Shape, block: Block, edit: Edit) -> Block:
    if isinstance(block, np.ndarray):
        return _edit_array(shape, block, edit)
    match shape.kind:
        case "table":
            return tuple(_edit_table(table, edit) for table in block)
        case "data":
            return tuple(_edit_data(text, edit) for text in block)
        case "text":
            return tuple(_edit_text(text, edit) for text in block)
    return block


def _edit_array(shape: Shape, block: FloatArray, edit: Edit) -> FloatArray:
    width = array_width(shape)
    found = np.array(block)
    for column in range(width or block.shape[1]):
        places = slice(column, None, width) if width else slice(column, column + 1)
        part = found[:, places]
        found[:, places] = edit(f"numbers {column}", part.ravel()).reshape(part.shape)
    return found


def _edit_table(table: pd.DataFrame, edit: Edit) -> pd.DataFrame:
    columns = {}
    for place, name in enumerate(table.columns):
        column = table.iloc[:, place]
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
            old = column.to_numpy()
            new = edit(f"table {name}", old.astype(np.float64))
            columns[place] = new.astype(old.dtype) if _same(old, new) else new
        else:
            columns[place] = column.to_numpy()
    found = pd.DataFrame(columns, index=table.index)
    found.columns = table.columns
    return found


def _same(old: NDArray[Any], new: FloatArray) -> bool:
    """Whether whole numbers stayed what they were, so that their type can stay, too."""
    return bool(np.array_equal(old, new, equal_nan=True))


def _edit_text(text: str, edit: Edit) -> str:
    place = -1

    def change(match: re.Match[str]) -> str:
        nonlocal place
        place += 1
        old = np.array([float(match[0])])
        new = edit(f"text {place}", old)
        return match[0] if new[0] == old[0] else repr(float(new[0]))

    return _NUMBER.sub(change, text)


def _edit_data(text: str, edit: Edit) -> str:
    def change(path: str, leaf: Any) -> Any:
        old = _leaf_number(leaf)
        if old is None:
            return leaf
        new = float(edit(f"data {path}", np.array([old]))[0])
        return leaf if new == old else {"float": new.hex() if np.isfinite(new) else repr(new)}

    return json.dumps(_walk(json.loads(text), "", change), sort_keys=True)


def _leaf_number(leaf: Any) -> float | None:
    if not isinstance(leaf, dict):
        return None
    try:
        return float(value(json.dumps(leaf)))
    except (TypeError, ValueError, OverflowError):
        return None


def _walk(data: Any, path: str, change: Callable[[str, Any], Any]) -> Any:
    """Nested data, as outcomes spell it, with each leaf changed."""
    if not isinstance(data, dict):
        return change(path, data)
    ((kind, content),) = data.items()
    if kind == "dict":
        pairs = [(key, _join(path, key_name(key)), item) for key, item in content]
        return {kind: [[key, _walk(item, at, change)] for key, at, item in pairs]}
    if kind in ("list", "tuple"):
        return {kind: [_walk(item, _join(path, "*"), change) for item in content]}
    if kind == "array":
        return {kind: [content[0], content[1], _walk(content[2], path, change)]}
    return change(path, data)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def key_name(key: str) -> str:
    """The name of a key of nested data, as outcomes spell it."""
    read = value(key)
    return read if isinstance(read, str) else json.dumps(read)


def labels_by_field(outcomes: Outcomes) -> list[frozenset[tuple[str, str]]]:
    """Of each outcome, the labels that appear in it, with their fields.

    Labels are the values of a table's columns, the keys of mappings and the texts in nested data.
    """
    found: list[frozenset[tuple[str, str]]] = [frozenset()] * len(outcomes)
    for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
        runs = np.flatnonzero(outcomes.of == place).tolist()
        if shape.kind == "table":
            for run, table in zip(runs, block, strict=True):
                found[run] = frozenset(
                    (f"table {name}", label(item))
                    for column, name in enumerate(table.columns)
                    for item in table.iloc[:, column].drop_duplicates()
                )
        elif shape.kind == "data":
            for run, text in zip(runs, block, strict=True):
                labels: set[tuple[str, str]] = set()
                _gather_labels(json.loads(text), "data", labels)
                found[run] = frozenset(labels)
    return found


def _gather_labels(data: Any, path: str, found: set[tuple[str, str]]) -> None:
    if isinstance(data, str):
        found.add((path, data))
    if not isinstance(data, dict):
        return
    ((kind, content),) = data.items()
    if kind == "dict":
        for key, item in content:
            found.add((f"{path} keys", key_name(key)))
            _gather_labels(item, f"{path}.{key_name(key)}", found)
    elif kind in ("list", "tuple"):
        for item in content:
            _gather_labels(item, f"{path}.*", found)


def keep_labels(outcomes: Outcomes, known: Mapping[str, frozenset[str]]) -> Outcomes:
    """The outcomes without labels of these fields that are not known.

    With a label goes the row of the table or the item of the list that holds it, or what stands
    under the key that it is.
    """
    blocks: list[Block] = []
    for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True):
        if shape.kind == "table":
            blocks.append(tuple(_keep_in_table(table, known) for table in block))
        elif shape.kind == "data":
            kept = (_keep_in_data(json.loads(text), "data", known) for text in block)
            blocks.append(tuple(json.dumps(data, sort_keys=True) for data in kept))
        else:
            blocks.append(block)
    return Outcomes(outcomes.shapes, outcomes.of, tuple(blocks))


def _keep_in_table(table: pd.DataFrame, known: Mapping[str, frozenset[str]]) -> pd.DataFrame:
    kept = np.ones(len(table), np.bool_)
    for place, name in enumerate(table.columns):
        wanted = known.get(f"table {name}")
        if wanted is not None:
            held = map(label, table.iloc[:, place])
            kept &= np.fromiter((text in wanted for text in held), np.bool_, len(table))
    return table[kept].reset_index(drop=True)


def _holds_unknown(data: Any, path: str, known: Mapping[str, frozenset[str]]) -> bool:
    """Whether some text in nested data, not counting keys, is not known."""
    labels: set[tuple[str, str]] = set()
    _gather_labels(data, path, labels)
    return any(
        text not in known.get(field, {text})
        for field, text in labels
        if not field.endswith(" keys")
    )


def _keep_in_data(data: Any, path: str, known: Mapping[str, frozenset[str]]) -> Any:
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    if kind == "dict":
        wanted = known.get(f"{path} keys")
        return {
            kind: [
                [key, _keep_in_data(item, f"{path}.{key_name(key)}", known)]
                for key, item in content
                if wanted is None or key_name(key) in wanted
            ]
        }
    if kind in ("list", "tuple"):
        kept = [item for item in content if not _holds_unknown(item, f"{path}.*", known)]
        return {kind: [_keep_in_data(item, f"{path}.*", known) for item in kept]}
    return data
