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

CASES = {
    case.box.name: case
    for case in (
        _case("L1", Laplace(1.0), Pair(0, 1), 1.0),
        _case("L½", Laplace(0.5), Pair(0, 1), 2.0),
        _case("H5", Laplace(1.0), Pair(FIVE, [3, 1, 5, 1, 5]), 1.0),
        _case("H5r", Laplace(1.0), Pair(FIVE, [3, 0, 5, 1, 5]), 2.0),
        _case("S6", SparseVector(2.0, 1.0), Pair(ABOVE + BELOW, BELOW + ABOVE), 4.0308),
        _case("L0.1", Laplace(10.0), Pair(0, 22, 22), 0.1),
        _case("G1", Gaussian(1.0), Pair(0, 1), 1.0, GaussianDP(Fraction(1))),
    )
}
"""By the names of their boxes."""
