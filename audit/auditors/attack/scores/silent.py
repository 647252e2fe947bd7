"""The score of those who know nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.outcomes import Outcomes


@dataclass(frozen=True)
class Silent:
    """0, whatever the outcome."""

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], 0 each."""
        return np.zeros(len(outcomes))

    def to_json(self) -> dict[str, Any]:
        """Its kind."""
        return {"score": "silent"}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Silent:
        """The score that `to_json` wrote."""
        return cls()

    def words(self) -> str:
        """The score in words."""
        return "nothing"
