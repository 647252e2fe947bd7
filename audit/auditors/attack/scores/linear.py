"""A weighted sum of scaled columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns import Columns, columns_from_json, most_telling
from audit.auditors.attack.scores.scaling import Scaling, scaling_from_json
from audit.subjects.outcomes import Outcomes


@dataclass(frozen=True, eq=False)
class Linear:
    """``weights``: [columns]. The sum has no constant: thresholds do as well."""

    columns: Columns
    scaling: Scaling
    weights: NDArray[np.float64]

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], the weighted sum."""
        return self.columns.apply(self._sum, outcomes)

    def _sum(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        # Column by column: a product of matrices may round a row differently beside other rows.
        found = np.zeros(len(matrix))
        for place, (column, weight) in enumerate(zip(matrix.T, self.weights, strict=True)):
            found += weight * self.scaling.scaled(column, place)
        return found

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "score": "linear",
            "columns": self.columns.to_json(),
            "scaling": self.scaling.to_json(),
            "weights": self.weights.tolist(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Linear:
        """The score that `to_json` wrote."""
        return cls(
            columns_from_json(data["columns"]),
            scaling_from_json(data["scaling"]),
            np.array(data["weights"], np.float64),
        )

    def words(self) -> str:
        """The columns that matter most."""
        return "a weighted sum of " + most_telling(self.columns.names, abs(self.weights).tolist())
