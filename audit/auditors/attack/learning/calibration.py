"""Calibration: how likely a run with a given score used the second database.

The counts of held-out runs in a tail are too few to tell which of many tails certifies most: the
best of many noisy counts is luck. So a curve is fitted to all scores at once, and tails are judged
by it. Pure ε bounds the log ratio of an outcome's chances, and most mechanisms attain the bound
over whole tails and change between them at a constant pace: the curve is a line that is clipped at
both ends. Where counts depart from it, by more than luck, they are believed instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import betaln, expit

from audit.auditors.attack.columns.cuts import codes, cuts

FloatArray = NDArray[np.float64]

MOST_BINS = 256
"""Bins of scores (a kink is placed to 1/256 of the runs)."""

RUNS_A_BIN = 8
"""Runs in a bin on average, at least (of fewer bins, fewer lines are tried)."""

COARSE_ENDS = 16
"""Where a line may be clipped at first, of all bins (then ever nearer to the best)."""

NEWTON_STEPS, LONGEST_STEP, RIDGE = 8, 3.0, 1e-3
"""Newton's method on a concave likelihood of one or two slopes; ridge and step keep it from
leaving where one database explains all runs."""

PRIOR_EXPONENTS = (-5.0, 15.0)
"""Logarithms between which the size of a prior is sought (from no
shrinking to nothing left)."""


@dataclass(frozen=True, eq=False)
class Shrunk:
    """[cells] each: the chance of the second coin, and the variance that it has left."""

    chances: FloatArray
    variances: FloatArray


def shrink(zeros: FloatArray, ones: FloatArray, means: FloatArray) -> Shrunk:
    """Chances by cells' counts, drawn towards prior means."""
    size = prior_size(zeros, ones, means)
    known = size + zeros + ones
    chances = (size * means + ones) / known
    return Shrunk(chances, chances * (1 - chances) / (known + 1))


def prior_size(zeros: FloatArray, ones: FloatArray, means: FloatArray) -> float:
    """The a of Beta(a·m, a·(1-m)) laws of cells' chances, of means m, that fits the counts best.

    Empirical Bayes (Robbins 1956) keeps a few lucky counts from standing above the large cells
    that tell most; where counts show nothing but their means, all chances shrink to them.
    """

    def unlikely(exponent: float) -> float:
        for_one, for_zero = np.exp(exponent) * means, np.exp(exponent) * (1 - means)
        found = betaln(for_zero + zeros, for_one + ones) - betaln(for_zero, for_one)
        return -float(found.sum())

    found = minimize_scalar(unlikely, bounds=PRIOR_EXPONENTS, method="bounded")
    return float(np.exp(found.x))


def calibrate_by_line(scores: FloatArray, zeros: FloatArray, ones: FloatArray) -> FloatArray:
    """[cells], the chance of the second coin: its logit a line of rising scores, clipped.

    The line with which the counts are likeliest. That both ends of it say equally much is taken for
    true unless Schwarz's criterion (1978) rejects it: of two ends between which is nothing but
    luck, one would be left out for no reason.
    """
    even, free = (_clip_best(scores, zeros, ones, slopes) for slopes in (1, 2))
    better = free.likelihood - even.likelihood > math.log((zeros + ones).sum()) / 2
    return np.asarray(expit((free if better else even).logits))


@dataclass(frozen=True, eq=False)
class Line:
    """``ends``: the cells at whose scores it is clipped; ``logits``: [cells]."""

    ends: tuple[int, int]
    likelihood: float
    logits: FloatArray


