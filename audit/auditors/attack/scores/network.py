"""A small neural network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns import Columns, columns_from_json, most_telling
from audit.auditors.attack.scores.scaling import Scaling, scaling_from_json
from audit.subjects.outcomes import Outcomes

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """``layers``: weights [inputs, outputs] and constants [outputs] of each, the last with one.

    All but the last keep what is positive (rectified linear units).
    """

    columns: Columns
    scaling: Scaling
    layers: tuple[tuple[FloatArray, FloatArray], ...]

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the output of the last layer."""
        return self.columns.apply(self._output, outcomes)

    def _output(self, matrix: FloatArray) -> FloatArray:
        # Input by input: a product of matrices may round a row differently beside other rows.
        values = [self.scaling.scaled(column, place) for place, column in enumerate(matrix.T)]
        for number, (weights, constants) in enumerate(self.layers):
            found = []
            for output, constant in enumerate(constants.tolist()):
                total = np.full(len(matrix), constant)
                for value, weight in zip(values, weights[:, output].tolist(), strict=True):
                    total += weight * value
                last = number == len(self.layers) - 1
                found.append(total if last else np.maximum(total, 0.0))
            values = found
        return values[0]

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        layers = [[weights.tolist(), constants.tolist()] for weights, constants in self.layers]
        return {
            "score": "network",
            "columns": self.columns.to_json(),
            "scaling": self.scaling.to_json(),
            "layers": layers,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Network:
        """The score that `to_json` wrote."""
        layers = [
            (np.array(weights, np.float64), np.array(constants, np.float64))
            for weights, constants in data["layers"]
        ]
        scaling = scaling_from_json(data["scaling"])
        return cls(columns_from_json(data["columns"]), scaling, tuple(layers))

    def words(self) -> str:
        """The columns that matter most: by the size of what leads from them to the output."""
        reach = abs(self.layers[0][0])
        for weights, _ in self.layers[1:]:
            reach = reach @ abs(weights)
        return "a network on " + most_telling(self.columns.names, reach[:, 0].tolist())
