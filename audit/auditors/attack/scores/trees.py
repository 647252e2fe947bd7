"""Scores by decision trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from audit.auditors.attack.columns.columns import columns_from_json
from audit.auditors.attack.scores.simple_scores import FloatArray, read_finite
from audit.auditors.attack.scores.weighings import Weighing


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
        read_finite(value)
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
