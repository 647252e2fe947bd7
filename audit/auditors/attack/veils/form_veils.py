"""Veils of forms: labels, columns and types, failures.

See `audit.auditors.attack.veils.veils` for what veils are.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from audit.auditors.attack.columns.fields import keep_labels, labels_by_field
from audit.auditors.attack.columns.table_rows import label
from audit.subjects.outcomes import Outcomes, Shape
from audit.subjects.pair import Pair

COMMON = 0.9
"""A label stays that appears in so many of the outcomes: of one that only one of two databases can
give, about half have it."""

MOST_LABELS = 500
"""Labels of a field that are kept at most (a rule stays below some hundred kilobytes); a field of
more has none that is common."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Drops labels that are not known: ``known``, by field. Hides which ones there are."""

    kind: ClassVar[str] = "labels"
    known: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Labels:
        """The labels that most outcomes have."""
        held = labels_by_field(outcomes)
        counts = Counter(entry for labels in held for entry in labels)
        known: dict[str, set[str]] = {field: set() for field, _ in counts}
        for (field, text), count in counts.most_common():
            if count >= COMMON * len(held) and len(known[field]) < MOST_LABELS:
                known[field].add(text)
        # Numbers that hardly recur are no categories.
        many = Counter(field for field, _ in counts)
        return cls(
            {field: frozenset(k) for field, k in known.items() if k or many[field] <= MOST_LABELS}
        )

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes with known labels alone."""
        return keep_labels(outcomes, self.known)

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind, "known": {f: sorted(known) for f, known in self.known.items()}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Labels:
        """The veil that `to_json` wrote."""
        return cls({str(f): frozenset(map(str, known)) for f, known in data["known"].items()})


@dataclass(frozen=True, eq=False)
class Forms:
    """Makes forms equal: of tables the columns and their types, of numbers how they are held.

    ``columns``: of tables, each with whether it holds numbers; empty where there are none.
    """

    kind: ClassVar[str] = "forms"
    columns: tuple[tuple[str, bool], ...]

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Forms:
        """The columns that all tables have; of numbers, where all hold numbers."""
        found: dict[str, bool] | None = None
        for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True):
            if shape.kind == "table" and len(block):
                own = {
                    str(name): bool(pd.api.types.is_numeric_dtype(block[0].iloc[:, place]))
                    for place, name in enumerate(block[0].columns)
                }
                kept = own if found is None else {n: found[n] for n in found if n in own}
                found = {name: numeric and own[name] for name, numeric in kept.items()}
        return cls(tuple((found or {}).items()))

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes in one form of each kind."""
        shapes, blocks = [], []
        for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True):
            shapes.append(self._shape(shape))
            tables = shape.kind == "table"
            blocks.append(tuple(map(self._table, block)) if tables else block)
        return Outcomes.regroup(shapes, outcomes.of, blocks)

    def _shape(self, shape: Shape) -> Shape:
        match shape.kind:
            case "numbers":
                return Shape("numbers", f"array float64 {shape.detail.rpartition(' ')[2]}")
            case "table":
                types = [
                    (name, "float64" if numeric else "object") for name, numeric in self.columns
                ]
                return Shape("table", json.dumps(types))
            case "text" | "data":
                return Shape(shape.kind, "")
        return shape

    def _table(self, table: pd.DataFrame) -> pd.DataFrame:
        columns: dict[str, Any] = {}
        names = [str(name) for name in table.columns]
        for name, numeric in self.columns:
            column = table.iloc[:, names.index(name)] if name in names else None
            if numeric:
                held = np.full(len(table), math.nan) if column is None else column
                columns[name] = pd.to_numeric(pd.Series(held), errors="coerce").astype(np.float64)
            else:
                texts = [""] * len(table) if column is None else list(map(label, column))
                columns[name] = pd.Series(texts, dtype=object)
        return pd.DataFrame(columns, index=range(len(table)))

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind, "columns": [list(column) for column in self.columns]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Forms:
        """The veil that `to_json` wrote."""
        return cls(tuple((str(name), bool(numeric)) for name, numeric in data["columns"]))


@dataclass(frozen=True, eq=False)
class Fixed:
    """A veil that is the same whatever the outcomes are."""

    kind: ClassVar[str]

    @classmethod
    def of(cls, outcomes: Outcomes, pair: Pair) -> Self:
        """It needs to know nothing."""
        return cls()

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data."""
        return {"veil": self.kind}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The veil that `to_json` wrote."""
        return cls()


@dataclass(frozen=True, eq=False)
class Failures(Fixed):
    """Makes all runs that failed one: exceptions of any type, and ends from outside."""

    kind: ClassVar[str] = "failures"

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes, all failures the same."""
        failed = Shape("raised", "")
        shapes = [failed if has_failed(shape) else shape for shape in outcomes.shapes]
        return Outcomes.regroup(shapes, outcomes.of, outcomes.blocks)


def has_failed(shape: Shape) -> bool:
    """Whether runs of this shape gave no output."""
    return shape.kind in ("raised", "ended")
