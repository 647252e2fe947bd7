"""Mechanisms of a developer: some keep their claims, some do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from synthesizers.budget import Budget, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts, Total, whole_table

ONE = Fraction(1)


@dataclass(frozen=True)
class NoisyHistogram:
    """Every cell with Laplace noise of one scale."""

    scale: Fraction = ONE

    def __call__(self, curator: Curator) -> Any:
        noise = DiscreteLaplace(self.scale)
        return curator.measure(whole_table(curator.domain), noise, low=0, high=2)


@dataclass(frozen=True)
class ManyTotals:
    """The total k times, noise of scale ``scale(k)``: an L1 sensitivity of k."""

    k: int
    root: bool = True

    def __call__(self, curator: Curator) -> Any:
        # The square root, which is the L2 sensitivity, where Laplace noise needs the L1 one.
        scale = Fraction(math.isqrt(10_000 * self.k), 100) if self.root else Fraction(self.k)
        noise = DiscreteLaplace(scale)
        return [int(curator.measure(Total(), noise, low=0, high=1)[0]) for _ in range(self.k)]


@dataclass(frozen=True)
class FromThree:
    """Noise that is too little from the third record on: only they show it."""

    def __call__(self, curator: Curator) -> Any:
        scale = ONE if curator.setting.require_rows() < 3 else ONE / 2
        return curator.measure(CellCounts((0,)), DiscreteLaplace(scale), low=0, high=3)


@dataclass(frozen=True)
class Overspender:
    """Asks twice what its budget covers."""

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(ONE)

    def __call__(self, curator: Curator) -> Any:
        noise = DiscreteLaplace(ONE)
        return [int(curator.measure(Total(), noise, low=0, high=1)[0]) for _ in range(2)]


@dataclass(frozen=True)
class ParallelQuestions:
    """One question a cell, each at the full budget: a record is in one cell only."""

    def __call__(self, curator: Curator) -> Any:
        noise = DiscreteLaplace(ONE)
        cells = range(curator.domain.size)
        return [int(curator.measure(CellCounts((c,)), noise, low=0, high=1)[0]) for c in cells]


class Plain:
    """A program whose repr does not show its parameter."""

    def __init__(self, scale: Fraction) -> None:
        self.scale = scale

    def __call__(self, curator: Curator) -> Any:
        return NoisyHistogram(self.scale)(curator)


def exact_count(database: Any, rng: np.random.Generator) -> int:
    """The number of records, with no noise."""
    return len(database)


def rounded_count(database: Any, rng: np.random.Generator, runs: int) -> Any:
    """The number of records of value 1 with rounded noise of scale 2: ε = 1/2, in batches."""
    ones = sum(record["cell"] == "1" for record in database)
    return ones + np.round(rng.laplace(scale=2, size=runs)).astype(int)


class Resampler:
    """An estimator that samples from the records it was fitted on."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, frame: Any) -> Resampler:
        """Keep the records."""
        self.frame_ = frame
        return self

    def sample(self, rows: int) -> Any:
        """Draw of them; of none, nothing."""
        if not len(self.frame_):
            return self.frame_
        return self.frame_.sample(rows, replace=True, random_state=self.random_state)
