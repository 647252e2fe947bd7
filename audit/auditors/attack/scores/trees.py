"""A sum of decision trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns import Columns, columns_from_json, most_telling
from audit.subjects.outcomes import Outcomes


@dataclass(frozen=True)
class Tree:
    """Nodes; the first is the root.

    ``column``: whose value a node looks at, -1 for a leaf; it goes ``left`` below ``cut``, else
    ``right``, both numbers of later nodes. ``value``: of a leaf.
    """

    column: tuple[int, ...]
    cut: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def values(self, matrix: NDArray[np.float64], node: int = 0) -> NDArray[np.float64]:
        """[runs], the value of the leaf that each row reaches below a node."""
        if self.column[node] < 0:
            return np.full(len(matrix), self.value[node])
        return np.where(
            matrix[:, self.column[node]] < self.cut[node],
            self.values(matrix, self.left[node]),
            self.values(matrix, self.right[node]),
        )

    def gains(self, columns: int) -> NDArray[np.float64]:
        """[columns], how far apart the sides of the cuts on each lie, in the mean of leaves."""
        found = np.zeros(columns)
        means = list(self.value)
        for node in reversed(range(len(means))):
            if self.column[node] >= 0:
                left, right = means[self.left[node]], means[self.right[node]]
                means[node] = (left + right) / 2
                found[self.column[node]] += abs(right - left)
        return found

    def to_json(self) -> list[list[Any]]:
        """The tree as plain data."""
        return [list(part) for part in (self.column, self.cut, self.left, self.right, self.value)]


def tree_from_json(data: Sequence[Sequence[Any]]) -> Tree:
    """The tree that `Tree.to_json` wrote; ValueError where it is no tree or has infinite values."""
    column, cut, left, right, value = map(tuple, data)
    inner = [node for node, place in enumerate(column) if place >= 0]
    below = [side[node] for side in (left, right) for node in inner]
    if any(min(left[node], right[node]) <= node for node in inner) or len({*below}) < len(below):
        raise ValueError("a node goes back, or to where another one goes")
    if not np.isfinite(np.array(value, np.float64)).all():
        raise ValueError("values are finite")
    return Tree(column, cut, left, right, value)


@dataclass(frozen=True, eq=False)
class Trees:
    """``trees``: their values are added in order."""

    columns: Columns
    trees: tuple[Tree, ...]

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], the sum over trees."""
        return self.columns.apply(self._sum, outcomes)

    def _sum(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros(len(matrix))
        for tree in self.trees:
            found += tree.values(matrix)
        return found

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "score": "trees",
            "columns": self.columns.to_json(),
            "trees": [tree.to_json() for tree in self.trees],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trees:
        """The score that `to_json` wrote."""
        return cls(columns_from_json(data["columns"]), tuple(map(tree_from_json, data["trees"])))

    def words(self) -> str:
        """The columns that matter most."""
        names = self.columns.names
        gains = sum((tree.gains(len(names)) for tree in self.trees), np.zeros(len(names)))
        return "decision trees on " + most_telling(names, gains.tolist())
