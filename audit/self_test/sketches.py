"""Sketches of synthesizers: the questions that they ask, on a domain small enough to enumerate.

Each is honest: it spends what it says, under add-remove and replace-one, and releases what the
curator answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.calibration import exponential_rate, gaussian_variance, laplace_scale
from synthesizers.curator import Curator, Setting
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import CellCounts, Marginal, ModelError, Query, Total, whole_table
from synthesizers.selection import Exponential

IntArray = NDArray[np.int64]


def _laplace(query: Query, epsilon: Fraction, curator: Curator) -> IntArray:
    """A query's answers at a cost of ``epsilon``, clamped to the public number of rows."""
    sensitivity = query.sensitivity(curator.domain, curator.neighbours)
    noise = DiscreteLaplace(laplace_scale(epsilon, sensitivity))
    return curator.measure(query, noise, low=0, high=curator.setting.require_rows())


def _views(curator: Curator) -> list[Marginal]:
    return [Marginal((name,)) for name in curator.domain.names]


@dataclass(frozen=True)
class Views:
    """Every one-way marginal with an equal share of ``epsilon``: PriView, DPFieldGroups, DPSyn."""

    epsilon: Fraction

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> list[int]:
        """The noisy counts of one marginal after the other."""
        views = _views(curator)
        share = self.epsilon / len(views)
        return [int(c) for view in views for c in _laplace(view, share, curator)]


@dataclass(frozen=True)
class GaussianViews:
    """Every one-way marginal with an equal share of ``rho``: DPSyn's Gaussian part, PrivSyn."""

    rho: Fraction

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return ZCDPBudget(self.rho)

    def __call__(self, curator: Curator) -> list[int]:
        """The noisy counts of one marginal after the other."""
        views = _views(curator)
        released: list[int] = []
        for view in views:
            sensitivity = view.sensitivity(curator.domain, curator.neighbours)
            noise = DiscreteGaussian(gaussian_variance(self.rho / len(views), sensitivity))
            high = curator.setting.require_rows()
            released += curator.measure(view, noise, low=0, high=high).tolist()
        return released


@dataclass(frozen=True)
class Sized:
    """A noisy histogram brought to a noisy total, half of ``epsilon`` each."""

    epsilon: Fraction

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> list[int]:
        """Counts over the cells."""
        total = int(_laplace(Total(), self.epsilon / 2, curator)[0])
        counts = _laplace(whole_table(curator.domain), self.epsilon / 2, curator)
        return largest_remainder(counts.tolist(), total)


@dataclass(frozen=True)
class Thresholded:
    """A noisy histogram whose counts below a threshold are dropped: DPFieldGroups, recoding."""

    epsilon: Fraction
    threshold: int

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> list[int]:
        """Counts over the cells."""
        counts = _laplace(whole_table(curator.domain), self.epsilon, curator)
        return [int(c) if c >= self.threshold else 0 for c in counts]


@dataclass(frozen=True)
class Rounds:
    """Rounds of choosing the worst-modelled marginal and measuring it: MWEM, MST, AIM, PrivBayes.

    Each half round has an equal share of ``epsilon``; the model is what was measured so far.
    """

    epsilon: Fraction
    rounds: int = 2

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> list[int]:
        """For each round, the number of the chosen marginal and its noisy counts."""
        views, rows = _views(curator), curator.setting.require_rows()
        share = self.epsilon / (2 * self.rounds)
        models = [tuple(largest_remainder([1] * view.size(curator.domain), rows)) for view in views]
        released: list[int] = []
        for _ in range(self.rounds):
            scores = ModelError(tuple(views), tuple(models))
            sensitivity = scores.sensitivity(curator.domain, curator.neighbours)
            chosen = curator.select(scores, Exponential(exponential_rate(share, sensitivity)))
            counts = _laplace(views[chosen], share, curator)
            models[chosen] = tuple(counts.tolist())
            released += [chosen, *models[chosen]]
        return released


@dataclass(frozen=True)
class Parities:
    """Noisy Fourier coefficients of all sets of binary attributes (Barak et al. 2007).

    A coefficient is asked as the number of records of even parity; n, the coefficient of the
    empty set, is asked too where it is private.
    """

    epsilon: Fraction

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> list[int]:
        """The noisy numbers."""
        codes = curator.domain.codes()
        width = codes.shape[1]
        chosen = [c for size in range(1, width + 1) for c in combinations(range(width), size)]
        queries: list[Query] = [] if curator.neighbours.records_public else [Total()]
        for columns in chosen:
            even = np.flatnonzero(codes[:, list(columns)].sum(axis=1) % 2 == 0)
            queries.append(CellCounts(tuple(int(cell) for cell in even)))
        share = self.epsilon / len(queries)
        # The sum over the cells of even parity: one answer moved by at most one record.
        return [int(_laplace(query, share, curator).sum()) for query in queries]


@dataclass(frozen=True)
class Sparse:
    """Some cells alone, chosen beforehand and by nobody's data: PrivBasis's items."""

    epsilon: Fraction
    cells: tuple[int, ...]

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> list[int]:
        """The noisy counts of the cells."""
        return [int(c) for c in _laplace(CellCounts(self.cells), self.epsilon, curator)]
