"""Veils of rows: how many there are, and their order.

See `audit.auditors.attack.veils.veils` for what veils are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.auditors.attack.columns.table_rows import array_width, label
from audit.auditors.attack.veils.form_veils import Fixed
from audit.subjects.outcomes import Block, Outcomes, Shape
from audit.subjects.pair import Pair


@dataclass(frozen=True, eq=False)
class Rows:
    """Brings rows of outputs to one number, evenly chosen. Hides how many there are.

    Rows are those of tables, of arrays and of lists in nested data.
    """

    kind: ClassVar[str] = "rows"
    size: int

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Rows:
        """The smallest number of rows above 0 that some outcome has."""
        sizes = [size for size in row_counts(outcomes).tolist() if size > 0]
        return cls(min(sizes, default=0))

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes with so many rows; those without any stay."""
        shapes: list[Shape] = []
        blocks: list[Block] = []
        for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True):
            rows = _array_rows(shape)
            if isinstance(block, np.ndarray) and rows:
                width = block.shape[1] // rows
                taken = block.reshape(-1, rows, width)[:, self._places(rows)]
                block = taken.reshape(len(block), self.size * width)
                head, _, lengths = shape.detail.rpartition(" ")
                told = "x".join([str(self.size), *lengths.split("x")[1:]])
                shape = Shape("numbers", f"{head} {told}")
            elif shape.kind == "table":
                block = tuple(
                    t.iloc[self._places(len(t))].reset_index(drop=True) if len(t) else t
                    for t in block
                )
            elif shape.kind == "data":
                block = tuple(self._data(text) for text in block)
            shapes.append(shape)
            blocks.append(block)
        return Outcomes.regroup(shapes, outcomes.of, blocks)

    def _places(self, rows: int) -> NDArray[np.intp]:
        return np.arange(self.size) * rows // max(self.size, 1)

    def _data(self, text: str) -> str:
        data = json.loads(text)
        rows = _list_of(data)
        if not rows:
            return text
        kept = [rows[place] for place in self._places(len(rows)).tolist()]
        return json.dumps({next(iter(data)): kept}, sort_keys=True)

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind, "size": self.size}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rows:
        """The veil that `to_json` wrote; ValueError for a number that is none."""
        size = int(data["size"])
        if not 0 <= size <= 10**7:
            raise ValueError("rows are a number of at least 0")
        return cls(size)


def row_counts(outcomes: Outcomes) -> NDArray[np.intp]:
    """[runs], how many rows each output has; -1 where it has none by its form."""
    found = np.full(len(outcomes), -1, np.intp)
    for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
        if isinstance(block, np.ndarray):
            lengths = shape.detail.rpartition(" ")[2]
            listed = "x" in lengths or lengths != "1" or block.shape[1] != 1
            found[outcomes.of == place] = int(lengths.split("x")[0]) if listed else -1
        elif shape.kind == "table":
            found[outcomes.of == place] = [len(table) for table in block]
        elif shape.kind == "data":
            lists = [_list_of(json.loads(text)) for text in block]
            found[outcomes.of == place] = [-1 if rows is None else len(rows) for rows in lists]
    return found


def _array_rows(shape: Shape) -> int:
    """The rows of an array, or the length of a list of numbers; 0 for a single one."""
    if shape.kind != "numbers":
        return 0
    lengths = shape.detail.rpartition(" ")[2].split("x")
    return int(lengths[0]) if lengths != ["1"] else 0


def _list_of(data: Any) -> list[Any] | None:
    """The items of nested data that are a list, as outcomes spell it."""
    if not isinstance(data, dict):
        return None
    ((kind, content),) = data.items()
    return content if kind in ("list", "tuple") else None


@dataclass(frozen=True, eq=False)
class Sorted(Fixed):
    """Sorts the rows of tables, of arrays with two axes, and of lists in nested data."""

    kind: ClassVar[str] = "sorted"

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes with their rows in an order of their own."""
        blocks: list[Block] = []
        for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True):
            width = array_width(shape)
            if isinstance(block, np.ndarray) and width:
                rows = (row.reshape(-1, width) for row in block)
                kept = [row[np.lexsort(row.T[::-1])].ravel() for row in rows]
                block = np.array(kept).reshape(block.shape)
            elif shape.kind == "table":
                block = tuple(map(_sort_table, block))
            elif shape.kind == "data":
                block = tuple(map(_sort_data, block))
            blocks.append(block)
        return Outcomes(outcomes.shapes, outcomes.of, tuple(blocks))


def _sort_table(table: pd.DataFrame) -> pd.DataFrame:
    held = [list(map(label, table.iloc[:, place])) for place in range(table.shape[1])]
    rows = list(zip(*held, strict=True))
    order = sorted(range(len(rows)), key=rows.__getitem__)
    return table.take(order).reset_index(drop=True)


def _sort_data(text: str) -> str:
    data = json.loads(text)
    rows = _list_of(data)
    if rows is None:
        return text
    ordered = sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
    return json.dumps({next(iter(data)): ordered}, sort_keys=True)
