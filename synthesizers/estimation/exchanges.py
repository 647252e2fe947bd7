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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synthesizers.estimation.gum import (
    Rates,
    RoundProgress,
    Stop,
    additions,
    align_updates,
    in_rounds,
    removals,
)
from synthesizers.estimation.record_targets import (
    Codes,
    FloatArray,
    IntArray,
    RecordTarget,
    rows_of_cells,
    whole_amounts,
)

BATCH = 4000
"""How many records are paired with those that they may take from, at once."""

PARTS = 8
"""In how many parts a batch is judged, each before any of its changes is made (larger parts are
faster, and their changes disturb one another more)."""

LEAST_WEIGHT = 0.5
"""The weight of a target that is met, where one at the mean distance has 1."""

NEAR = 0.4
"""The share of the tolerance up to which a target is not updated."""


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """Records and how far they are from all their targets; changed in place.

    ``steps`` [columns, targets]: how far a cell's number moves with a code. ``starts`` [targets]:
    the number of each target's first cell, all cells numbered through. ``surplus`` [cells]: held
    less wanted.
    """

    codes: Codes
    targets: tuple[RecordTarget, ...]
    steps: FloatArray
    starts: IntArray
    surplus: IntArray

    @classmethod
    def of(cls, codes: Codes, targets: Sequence[RecordTarget]) -> Standing:
        """The standing of records."""
        steps = np.zeros((codes.shape[1], len(targets)))
        for place, target in enumerate(targets):
            sizes = (*target.shape[1:], 1)
            steps[list(target.columns), place] = np.cumprod(sizes[::-1])[::-1]
        ends = np.cumsum([len(target.counts) for target in targets])
        starts = np.concatenate([[0], ends[:-1]])
        apart = [target.count_cells(target.cells(codes)) - target.counts for target in targets]
        return cls(codes, tuple(targets), steps, starts, np.concatenate(apart))

    def distances(self) -> FloatArray:
        """The L1 distance of each target's shares, from 0 to 2."""
        return np.add.reduceat(np.abs(self.surplus), self.starts) / max(len(self.codes), 1)

    def count_cells(self, place: int) -> IntArray:
        """How many records lie in each cell of a target."""
        counts = self.targets[place].counts
        return counts + self.surplus[self.starts[place] :][: len(counts)]

    def change(self, rows: IntArray, wanted: Codes, weights: FloatArray) -> None:
        """Give rows the codes ``wanted`` where the distance by ``weights`` [targets] falls by it.

        Each row, of which none comes twice, is judged by itself.
        """
        kept = self.codes[rows]
        columns = np.flatnonzero((kept != wanted).any(axis=0))
        touched = np.flatnonzero(self.steps[columns].any(axis=0))
        # A product of doubles is BLAS's, and exact below 2^53.
        steps, starts = self.steps[:, touched], self.starts[touched]
        old = (kept @ steps).astype(np.int64) + starts
        new = (wanted @ steps).astype(np.int64) + starts
        # Half of what a change costs: a record less too many, or less too few, is a gain.
        costs = 1.0 - (self.surplus.take(old) > 0) - (self.surplus.take(new) < 0)
        made = np.flatnonzero(((old != new) * costs) @ weights[touched] < 0)
        for column in columns:
            self.codes[rows[made], column] = wanted[made, column]
        np.subtract.at(self.surplus, old[made].ravel(), 1)
        np.add.at(self.surplus, new[made].ravel(), 1)


def exchange(
    standing: Standing,
    place: int,
    rate: float,
    weights: FloatArray,
    holds: FloatArray,
    generator: np.random.Generator,
) -> None:
    """One update towards the target at ``place``.

    ``weights`` [targets]: what a record too many or too few costs. ``holds`` [columns, columns]:
    how strongly columns hang together.
    """
    codes, target = standing.codes, standing.targets[place]
    cells, held = target.cells(codes), standing.count_cells(place)
    gains = whole_amounts(additions(held, target.counts, rate), generator)
    losses = whole_amounts(removals(held, target.counts, int(gains.sum())), generator)
    free = generator.permutation(rows_of_cells(cells, held, losses, generator))
    copies = np.minimum(gains, held)
    givers = generator.permutation(rows_of_cells(cells, held, copies, generator))
    columns = list(target.columns)
    near = holds[columns].max(axis=0)
    for start in range(0, len(givers), BATCH):
        rows, others = free[: len(givers)][start : start + BATCH], givers[start : start + BATCH]
        # In the order of one of the target's columns, most rows agree in it with their givers.
        by = codes[:, columns[generator.integers(len(columns))]]
        rows = rows[np.argsort(by[rows], kind="stable")]
        others = others[np.argsort(by[others], kind="stable")]
        strengths = generator.random(len(rows))
        # In rows of like strengths the same columns change, so that few targets are judged.
        for alike in np.array_split(np.argsort(strengths), PARTS):
            taken = near >= strengths[alike, None]
            wanted = np.where(taken, codes[others[alike]], codes[rows[alike]])
            standing.change(rows[alike], wanted, weights)
    # Cells without records have none to take from.
    bare = np.repeat(np.arange(len(held)), gains - copies)
    rows, bare = align_updates(cells, free[len(givers) :], bare, target, generator)
    for start in range(0, len(bare), BATCH):
        wanted = codes[rows[start : start + BATCH]]
        target.write(wanted, np.arange(len(wanted)), bare[start : start + BATCH])
        standing.change(rows[start : start + BATCH], wanted, weights)


def exchange_records(
    codes: Codes,
    targets: Sequence[RecordTarget],
    rates: Rates,
    holds: FloatArray,
    stop: Stop,
    generator: np.random.Generator,
    progress: RoundProgress | None = None,
) -> float:
    """Update records, in place, towards all targets, the farthest first, round by round.

    Targets weigh in proportion to their distance at the round's beginning. Returns the largest
    distance reached: the L1 distance of shares, from 0 to 2.
    """
    standing = Standing.of(codes, targets)

    def update(number: int, distances: FloatArray) -> None:
        weights = np.maximum(distances / distances.mean(), LEAST_WEIGHT)
        for place in np.argsort(distances, kind="stable")[::-1]:
            if distances[place] > NEAR * stop.tolerance:
                exchange(standing, place, rates(number), weights, holds, generator)

    return in_rounds(standing.distances, update, stop, progress)
