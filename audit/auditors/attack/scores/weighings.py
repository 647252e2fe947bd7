"""Scores that weigh columns: sums of steps, of scaled values, and small networks of these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from audit.auditors.attack.columns.columns import OutcomeColumns, columns_from_json
from audit.auditors.attack.scores.simple_scores import FloatArray, Plain, read_finite
from audit.subjects.outcomes import Outcomes

FARTHEST = 6.0
"""Scaled values are clipped to this size: a Laplace value lies farther out in one of some thousand
runs; one that lies a thousand times farther moves no score."""


@dataclass(frozen=True, eq=False)
class Weighing(Plain, ABC):
    """A score that is a function of some columns."""

    columns: OutcomeColumns

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], a number for each row of the columns."""
        return self.columns.apply(self.of_rows, outcomes)

    @abstractmethod
    def of_rows(self, matrix: FloatArray) -> FloatArray:
        """[runs], of the columns' values [runs, columns]."""

    @abstractmethod
    def weigh_columns(self) -> list[float]:
        """[columns], how far each can move the score, at least 0; for whoever tells of it."""


@dataclass(frozen=True, eq=False)
class Bins(Weighing):
    """A sum of step functions, one a column.

    ``edges``: of each column, rising; ``values``: of each column, one more than edges.
    A column's value below the first edge gets the first value; one at an edge, the value above it.
    """

    kind = "bins"
    edges: tuple[FloatArray, ...]
    values: tuple[FloatArray, ...]

    def of_rows(self, matrix: FloatArray) -> FloatArray:
        """[runs], the sum over columns."""
        total = np.zeros(len(matrix))
        for column, edges, values in zip(matrix.T, self.edges, self.values, strict=True):
            total += values[np.searchsorted(edges, column, side="right")]
        return total

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote; ValueError where edges and values don't fit."""
        edges = tuple(np.array(edges, np.float64) for edges in data["edges"])
        values = tuple(map(read_finite, data["values"]))
        for ends, steps in zip(edges, values, strict=True):
            if steps.shape != (len(ends) + 1,):
                raise ValueError("values are one more than edges")
        return cls(columns_from_json(data["columns"]), edges, values)

    def weigh_columns(self) -> list[float]:
        """[columns], the height of each one's steps."""
        return [float(np.ptp(values)) for values in self.values]


@dataclass(frozen=True, eq=False)
class Scaling:
    """Columns brought to a common scale.

    ``centres``, ``scales``: [columns] each, scales positive.
    """

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

    def scale_column(self, column: FloatArray, place: int) -> FloatArray:
        """One column, scaled."""
        far = (column - self.centres[place]) / self.scales[place]
        return np.asarray(np.clip(far, -FARTHEST, FARTHEST))

    def to_json(self) -> dict[str, Any]:
        """The scaling as plain data."""
        return {"centres": self.centres.tolist(), "scales": self.scales.tolist()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Scaling:
        """The scaling that `to_json` wrote."""
        return cls(*(np.array(data[key], np.float64) for key in ("centres", "scales")))


@dataclass(frozen=True, eq=False)
class Linear(Weighing):
    """A weighted sum of scaled columns.

    ``weights``: [columns]. The sum has no constant: thresholds do as well.
    """

    kind = "linear"
    scaling: Scaling
    weights: FloatArray

    def of_rows(self, matrix: FloatArray) -> FloatArray:
        """[runs], the weighted sum."""
        # Column by column: a product of matrices may round a row differently beside other rows.
        total = np.zeros(len(matrix))
        for place, (column, weight) in enumerate(zip(matrix.T, self.weights, strict=True)):
            total += weight * self.scaling.scale_column(column, place)
        return total

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        weights = np.array(data["weights"], np.float64)
        return cls(columns_from_json(data["columns"]), Scaling.from_json(data["scaling"]), weights)

    def weigh_columns(self) -> list[float]:
        """[columns], the size of their weights."""
        return [abs(weight) for weight in self.weights.tolist()]


@dataclass(frozen=True, eq=False)
class Network(Weighing):
    """A small neural network.

    ``layers``: weights [inputs, outputs] and constants [outputs] of each, the last with one.
    All but the last keep what is positive (rectified linear units).
    """

    kind = "network"
    scaling: Scaling
    layers: tuple[tuple[FloatArray, FloatArray], ...]

    def of_rows(self, matrix: FloatArray) -> FloatArray:
        """[runs], the output of the last layer."""
        # Input by input: a product of matrices may round a row differently beside other rows.
        values = [self.scaling.scale_column(column, place) for place, column in enumerate(matrix.T)]
        for number, (weights, constants) in enumerate(self.layers):
            outputs = []
            for output, constant in enumerate(constants.tolist()):
                total = np.full(len(matrix), constant)
                for value, weight in zip(values, weights[:, output].tolist(), strict=True):
                    total += weight * value
                last = number == len(self.layers) - 1
                outputs.append(total if last else np.maximum(total, 0.0))
            values = outputs
        return values[0]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        layers = tuple(
            (np.array(weights, np.float64), np.array(constants, np.float64))
            for weights, constants in data["layers"]
        )
        return cls(columns_from_json(data["columns"]), Scaling.from_json(data["scaling"]), layers)

    def weigh_columns(self) -> list[float]:
        """[columns], the size of what leads from each to the output."""
        reach = abs(self.layers[0][0])
        for weights, _ in self.layers[1:]:
            reach = reach @ abs(weights)
        found: list[float] = reach[:, 0].tolist()
        return found
