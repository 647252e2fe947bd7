"""Black boxes with an exact truth, each with a pair of databases.

Counts, histograms and the sparse vector technique, as functions of a database and a generator
that give many runs at once. `tests/audit/subjects/test_black_box_cases.py` checks the truths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee

GRID = 2.0**16
"""Answers are multiples of 1/GRID: noise added in doubles would betray the true number by its last
bits (Mironov 2012), and the truths are those of real numbers."""

Mechanism = Callable[[Any, np.random.Generator, int], NDArray[Any]]


@dataclass(frozen=True)
class Laplace:
    """A number, or a histogram, plus Laplace noise of one scale in every place."""

    scale: float

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.float64]:
        """[runs] or [runs, bins]."""
        true = np.asarray(database, np.float64)
        noise = rng.laplace(0.0, self.scale, (runs, *true.shape))
        return true + np.rint(noise * GRID) / GRID


@dataclass(frozen=True)
class Gaussian:
    """A number plus Gaussian noise."""

    sigma: float

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.float64]:
        """[runs]."""
        noise = rng.normal(0.0, self.sigma, runs)
        return float(database) + np.rint(noise * GRID) / GRID


@dataclass(frozen=True)
class SparseVector:
    """Algorithm 6 of Lyu, Su & Li (2017): which answers lie above a noisy threshold, no cut-off."""

    scale: float
    threshold: float

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.bool_]:
        """[runs, queries]."""
        true = np.asarray(database, np.float64)
        limit = self.threshold + rng.laplace(0.0, self.scale, (runs, 1))
        return true + rng.laplace(0.0, self.scale, (runs, len(true))) >= limit


@dataclass(frozen=True)
class CutSparseVector:
    """The sparse vector technique that stops after ``most`` answers above a noisy threshold.

    Of Lyu, Su & Li (2017), with noise of the claim's ε = 1 shared out by each: Algorithm 1 keeps
    ε, and so does 2 (a new threshold after each answer above: ``renewed``). Algorithm 3 gives the
    noisy answers that lie above (``answers``), and keeps no ε for any number of queries. Algorithm
    4 has too little noise for its cut, and keeps (1 + 6c)ε/4.
    """

    threshold_scale: float
    query_scale: float
    threshold: float = 0.0
    most: int = 1
    renewed: bool = False
    answers: bool = False

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.float64]:
        """[runs, queries]: 1 above, 0 below, 2 once it has stopped.

        Answers are rounded to whole numbers, and are BELOW_THRESHOLD or STOPPED otherwise.
        """
        true = np.asarray(database, np.float64)
        limit = self.threshold + rng.laplace(0.0, self.threshold_scale, runs)
        left = np.full(runs, self.most)
        below, stopped = (BELOW_THRESHOLD, STOPPED) if self.answers else (0.0, 2.0)
        found = np.full((runs, len(true)), stopped)
        for query, value in enumerate(true):
            answer = value + rng.laplace(0.0, self.query_scale, runs)
            above = (answer >= limit) & (left > 0)
            shown = np.rint(answer) if self.answers else 1.0
            found[:, query] = np.where(above, shown, np.where(left > 0, below, stopped))
            left -= above
            if self.renewed:
                fresh = self.threshold + rng.laplace(0.0, self.threshold_scale, runs)
                limit = np.where(above, fresh, limit)
        return found


BELOW_THRESHOLD, STOPPED = -1000.0, -2000.0
"""What stands for no answer (noise never gets there)."""


@dataclass(frozen=True)
class Case:
    """A box, a pair, a claim; ``truth``: the smallest parameter with which that would be kept."""

    box: FunctionBox
    pair: Pair
    claim: Guarantee
    truth: float


EPSILON_ONE = ApproxDP(Fraction(1))


def _case(
    name: str,
    mechanism: Mechanism,
    pair: Pair,
    truth: float,
    claim: Guarantee = EPSILON_ONE,
) -> Case:
    return Case(FunctionBox(name, mechanism, True), pair, claim, truth)


FIVE, ABOVE, BELOW = [3, 1, 4, 1, 5], [1] * 5, [0] * 5
HALVES = Pair([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1])
LAST = Pair([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0])
ENDS = Pair([1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1])

CASES = {
    case.box.name: case
    for case in (
        _case("L1", Laplace(1.0), Pair(0, 1), 1.0),
        _case("L½", Laplace(0.5), Pair(0, 1), 2.0),
        _case("H5", Laplace(1.0), Pair(FIVE, [3, 1, 5, 1, 5]), 1.0),
        _case("H5r", Laplace(1.0), Pair(FIVE, [3, 0, 5, 1, 5]), 2.0),
        _case("S6", SparseVector(2.0, 1.0), Pair(ABOVE + BELOW, BELOW + ABOVE), 4.0308),
        # Largest log ratios by quadrature. Algorithms 1 to 4 of Lyu, Su & Li, and 64 vectors of 6.
        _case("SVT1", CutSparseVector(2.0, 4.0), HALVES, 0.7331),
        _case("SVT2", CutSparseVector(4.0, 8.0, most=2, renewed=True), HALVES, 0.4424),
        _case("SVT3", CutSparseVector(2.0, 2.0, answers=True), LAST, 2.5),
        _case("SVT4", CutSparseVector(4.0, 4 / 3), HALVES, 1.6033),
        _case("SVT64", SparseVector(2.0, 0.0), ENDS, 1.4377),
        _case("L0.1", Laplace(10.0), Pair(0, 22, 22), 0.1),
        _case("G1", Gaussian(1.0), Pair(0, 1), 1.0, GaussianDP(Fraction(1))),
    )
}
"""By the names of their boxes."""