def _clip_best(scores: FloatArray, zeros: FloatArray, ones: FloatArray, slopes: int) -> Line:
    """The likeliest line of a grid of ends, then of ever finer ones around the best."""
    last = len(scores) - 1
    step = max(1, len(scores) // COARSE_ENDS)
    ends = [*range(0, last, step), last]
    best = _find_likeliest(
        scores, zeros, ones, slopes, [(i, j) for i in ends for j in ends if i <= j]
    )
    while step > 1:
        step, reach = max(1, step // 4), step
        lows, highs = (range(max(0, e - reach), min(last, e + reach) + 1, step) for e in best.ends)
        near = [best.ends, *((i, j) for i in lows for j in highs if i <= j)]
        best = _find_likeliest(scores, zeros, ones, slopes, near)
    return best


def _find_likeliest(
    scores: FloatArray,
    zeros: FloatArray,
    ones: FloatArray,
    slopes: int,
    ends: list[tuple[int, int]],
) -> Line:
    """Of lines clipped at these cells, that with the largest likelihood (Newton's method).

    ``slopes``: 1, where its middle is no evidence; or 2, where there is a constant besides.
    """
    low, high = (scores[list(places)][:, None] for places in zip(*ends, strict=True))
    runs = zeros + ones
    shifts = np.clip(scores, low, high) - (low / 2 + high / 2)
    # The largest first: the square of a score might overflow.
    shifts = shifts / np.maximum(high / 2 - low / 2, 1e-300)
    spread = np.sqrt((shifts**2 * runs).sum(axis=1, keepdims=True) / runs.sum())
    shifts = shifts / np.maximum(spread, 1e-300)
    parts = np.stack([shifts, np.ones_like(shifts)][:slopes], axis=-1)
    weights = np.zeros((len(ends), slopes))
    for _ in range(NEWTON_STEPS):
        chances = expit(np.einsum("lcs,ls->lc", parts, weights))
        pull = np.einsum("lcs,lc->ls", parts, ones - runs * chances)
        bend = np.einsum("lcs,lct,lc->lst", parts, parts, runs * chances * (1 - chances))
        bend = bend + RIDGE * np.eye(slopes)
        found = np.linalg.solve(bend, (pull - RIDGE * weights)[..., None])[..., 0]
        weights = weights + np.clip(found, -LONGEST_STEP, LONGEST_STEP)
    logits = np.einsum("lcs,ls->lc", parts, weights)
    likelihoods = -(ones * np.logaddexp(0, -logits) + zeros * np.logaddexp(0, logits)).sum(axis=1)
    best = int(np.argmax(likelihoods))
    return Line(ends[best], float(likelihoods[best]), logits[best])


@dataclass(frozen=True, eq=False)
class Calibrated:
    """``chances``: [runs], the chance that each run used the second database.

    ``doubts``: [runs], what each adds to the variance of the sum of all chances up to it, as those
    of one bin err together.
    """

    chances: FloatArray
    doubts: FloatArray


def calibrate(scores: FloatArray, coins: NDArray[np.bool_]) -> Calibrated:
    """Of held-out scores in any order: by bins, the clipped line, or counts as far as they show."""
    if not len(scores):
        return Calibrated(np.zeros(0), np.zeros(0))
    binned = Binned.of(scores, (~coins).astype(np.float64), coins.astype(np.float64))
    shrunk = shrink(binned.zeros, binned.ones, binned.chances())
    doubts = (binned.zeros + binned.ones) * shrunk.variances
    return Calibrated(shrunk.chances[binned.places], doubts[binned.places])


def calibrate_cells(scores: FloatArray, zeros: FloatArray, ones: FloatArray) -> FloatArray:
    """[cells], the same for cells with a score each: they depart from the line one by one."""
    binned = Binned.of(scores, zeros, ones)
    return shrink(zeros, ones, binned.chances()[binned.places]).chances


@dataclass(frozen=True, eq=False)
class Binned:
    """Runs or cells by their scores; ``places``: the bin of each, of which none is empty.

    ``scores`` (a quarter of the mean), ``zeros`` and ``ones`` (runs of either coin): [bins].
    """

    places: NDArray[np.intp]
    scores: FloatArray
    zeros: FloatArray
    ones: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, zeros: FloatArray, ones: FloatArray) -> Binned:
        """About MOST_BINS bins of rising scores; fewer, of few runs."""
        runs = zeros + ones
        most = max(2, min(MOST_BINS, int(runs.sum()) // RUNS_A_BIN))
        edges = cuts(scores, most)
        places = np.unique(codes(scores, edges), return_inverse=True)[1]
        sums = [np.bincount(places, counts).astype(np.float64) for counts in (zeros, ones)]
        share = runs / (sums[0] + sums[1])[places]
        # A quarter, at which a sum doesn't overflow: a line is the same at any scale.
        means = np.bincount(places, scores / 4 * share).astype(np.float64)
        # Means of scores that differ in the last bit may be rounded out of order.
        return cls(places, np.maximum.accumulate(means), sums[0], sums[1])

    def chances(self) -> FloatArray:
        """[bins], the chance of the second coin by the likeliest clipped line."""
        return calibrate_by_line(self.scores, self.zeros, self.ones)
