"""One column by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns import Columns, columns_from_json
from audit.subjects.outcomes import Outcomes


@dataclass(frozen=True, eq=False)
class Single:
    """``column``: the only one of its columns; ``rising``: larger values speak for the second."""

    column: Columns
    rising: bool

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], the column's value, or its negative."""
        return self.column.apply(self._signed, outcomes)

    def _signed(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        return matrix[:, 0] if self.rising else -matrix[:, 0]

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {"score": "single", "column": self.column.to_json(), "rising": self.rising}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Single:
        """The score that `to_json` wrote."""
        return cls(columns_from_json(data["column"]), bool(data["rising"]))

    def words(self) -> str:
        """What the column is."""
        return self.column.names[0] if self.rising else f"minus {self.column.names[0]}"
