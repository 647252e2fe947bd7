"""Attackers that learn from a few runs: the first to earn when a claim is bet against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from audit.auditors.attack.columns.marginal_columns import MarginalColumns
from audit.auditors.attack.columns.table_choice import databases_of
from audit.auditors.attack.learning.learning import Cost, choices, direct, marginals, values
from audit.auditors.attack.scores.rules import Score
from audit.auditors.attack.scores.simple_scores import Single
from audit.auditors.attack.scores.weighings import FARTHEST, Linear, Scaling
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

Array = NDArray[np.float64]

RIDGE = 60.0
"""Runs' worth of prior that columns are uncorrelated (with 50 runs of
five to ten columns that earns up to a half more than 4, and loses nothing later)."""

TINY = 1e-9
"""A variance below that of any scaled column, which keeps constant ones out."""


@dataclass(frozen=True)
class ForemostAttacker:
    """The column that tells most, by itself.

    How much it tells: how far the mean ranks under the two coins lie apart (Wilcoxon 1945), which
    no far value sways.
    """

    name: str = "the foremost column"
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """The column's values, turned so that large ones speak for the second database."""
        lesson = values(runs, pair)
        if not len(lesson.columns) or _one_sided(lesson.coins):
            return None
        ranks = rankdata(lesson.matrix, axis=0)
        spread = np.maximum(ranks.std(axis=0), 1e-300)
        apart = ranks[lesson.coins].mean(axis=0) - ranks[~lesson.coins].mean(axis=0)
        column = int(np.argmax(abs(apart) / spread))
        return Single(lesson.columns.take([column]), bool(apart[column] >= 0))


@dataclass(frozen=True)
class DirectionAttacker:
    """Fisher's linear discriminant (1936) of columns that are scaled and cut off.

    ``reach``: where, in standard deviations of a normal law. Between two Laplace laws the
    logarithm of the likelihood ratio is linear up to half a shift, and constant beyond.
    """

    reach: float
    cost: Cost = Cost.LOW

    @property
    def name(self) -> str:
        """What a report calls it."""
        return f"a direction within {self.reach:g} deviations"

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A weighted sum of columns; of one column, that column."""
        lesson = direct(runs, pair)
        if len(lesson.columns) < 2:
            of_tables = MarginalAttacker().fit(runs, pair)
            return ForemostAttacker().fit(runs, pair) if of_tables is None else of_tables
        if _one_sided(lesson.coins):
            return None
        whole = Scaling.of(lesson.matrix)
        scaling = Scaling(whole.centres, whole.scales * self.reach / FARTHEST)
        scaled = _scale(lesson.matrix, scaling)
        means = [scaled[side].mean(axis=0) for side in (~lesson.coins, lesson.coins)]
        weights = _discriminant(scaled, lesson.coins, means[1] - means[0])
        return Linear(lesson.columns, scaling, weights)


@dataclass(frozen=True)
class MarginalAttacker:
    """Fisher's discriminant of a table's marginals, along the databases' own difference.

    How far the marginals move is known, as the databases are: only how they scatter, which says
    what was measured and how well, is learned. Sixteen runs are enough to begin with.
    """

    name: str = "marginals"
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A weighted sum of marginals; None where outputs are no tables."""
        lesson = marginals(runs, pair)
        if not len(lesson.columns) or _one_sided(lesson.coins):
            return None
        (family,) = lesson.columns.families
        assert isinstance(family, MarginalColumns)
        scaling = Scaling.of(lesson.matrix)
        shifts = family.shifts(*databases_of(pair)) / scaling.scales
        scaled = _scale(lesson.matrix, scaling)
        weights = _discriminant(scaled, lesson.coins, shifts)
        return Linear(lesson.columns, scaling, weights)


@dataclass(frozen=True)
class ChoiceAttacker:
    """Which pairs of attributes hang together in a table, where the databases decide between some.

    Which way that speaks is known, as the databases are: there is nothing to learn.
    """

    name: str = "choices"
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """The column of choices; None where outputs are no tables, or the databases decide none."""
        columns = choices(runs, pair).columns
        return Single(columns, True) if len(columns) else None


def _scale(matrix: Array, scaling: Scaling) -> Array:
    columns = [scaling.scale_column(column, place) for place, column in enumerate(matrix.T)]
    return np.stack(columns, axis=1)


def _discriminant(scaled: Array, coins: NDArray[np.bool_], apart: Array) -> Array:
    """The inverse of the scatter within both coins, times how far ``apart`` their means are.

    The scatter's diagonal is enlarged as if RIDGE further runs had shown no correlation.
    """
    means = [scaled[side].mean(axis=0) for side in (~coins, coins)]
    rest = scaled - np.where(coins[:, None], means[1], means[0])
    scatter = rest.T @ rest / len(rest)
    scatter[np.diag_indices_from(scatter)] *= 1 + RIDGE / len(rest)
    scatter[np.diag_indices_from(scatter)] += TINY
    return np.asarray(np.linalg.solve(scatter, apart))


def _one_sided(coins: NDArray[np.bool_]) -> bool:
    return bool(coins.all()) or not coins.any()
