"""GUM, the gradual update: records changed step by step until their marginals are near to targets.

Source: Zhang et al. 2021 (PrivSyn), section 5; Li, Zhang & Wang 2021 (DPSyn), appendix A. Ours:
counts are rounded at random, so that no change is lost for being smaller than a record; the share
of the cells that have too many is solved for, instead of bisected; and records are overwritten by
cells that have one of their values already, where there are such, so that other marginals change
less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.estimation.record_targets import (
    Codes,
    IntArray,
    RecordTarget,
    copy_rows,
    rows_of_cells,
    whole_amounts,
)

FloatArray = NDArray[np.float64]
Update = Callable[[Codes, RecordTarget, int, np.random.Generator], None]
"""Moves records, in place, towards one target in a round of the given number."""

RoundProgress = Callable[[int, float], None]
"""Told the number of rounds done, and the largest distance at the beginning of the last."""


@dataclass(frozen=True, slots=True)
class Rates:
    """By how much a cell may grow in a round: ``first``·``decay``^⌊round/``steps``⌋.

    The defaults are those of PrivSyn's step decay (Zhang et al. 2021, section 5.3).
    """

    first: float = 1.0
    decay: float = 0.84
    steps: int = 20

    def __call__(self, number: int) -> float:
        """The rate of a round, counted from 0."""
        return self.first * self.decay ** (number // self.steps)


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
        if number >= self.rounds or distances.max(initial=0.0) <= self.tolerance:
            return True
        return self.least_gain > 0 and bool(distances.mean() > (1 - self.least_gain) * before)


def additions(held: IntArray, wanted: IntArray, rate: float) -> FloatArray:
    """How much each cell is to gain: at most ``rate`` of what it has, or of its target if empty."""
    lack = np.maximum(wanted - held, 0)
    return np.asarray(np.where(held > 0, np.minimum(lack, rate * held), rate * lack))


def removals(held: IntArray, wanted: IntArray, total: int) -> FloatArray:
    """How much each cell with too many is to lose: min(surplus, b·held), for one share b.

    The losses sum to ``total``, which is at most the sum of the surpluses.
    """
    surplus = np.maximum(held - wanted, 0)
    shares = surplus / np.maximum(held, 1)
    order = np.argsort(shares, kind="stable")
    # With b between two shares, the cells below lose their surplus, and those above b of all.
    whole = np.cumsum(surplus[order]) - surplus[order]
    above = np.cumsum(np.where(surplus > 0, held, 0)[order][::-1])[::-1]
    enough = np.flatnonzero(whole + shares[order] * above >= total - 1e-9)
    if not len(enough) or total == 0:
        return surplus.astype(np.float64) if total else np.zeros(len(held))
    first = enough[0]
    share = (total - whole[first]) / above[first] if above[first] else 0.0
    return np.asarray(np.minimum(surplus, share * held))


@dataclass(frozen=True, slots=True)
class Gradual:
    """GUM's update: cells that lack records gain some, and others lose as many.

    ``copied``: the shares of growing cells that are filled with whole copies of their own
    rows, round by round in turn; the rest, and empty cells, overwrite the target's columns
    alone. The papers' code alternates 1/2 and 1; fewer copies keep better what no target
    holds.
    """

    rates: Rates = Rates()
    copied: tuple[float, ...] = (0.0, 0.5)

    def __call__(
        self, codes: Codes, target: RecordTarget, number: int, generator: np.random.Generator
    ) -> None:
        """Move the records of one target, in place."""
        cells = target.cells(codes)
        held = target.count_cells(cells)
        gains = whole_amounts(additions(held, target.counts, self.rates(number)), generator)
        total = int(gains.sum())
        if not total:
            return
        losses = whole_amounts(removals(held, target.counts, total), generator)
        free = generator.permutation(rows_of_cells(cells, held, losses, generator))
        share = self.copied[number % len(self.copied)]
        copies = np.minimum(whole_amounts(np.where(held > 0, share * gains, 0), generator), held)
        given = rows_of_cells(cells, held, copies, generator)
        copy_rows(codes, free[: len(given)], given)
        rest = np.repeat(np.arange(len(held)), gains - copies)
        target.write(codes, *align_updates(cells, free[len(given) :], rest, target, generator))


def align_updates(
    cells: Codes,
    rows: IntArray,
    gaining: IntArray,
    target: RecordTarget,
    generator: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """The rows and the cells that overwrite them, both in the order of a column drawn at random.

    Where the other columns have their counts, most rows then keep their value of that column.
    """
    axis = generator.integers(len(target.shape))
    old = np.unravel_index(cells[rows], target.shape)[axis]
    new = np.unravel_index(gaining, target.shape)[axis]
    return rows[np.argsort(old, kind="stable")], gaining[np.argsort(new, kind="stable")]


def approach(
    codes: Codes,
    targets: Sequence[RecordTarget],
    update: Update,
    rounds: int,
    generator: np.random.Generator,
    *,
    tolerance: float = 0.0,
    progress: RoundProgress | None = None,
) -> float:
    """Update records, in place, towards all targets, the farthest first, in each of the rounds.

    Stops early where no target is farther than ``tolerance``. Returns the largest distance reached:
    the L1 distance of shares, from 0 to 2.
    """

    def distances() -> FloatArray:
        return np.array([target.distance(codes) for target in targets])

    def update_all(number: int, distances: FloatArray) -> None:
        for place in np.argsort(distances, kind="stable")[::-1]:
            update(codes, targets[place], number, generator)

    return in_rounds(distances, update_all, Stop(rounds, tolerance), progress)


def in_rounds(
    distances: Callable[[], FloatArray],
    update: Callable[[int, FloatArray], None],
    stop: Stop,
    progress: RoundProgress | None,
) -> float:
    """Update towards all targets, given the round and their distances, until it is enough.

    Returns the largest distance reached.
    """
    now, before, number = distances(), math.inf, 0
    while not stop(number, now, before):
        update(number, now)
        before, number, now = float(now.mean()), number + 1, distances()
        if progress is not None:
            progress(number, float(now.max()))
    return float(now.max(initial=0.0))
