"""Scores: what attackers learned, as plain numbers that anyone can evaluate again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns import OutcomeColumns, columns_from_json
from audit.auditors.attack.rules import Score
from audit.auditors.attack.veils import Veil, hide, veil_from_json
from audit.subjects.outcomes import Outcomes
from synthesizers.errors import InputError

FloatArray = NDArray[np.float64]

FARTHEST = 6.0
"""Scaled values are clipped to this size: a Laplace value lies farther out in one of some thousand
runs; one that lies a thousand times farther moves no score."""


_MALFORMED = (
    *(LookupError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(RecursionError, MemoryError),
)


def score_from_json(data: dict[str, Any]) -> Score:
    """The score that some score's `to_json` wrote; it evaluates to the same, bit by bit.

    Raises InputError where it is none.

    Guarantee
    ---------
    Every score that is read here gives a finite number to any outcome, the same whatever runs
    stand beside it. Backed by ``tests/audit/auditors/attack/test_scores.py``.
    """
    kind = data.get("score")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"a score is one of {', '.join(KINDS)}; found {kind!r:.40}")
    try:
        score = KINDS[kind].from_json(data)
        # What can't score this is no score: all columns, nodes and layers take part.
        values = score.evaluate(Outcomes.of_outputs([0.0]))
    except _MALFORMED as error:
        raise InputError(f"the data of this {kind} score are not of its form") from error
    if not np.isfinite(values).all():
        raise InputError(f"this {kind} score gives no finite number")
    return score


@dataclass(frozen=True, eq=False)
class _Plain:
    """A score whose JSON has its kind and its fields."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {"score": self.kind, **{f.name: _plain(getattr(self, f.name)) for f in fields(self)}}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.to_json() if hasattr(value, "to_json") else value


@dataclass(frozen=True)
class Silent(_Plain):
    """The score of those who know nothing: 0, whatever the outcome."""

    kind = "silent"

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], 0 each."""
        return np.zeros(len(outcomes))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        return cls()


@dataclass(frozen=True, eq=False)
class Cells(_Plain):
    """A score for each of finitely many outcomes.

    ``codes``: [cells] of outcomes, rising; ``values``: [cells]; 0 for any other outcome.
    ``telling``: the outcomes of the largest and of the smallest value, in words.
    """

    kind = "cells"
    codes: NDArray[np.uint64]
    values: FloatArray
    telling: tuple[str, str]

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the value of each outcome's cell."""
        codes = outcomes.codes()
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[places] == codes, self.values[places], 0.0)

    def to_json(self) -> dict[str, Any]:
        """The score as plain data; codes in hexadecimal, as JSON's numbers hold 53 bits."""
        return {**super().to_json(), "codes": [f"{code:016x}" for code in self.codes.tolist()]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote; ValueError where codes don't rise or lack values."""
        codes = np.array([int(code, 16) for code in data["codes"]], np.uint64)
        values = _finite(data["values"])
        if codes.shape != values.shape or (codes[1:] <= codes[:-1]).any():
            raise ValueError("codes rise, and have a value each")
        first, second = data["telling"]
        return cls(codes, values, (first, second))


@dataclass(frozen=True, eq=False)
class Single(_Plain):
    """One column by itself.

    ``column``: the only one of its columns; ``rising``: larger values speak for the second.
    """

    kind = "single"
    column: OutcomeColumns
    rising: bool

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the column's value, or its negative."""
        sign = 1 if self.rising else -1
        return self.column.apply(lambda matrix: sign * matrix[:, 0], outcomes)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        return cls(columns_from_json(data["column"]), bool(data["rising"]))


@dataclass(frozen=True, eq=False)
class Weighing(_Plain, ABC):
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
        values = tuple(map(_finite, data["values"]))
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


@dataclass(frozen=True)
class Tree:
    """A decision tree, by its nodes; the first is the root.

    ``column``: whose value a node looks at, -1 for a leaf; it goes ``left`` below ``cut``, else
    ``right``, both numbers of later nodes. ``value``: of a leaf.
    """

    column: tuple[int, ...]
    cut: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def values(self, matrix: FloatArray, node: int = 0) -> FloatArray:
        """[runs], the value of the leaf that each row reaches below a node."""
        if self.column[node] < 0:
            return np.full(len(matrix), self.value[node])
        return np.where(
            matrix[:, self.column[node]] < self.cut[node],
            self.values(matrix, self.left[node]),
            self.values(matrix, self.right[node]),
        )

    def gains(self, columns: int) -> FloatArray:
        """[columns], how far apart the sides of the cuts on each lie, in the mean of leaves."""
        gains = np.zeros(columns)
        means = list(self.value)
        for node in reversed(range(len(means))):
            if self.column[node] >= 0:
                left, right = means[self.left[node]], means[self.right[node]]
                means[node] = (left + right) / 2
                gains[self.column[node]] += abs(right - left)
        return gains

    def to_json(self) -> list[list[Any]]:
        """The tree as plain data."""
        return [list(part) for part in (self.column, self.cut, self.left, self.right, self.value)]

    @classmethod
    def from_json(cls, data: Sequence[Sequence[Any]]) -> Tree:
        """The tree that `to_json` wrote; ValueError where it is no tree or has infinite values."""
        column, cut, left, right, value = map(tuple, data)
        inner = [node for node, place in enumerate(column) if place >= 0]
        below = [side[node] for side in (left, right) for node in inner]
        if any(min(left[at], right[at]) <= at for at in inner) or len({*below}) < len(below):
            raise ValueError("a node goes back, or to where another one goes")
        _finite(value)
        return cls(column, cut, left, right, value)


@dataclass(frozen=True, eq=False)
class Trees(Weighing):
    """A sum of decision trees.

    ``trees``: their values are added in order.
    """

    kind = "trees"
    trees: tuple[Tree, ...]

    def of_rows(self, matrix: FloatArray) -> FloatArray:
        """[runs], the sum over trees."""
        total = np.zeros(len(matrix))
        for tree in self.trees:
            total += tree.values(matrix)
        return total

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        return cls(columns_from_json(data["columns"]), tuple(map(Tree.from_json, data["trees"])))

    def weigh_columns(self) -> list[float]:
        """[columns], what the trees' cuts on each gain."""
        columns = len(self.columns)
        gains = sum((tree.gains(columns) for tree in self.trees), np.zeros(columns))
        return [float(gain) for gain in gains]


@dataclass(frozen=True, eq=False)
class Behind(_Plain):
    """A score of what is left to see of an outcome behind veils.

    ``leaks``: which known leaks these hide, in words; ``veils``: drawn one after the other.
    """

    kind = "behind"
    leaks: str
    veils: tuple[Veil, ...]
    of: Score

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the score of each veiled outcome."""
        return np.asarray(self.of.evaluate(hide(outcomes, self.veils)))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote; ValueError where it lies behind another one."""
        if data["of"]["score"] == cls.kind:
            raise ValueError("veils are listed once")
        return cls(
            str(data["leaks"]),
            tuple(map(veil_from_json, data["veils"])),
            score_from_json(data["of"]),
        )


def _finite(numbers: Any) -> FloatArray:
    """Numbers as an array; ValueError where one is not finite."""
    values = np.array(numbers, np.float64)
    if not np.isfinite(values).all():
        raise ValueError("values are finite")
    return values


KINDS: dict[str, type[Silent | Cells | Single | Bins | Linear | Network | Trees | Behind]] = {
    score.kind: score for score in (Silent, Cells, Single, Bins, Linear, Network, Trees, Behind)
}
"""The scores by the names that their JSON has."""
