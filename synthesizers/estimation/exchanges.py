"""GUM that heeds all targets at once: no record is overwritten where others lose more by it.

Source: the gradual update of Zhang et al. 2021 (PrivSyn), section 5, and Li, Zhang & Wang 2021
(DPSyn), appendix A: which cells of a target gain records, which lose some, and how many. Ours: a
record of a losing cell takes from one of a gaining cell the target's columns and those that hang
together with them at a strength drawn for each record, which lies between the papers' *replace*
(the target's columns alone) and *duplicate* (all); and only where the weighted distance of all
targets falls by it, as in combinatorial optimisation of synthetic populations (Voas & Williamson
2000).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.estimation.gum import Progress, Rates, additions, aligned, removals
from synthesizers.estimation.record_targets import (
    Codes,
    FloatArray,
    IntArray,
    Target,
    rows_of_cells,
    whole_amounts,
)

Weights = NDArray[np.float32]
"""What a record too many or too few costs, [cells]."""

BATCH = 2000
"""How many changes are judged before any of them is made (a choice of this project: more are
faster, and disturb one another more)."""

LEAST_WEIGHT = 0.5
"""The weight of a target that is met, where one at the mean distance has 1 (a choice of this
project)."""

NEAR = 0.4
"""The share of the tolerance up to which a target is not updated (a choice of this project)."""


@dataclass(frozen=True, slots=True)
class Stop:
    """When updates end: after ``rounds``, or before.

    ``tolerance``: where no target is farther, in L1 of shares. ``least_gain``: where a round took
    less than this share of the mean distance. What late rounds gain on noisy targets is noise.
    """

    rounds: int
    tolerance: float = 0.0
    least_gain: float = 0.0

    def __call__(self, number: int, distances: FloatArray, before: float) -> bool:
        """Whether rounds 0 … number - 1 suffice; ``before``: the mean distance one round ago."""
        stalled = distances.mean() > (1 - self.least_gain) * before
        near = distances.max() <= self.tolerance
        return number >= self.rounds or bool(near) or (self.least_gain > 0 and bool(stalled))


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """Records and how far they are from all their targets; changed in place.

    ``steps`` [columns, targets]: how far a cell's number moves with a code. ``starts`` [targets]:
    the number of each target's first cell, all cells numbered through. ``surplus`` [cells]: held
    less wanted.
    """

    codes: Codes
    targets: tuple[Target, ...]
    steps: FloatArray
    starts: IntArray
    surplus: IntArray

    @classmethod
    def of(cls, codes: Codes, targets: Sequence[Target]) -> Standing:
        """The standing of records."""
        steps = np.zeros((codes.shape[1], len(targets)))
        for place, target in enumerate(targets):
            sizes = (*target.shape[1:], 1)
            steps[list(target.columns), place] = np.cumprod(sizes[::-1])[::-1]
        ends = np.cumsum([len(target.counts) for target in targets])
        starts = np.concatenate([[0], ends[:-1]])
        apart = [target.held(target.cells(codes)) - target.counts for target in targets]
        return cls(codes, tuple(targets), steps, starts, np.concatenate(apart))

    def distances(self) -> FloatArray:
        """The L1 distance of each target's shares, from 0 to 2."""
        return np.add.reduceat(np.abs(self.surplus), self.starts) / max(len(self.codes), 1)

    def cells(self, codes: Codes) -> IntArray:
        """The cells of some records, [records, targets]."""
        # A product of doubles is BLAS's, and exact below 2^53.
        return (codes @ self.steps).astype(np.int64) + self.starts

    def change(self, rows: IntArray, wanted: Codes, weights: Weights) -> None:
        """Give rows the codes ``wanted`` where the weighted distance, [cells], falls by it.

        Each row, of which none comes twice, is judged by itself.
        """
        old, new = self.cells(self.codes[rows]), self.cells(wanted)
        leaving = np.where(self.surplus > 0, -weights, weights)
        coming = np.where(self.surplus < 0, -weights, weights)
        worse = np.einsum("rt,rt->r", leaving.take(old) + coming.take(new), old != new)
        made = np.flatnonzero(worse < 0)
        for column, codes in zip(self.codes.T, wanted[made].T, strict=True):
            column[rows[made]] = codes
        size = len(self.surplus)
        self.surplus[:] -= np.bincount(old[made].ravel(), minlength=size)
        self.surplus[:] += np.bincount(new[made].ravel(), minlength=size)


def exchange(
    standing: Standing,
    target: Target,
    rate: float,
    weights: Weights,
    holds: FloatArray,
    generator: np.random.Generator,
) -> None:
    """One update towards one target.

    ``weights`` [cells]: of all targets' cells. ``holds`` [columns, columns]: how strongly columns
    hang together.
    """
    codes = standing.codes
    cells = target.cells(codes)
    held = target.held(cells)
    gains = whole_amounts(additions(held, target.counts, rate), generator)
    losses = whole_amounts(removals(held, target.counts, int(gains.sum())), generator)
    free = generator.permutation(rows_of_cells(cells, held, losses, generator))
    copies = np.minimum(gains, held)
    givers = generator.permutation(rows_of_cells(cells, held, copies, generator))
    columns = list(target.columns)
    near = holds[columns].max(axis=0)
    for start in range(0, len(givers), BATCH):
        rows, others = free[: len(givers)][start : start + BATCH], givers[start : start + BATCH]
        # In the order of a column drawn at random, most rows agree in it with their givers.
        by = codes[:, generator.integers(codes.shape[1])]
        rows = rows[np.argsort(by[rows], kind="stable")]
        others = others[np.argsort(by[others], kind="stable")]
        taken = near >= generator.random(len(rows))[:, None]
        standing.change(rows, np.where(taken, codes[others], codes[rows]), weights)
    # Cells without records have none to take from.
    bare = np.repeat(np.arange(len(held)), gains - copies)
    rows, bare = aligned(cells, free[len(givers) :], bare, target, generator)
    for start in range(0, len(bare), BATCH):
        wanted = codes[rows[start : start + BATCH]]
        target.write(wanted, np.arange(len(wanted)), bare[start : start + BATCH])
        standing.change(rows[start : start + BATCH], wanted, weights)


def exchanged(
    codes: Codes,
    targets: Sequence[Target],
    rates: Rates,
    holds: FloatArray,
    stop: Stop,
    generator: np.random.Generator,
    progress: Progress | None = None,
) -> float:
    """Update records, in place, towards all targets, the farthest first, round by round.

    Targets weigh in proportion to their distance at the round's beginning. Returns the largest
    distance reached: the L1 distance of shares, from 0 to 2.
    """
    standing = Standing.of(codes, targets)
    sizes = [len(target.counts) for target in targets]
    distances, before, number = standing.distances(), math.inf, 0
    while not stop(number, distances, before):
        shares = np.maximum(distances / distances.mean(), LEAST_WEIGHT)
        weights = np.repeat(shares, sizes).astype(np.float32)
        for place in np.argsort(distances, kind="stable")[::-1]:
            if distances[place] > NEAR * stop.tolerance:
                exchange(standing, targets[place], rates(number), weights, holds, generator)
        before, number = float(distances.mean()), number + 1
        distances = standing.distances()
        if progress is not None:
            progress(number, float(distances.max()))
    return float(distances.max())
