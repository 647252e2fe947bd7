"""Records to begin with: drawn along the strongest tree of the pairs that targets hold.

Source: Chow & Liu 1968, with the distance from independence in place of mutual information, which
is PrivSyn's measure of dependence (Zhang et al. 2021, section 4.1). The pairs of the tree are met
but for rounding, and what hangs together only through the tree is nearly met with them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from synthesizers.estimation.record_targets import Codes, FloatArray, IntArray, RecordTarget
from synthesizers.estimation.systematic import systematic_choices

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class RecordTree:
    """Columns joined into a tree, or several where no chain of targets connects them.

    ``parents``: each column's parent, -1 of a root, a parent before its children. ``holds``
    [columns, columns]: how strongly two columns hang together, the weakest edge of the path
    between them; 1 of a column with itself, 0 of two in different trees.
    """

    parents: Mapping[int, int]
    holds: FloatArray


def pair_counts(targets: Sequence[RecordTarget]) -> dict[Pair, IntArray]:
    """Counts of each ordered pair of columns that a target holds, from the first that does."""
    found: dict[Pair, IntArray] = {}
    for target in targets:
        for first, second in permutations(range(len(target.columns)), 2):
            pair = target.columns[first], target.columns[second]
            if pair not in found:
                found[pair] = _onto(target, (first, second))
    return found


def pair_noise(targets: Sequence[RecordTarget], variances: Sequence[float]) -> dict[Pair, float]:
    """The dependence that noise alone shows in each pair of `pair_counts`, about.

    ``variances``: of each target's cells. A pair of c cells, each the sum of C/c of a target's C,
    is off by c·√(2/π · variance · C/c) counts of n in expectation, and half of that in shares.
    """
    found: dict[Pair, float] = {}
    for target, variance in zip(targets, variances, strict=True):
        rows = max(int(target.counts.sum()), 1)
        for first, second in permutations(range(len(target.columns)), 2):
            cells = target.shape[first] * target.shape[second] * len(target.counts)
            off = math.sqrt(2 / math.pi * variance * cells) / rows / 2
            found.setdefault((target.columns[first], target.columns[second]), off)
    return found


def dependence(counts: IntArray) -> float:
    """The total variation of a pair's shares [values, values] from independence, from 0 to 1."""
    shares = counts / max(int(counts.sum()), 1)
    apart = np.abs(shares - np.outer(shares.sum(axis=1), shares.sum(axis=0)))
    return float(apart.sum()) / 2


def strongest_tree(
    pairs: Mapping[Pair, IntArray], columns: int, noise: Mapping[Pair, float] | None = None
) -> RecordTree:
    """The spanning tree of the most dependent pairs (Prim's algorithm); a root for each part.

    Pairs that are no more dependent than ``noise`` alone would show are not joined; others hang
    together by what they show beyond it.
    """
    edges = np.full((columns, columns), -1.0)
    for pair, counts in pairs.items():
        beyond = dependence(counts) - (noise or {}).get(pair, 0.0)
        edges[pair] = beyond if beyond > 0 else -1.0
    parents: dict[int, int] = {}
    holds = np.eye(columns)
    while len(parents) < columns:
        left = [column for column in range(columns) if column not in parents]
        placed = list(parents)
        near = edges[np.ix_(left, placed)]
        if not placed or near.max() < 0:
            parents[left[0]] = -1
            continue
        row, place = np.unravel_index(near.argmax(), near.shape)
        column, parent = left[row], placed[place]
        parents[column] = parent
        holds[column, placed] = np.minimum(holds[parent, placed], near[row, place])
        holds[placed, column] = holds[column, placed]
    return RecordTree(parents, holds)


def records_of_tree(
    tree: RecordTree,
    targets: Sequence[RecordTarget],
    pairs: Mapping[Pair, IntArray],
    rows: int,
    generator: np.random.Generator,
) -> Codes:
    """Records [rows, columns], each column drawn evenly given its parent's.

    Every column stands in a target or more.
    """
    codes = np.empty((rows, len(tree.parents)), np.int32, order="F")
    for column, parent in tree.parents.items():
        if parent < 0:
            holder = next(target for target in targets if column in target.columns)
            counts = _onto(holder, (holder.columns.index(column),))
            chances, groups = counts[None].astype(np.float64), np.zeros(rows, np.int64)
        else:
            chances = pairs[parent, column].astype(np.float64)
            groups = codes[:, parent].astype(np.int64)
        codes[:, column] = systematic_choices(chances, groups, generator)
    return codes


def _onto(target: RecordTarget, axes: tuple[int, ...]) -> IntArray:
    """A target's counts summed onto some of its columns, in their order."""
    counts = target.counts.reshape(target.shape)
    gone = tuple(axis for axis in range(counts.ndim) if axis not in axes)
    left = sorted(axes)
    return np.asarray(counts.sum(axis=gone)).transpose([left.index(axis) for axis in axes])
