"""A score for each of finitely many outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.outcomes import Outcomes


@dataclass(frozen=True, eq=False)
class Cells:
    """``codes``: [cells] of outcomes, rising; ``values``: [cells]; 0 for any other outcome.

    ``telling``: the outcomes of the largest and of the smallest value, in words.
    """

    codes: NDArray[np.uint64]
    values: NDArray[np.float64]
    telling: tuple[str, str]

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], the value of each outcome's cell."""
        codes = outcomes.codes()
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[places] == codes, self.values[places], 0.0)

    def to_json(self) -> dict[str, Any]:
        """The score as plain data; codes in hexadecimal, as JSON's numbers hold 53 bits."""
        return {
            "score": "cells",
            "codes": [f"{code:016x}" for code in self.codes.tolist()],
            "values": self.values.tolist(),
            "telling": list(self.telling),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cells:
        """The score that `to_json` wrote; ValueError where codes don't rise or lack values."""
        codes = np.array([int(code, 16) for code in data["codes"]], np.uint64)
        values = np.array(data["values"], np.float64)
        if codes.shape != values.shape or (codes[1:] <= codes[:-1]).any():
            raise ValueError("codes rise, and have a value each")
        if not np.isfinite(values).all():
            raise ValueError("values are finite")
        first, second = data["telling"]
        return cls(codes, values, (first, second))

    def words(self) -> str:
        """Which outcomes tell most."""
        high, low = self.telling
        return f"which of {len(self.codes)} outputs it is, from {low} to {high}"
