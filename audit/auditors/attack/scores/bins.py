"""A sum of step functions, one a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns import Columns, columns_from_json, most_telling
from audit.subjects.outcomes import Outcomes


@dataclass(frozen=True, eq=False)
class Bins:
    """``edges``: of each column, rising; ``values``: of each column, one more than edges.

    A column's value below the first edge gets the first value; one at an edge, the value above it.
    """

    columns: Columns
    edges: tuple[NDArray[np.float64], ...]
    values: tuple[NDArray[np.float64], ...]

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], the sum over columns."""
        return self.columns.apply(self._sum, outcomes)

    def _sum(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros(len(matrix))
        for column, edges, values in zip(matrix.T, self.edges, self.values, strict=True):
            found += values[np.searchsorted(edges, column, side="right")]
        return found

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "score": "bins",
            "columns": self.columns.to_json(),
            "edges": [edges.tolist() for edges in self.edges],
            "values": [values.tolist() for values in self.values],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Bins:
        """The score that `to_json` wrote; ValueError where edges and values don't fit."""
        edges = tuple(np.array(edges, np.float64) for edges in data["edges"])
        values = tuple(np.array(values, np.float64) for values in data["values"])
        for ends, steps in zip(edges, values, strict=True):
            if steps.shape != (len(ends) + 1,) or not np.isfinite(steps).all():
                raise ValueError("values are finite, one more than edges")
        return cls(columns_from_json(data["columns"]), edges, values)

    def words(self) -> str:
        """The columns that matter most."""
        spread = [float(np.ptp(values)) for values in self.values]
        return "a sum of steps in " + most_telling(self.columns.names, spread)
