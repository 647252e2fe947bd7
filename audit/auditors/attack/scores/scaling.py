"""Columns brought to a common scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

FARTHEST = 6.0
"""Scaled values are clipped to this size (a choice of this project: a Laplace value lies farther
out in one of some thousand runs; one that lies a thousand times farther moves no score)."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """``centres``, ``scales``: [columns] each, scales positive."""

    centres: FloatArray
    scales: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray) -> Scaling:
        """By the median and the middle half, whose width is 1.349 standard deviations of a normal.

        By the standard deviation where half of the values are the same.
        """
        if not len(matrix):
            return cls(np.zeros(matrix.shape[1]), np.ones(matrix.shape[1]))
        low, centres, high = np.quantile(matrix, [0.25, 0.5, 0.75], axis=0)
        scales = (high - low) / 1.349
        flat = scales <= 0
        scales[flat] = matrix[:, flat].std(axis=0)
        return cls(centres, np.where(scales > 0, scales, 1.0))

    def scaled(self, column: FloatArray, place: int) -> FloatArray:
        """One column, scaled."""
        far = (column - self.centres[place]) / self.scales[place]
        return np.asarray(np.clip(far, -FARTHEST, FARTHEST))

    def to_json(self) -> dict[str, Any]:
        """The scaling as plain data."""
        return {"centres": self.centres.tolist(), "scales": self.scales.tolist()}


def scaling_from_json(data: dict[str, Any]) -> Scaling:
    """The scaling that `Scaling.to_json` wrote."""
    centres, scales = (np.array(data[key], np.float64) for key in ("centres", "scales"))
    return Scaling(centres, scales)
