"""Tails: between which scores to guess neither database, so that the certified floor is largest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.floors import rate_matters
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.aims import Aim, Prediction
from audit.auditors.attack.learning.calibration import Calibrated, calibrate

GRIDS = 1.5, 1.1, 1.02
"""Ratios of the sizes of neighbouring tails, at first and then ever closer around the best (a tail
that is 5 % too small costs 2.5 % of the gap to the truth, one that is too large more)."""

WHOLE = 20
"""Into how many parts cuts that leave nobody out divide the runs (nearest
to the best one, accuracy is off by a thousandth)."""

LARGEST = float(np.finfo(np.float64).max)

FloatArray = NDArray[np.float64]

STANDARD_ERRORS = 1.0
"""How far below what is expected of a tail's right guesses it is counted (with none, one of two
tails that are as good is left out for its luck; with two, tails reach too far)."""

Cut = tuple[int, int]
"""Places i <= j in rising scores: guess the first database below i, the second from j on."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of runs, rising.

    ``seconds`` [runs + 1]: among the lowest so many, how many used the second database. ``steps``:
    the places where a cut separates different scores, both ends included.
    """

    scores: NDArray[np.float64]
    seconds: NDArray[np.int64]
    steps: NDArray[np.int64]

    @classmethod
    def of(cls, scores: NDArray[np.float64], coins: NDArray[np.bool_]) -> Scored:
        """From scores in any order with their coins."""
        order = np.argsort(scores, kind="stable")
        rising = np.clip(scores[order], -LARGEST, LARGEST)
        seconds = np.concatenate([[0], np.cumsum(coins[order])])
        steps = np.flatnonzero(np.diff(rising)) + 1
        return cls(rising, seconds, np.concatenate([[0], steps, [len(rising)]]))

    def __len__(self) -> int:
        return len(self.scores)

    def nearest(self, cut: Cut) -> Cut:
        """The cut between different scores whose tails are nearest in size, by ratio."""
        low, high = cut
        j = len(self) - _nearest(len(self) - self.steps[::-1], len(self) - high)
        return (j if low == high else min(_nearest(self.steps, low), j)), j

    def guesses(self, cut: Cut) -> Guesses:
        """The guesses of a cut."""
        i, j = cut
        correct = i - self.seconds[i] + self.seconds[-1] - self.seconds[j]
        made = i + len(self) - j
        sided = i == 0 or j == len(self)
        return Guesses(len(self), int(correct), int(made - correct), sided, sided or i != j)

    def thresholds(self, cut: Cut) -> tuple[float, float]:
        """The low and the high threshold of a rule: scores between those seen lead to no guess."""
        i, j = cut
        low = float(self.scores[i - 1]) if i else -math.inf
        return low, (float(self.scores[j]) if j < len(self) else math.inf)


def _nearest(sizes: NDArray[np.int64], wanted: int) -> int:
    """Of rising sizes from 0, the one nearest to that wanted, by ratio."""
    if wanted == 0:
        return 0
    above = int(np.searchsorted(sizes, wanted))
    if sizes[above] == wanted or above <= 1:
        return int(sizes[above])
    below = int(sizes[above - 1])
    return below if wanted * wanted < below * int(sizes[above]) else int(sizes[above])


def find_best_cut(scored: Scored, aim: Aim) -> tuple[Prediction, Cut]:
    """The cut that promises most by calibrated scores, and what it promises."""
    coins = np.diff(scored.seconds).astype(np.bool_)
    return find_promising_cut(scored, calibrate(scored.scores, coins), aim)


def find_promising_cut(scored: Scored, calibrated: Calibrated, aim: Aim) -> tuple[Prediction, Cut]:
    """The same with the calibrated scores at hand, rising.

    Over a coarse grid of tails, then around the best. Where the rate of guesses matters, what tells
    most is no plateau that a clipped line has, and tails are judged by their own counts.
    """
    runs = len(scored)
    expected = Expected.of(calibrated)
    lows = highs = [0, *_grid(1, runs, GRIDS[0])]
    # Cuts that leave nobody out, of which a grid of tails holds few.
    cuts = {(runs * part // WHOLE, runs * part // WHOLE) for part in range(1, WHOLE)}
    for wide, fine in pairwise((*GRIDS, 1.0)):
        cuts |= {(low, runs - high) for low in lows for high in highs if low + high <= runs}
        nearest = sorted({scored.nearest(cut) for cut in cuts})
        if rate_matters(aim.guarantee):
            found, best = max((aim.predict(scored.guesses(cut)), cut) for cut in nearest)
        else:
            best = max(zip(expected.predict(nearest, aim, STANDARD_ERRORS), nearest, strict=True))[
                1
            ]
            # Attackers are compared by what they promise without doubt: some know theirs better.
            (found,) = expected.predict([best], aim)
        if fine > 1:
            tails = best[0], runs - best[1]
            lows, highs = ([0, *_grid(tail / wide, tail * wide, fine)] for tail in tails)
            cuts = {best, *((place, place) for place in lows)}
    return found, best


@dataclass(frozen=True, eq=False)
class Expected:
    """Of the lowest so many runs, how many are expected to have used the second database.

    ``doubts``: the variances of these sums. [runs + 1] each.
    """

    ones: FloatArray
    doubts: FloatArray

    @classmethod
    def of(cls, calibrated: Calibrated) -> Expected:
        """By the calibrated scores of runs, rising."""
        parts = calibrated.chances, calibrated.doubts
        return cls(*(np.concatenate([[0.0], np.cumsum(part)]) for part in parts))

    def predict(self, cuts: Sequence[Cut], aim: Aim, errors: float = 0.0) -> list[Prediction]:
        """What each cut will certify, with right guesses so many standard errors down."""
        i, j = np.array(cuts).T
        runs = len(self.ones) - 1
        right = i - self.ones[i] + self.ones[-1] - self.ones[j]
        doubt = np.sqrt(self.doubts[i] + self.doubts[-1] - self.doubts[j])
        correct = np.maximum(right - errors * doubt, 0) * aim.runs / runs
        return aim.expect(correct, (i + runs - j) * aim.runs / runs - correct)


def _grid(first: float, last: float, ratio: float) -> list[int]:
    """Whole numbers from ``first`` to ``last``, a ratio apart."""
    if last < 1:
        return []
    steps = math.ceil(math.log(last / max(first, 1)) / math.log(ratio))
    return sorted({round(max(first, 1) * ratio**step) for step in range(steps)} | {round(last)})
