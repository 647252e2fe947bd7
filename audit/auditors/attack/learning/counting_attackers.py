"""Attackers that count: outcomes, and values of columns, under either coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.linear_model import LogisticRegression

from audit.auditors.attack.columns.cuts import Tally, codes, difference, merge_bins
from audit.auditors.attack.learning.calibration import calibrate_cells
from audit.auditors.attack.learning.learning import Cost, Learning, Lesson
from audit.auditors.attack.scores.rules import Score
from audit.auditors.attack.scores.simple_scores import Cells, Single
from audit.auditors.attack.scores.weighings import Bins
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

FloatArray = NDArray[np.float64]

MOST_CELLS = 4096
"""Outcomes with a score of their own (some 150 kB of a certificate)."""

LEAST_COVERED = 0.5
"""The share of runs whose outcome recurs, at least (of fewer, such as numbers on a fine grid, few
new runs have an outcome that was seen; and the columns tell as much)."""

WEIGHTED_RUNS = 100_000
"""Runs from which weights are learned (their errors are then below one
in a hundred)."""

MOST_SUMMED = 60
"""Columns whose steps are summed, those that tell most."""

DEVIATIONS = 2.0
"""How far below its estimate a tail's log ratio is counted, in standard errors (of some hundred
columns with some dozen tails, a lucky one seldom wins)."""


@dataclass(frozen=True)
class BinAttacker:
    """Steps of each column's log ratio, summed: exact where columns are independent given the coin.

    That is the naive Bayes rule. The ratios are calibrated: a clipped line of the column's values,
    from which bins depart as far as their counts show.
    """

    name: str
    learning: Learning
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A sum of steps; None where no column alone tells anything."""
        lesson = self.learning(runs, pair)
        steps = [_calibrate(lesson.tallies[s.place], s) for s in _telling_steps(lesson)]
        return _bins(lesson, steps, np.ones(len(steps))) if steps else None


@dataclass(frozen=True)
class WeightedBinAttacker:
    """A sum with a weight for each column, so that what two columns both say counts once.

    Equal neighbouring ratios become one step, so that the outputs that tell most have one score.
    """

    name: str
    learning: Learning
    cost: Cost = Cost.MIDDLE

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A weighted sum of steps; None where no column alone tells anything."""
        lesson = self.learning(runs, pair)
        steps = _telling_steps(lesson)
        if not steps:
            return None
        some = lesson.first(WEIGHTED_RUNS)
        parts = np.stack([step.of(some.matrix[:, step.place]) for step in steps], axis=1)
        return _bins(lesson, steps, logistic_weights(parts, some.coins))


def logistic_weights(matrix: FloatArray, coins: NDArray[np.bool_]) -> FloatArray:
    """[columns], the weights of a regularised logistic regression of the coin; 0 if all agree."""
    if coins.all() or not coins.any():
        return np.zeros(matrix.shape[1])
    return np.asarray(LogisticRegression(max_iter=200).fit(matrix, coins).coef_[0], np.float64)


@dataclass(frozen=True, eq=False)
class Steps:
    """The log ratio of a column as a step function.

    ``worth``: the likelihood-ratio statistic of all steps together against none.
    """

    place: int
    edges: FloatArray
    values: FloatArray
    worth: float

    def of(self, column: FloatArray) -> FloatArray:
        """[runs], the step that each value is on."""
        return self.values[codes(column, self.edges)]


def _telling_steps(lesson: Lesson) -> list[Steps]:
    """The step functions of the columns that tell most, in the order of columns."""
    found = [_steps(lesson, place) for place in range(len(lesson.columns))]
    telling = sorted((s for s in found if len(s.edges)), key=lambda s: -s.worth)
    return sorted(telling[:MOST_SUMMED], key=lambda s: s.place)


def _steps(lesson: Lesson, place: int) -> Steps:
    """One column's steps.

    Half a count is added on both sides, which makes a log ratio nearly unbiased (Haldane 1956,
    Anscombe 1956). A step must be worth a parameter by Schwarz's criterion (1978).
    """
    tally = merge_bins(lesson.tallies[place], float(np.log(len(lesson.coins))))
    values = np.log((tally.counts[1] + 0.5) / (tally.counts[0] + 0.5))
    return Steps(place, tally.edges, values, difference(tally.counts))


def _calibrate(tally: Tally, steps: Steps) -> Steps:
    """The steps of a column with all of its bins and their calibrated log ratios."""
    first, last = tally.edges[[0, -1]]
    # The outer bins have no middle; an edge alone is as good as any two ends.
    middles = np.array([first, *(tally.edges[1:] / 2 + tally.edges[:-1] / 2), last])
    values = logit(calibrate_cells(middles, *tally.counts))
    return Steps(steps.place, tally.edges, values, steps.worth)


def _bins(lesson: Lesson, steps: Sequence[Steps], weights: FloatArray) -> Bins:
    return Bins(
        lesson.columns.take([step.place for step in steps]),
        tuple(step.edges for step in steps),
        tuple(weight * step.values for step, weight in zip(steps, weights, strict=True)),
    )


@dataclass(frozen=True)
class CellAttacker:
    """For outcomes that recur: the logarithm of the ratio of each one's counts.

    Drawn towards what their columns say: a rare outcome, such as one vector of many, has few counts
    of its own.
    """

    name: str
    learning: Learning
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A score of each frequent outcome; None where hardly any recurs."""
        cells, first, places, counts = np.unique(
            runs.outcomes.codes(), return_index=True, return_inverse=True, return_counts=True
        )
        frequent = np.argsort(-counts, kind="stable")[:MOST_CELLS]
        frequent = np.sort(frequent[counts[frequent] > 1])
        if counts[frequent].sum() < LEAST_COVERED * len(runs) or len(cells) < 2:
            return None
        ones = np.bincount(places[runs.coins], minlength=len(cells))[frequent].astype(np.float64)
        zeros = counts[frequent] - ones
        by_columns = WeightedBinAttacker(self.name, self.learning).fit(runs, pair)
        seen = runs.take(first[frequent]).outcomes
        means = np.zeros(len(frequent)) if by_columns is None else by_columns.evaluate(seen)
        values = logit(calibrate_cells(means, zeros, ones))
        ends = first[frequent[[np.argmax(values), np.argmin(values)]]]
        high, low = (runs.outcomes.text(int(run)) for run in ends)
        return Cells(cells[frequent], values, (high, low))


@dataclass(frozen=True)
class OneColumnAttacker:
    """The one column with a tail that tells most: of few runs, the least to learn."""

    name: str
    learning: Learning
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """The column's value or its negative; None where no column is known to tell anything."""
        lesson = self.learning(runs, pair)
        found = [_tails(tally.counts) for tally in lesson.tallies]
        best = max(range(len(found)), key=lambda place: found[place][0], default=None)
        if best is None or found[best][0] <= 0:
            return None
        return Single(lesson.columns.take([best]), found[best][1])


def _tails(counts: FloatArray) -> tuple[float, bool]:
    """The largest log ratio of a tail, cautiously, and whether large values speak for the second.

    The standard error of a log ratio of counts m and n is about √(1/m + 1/n) (Woolf 1955).
    """
    best, rising = 0.0, True
    for reverse in (False, True):
        tails = np.cumsum(counts[:, ::-1] if reverse else counts, axis=1)[:, :-1] + 0.5
        ratio = np.log(tails[1] / tails[0])
        cautious = abs(ratio) - DEVIATIONS * np.sqrt(1 / tails[0] + 1 / tails[1])
        place = int(np.argmax(cautious))
        if cautious[place] > best:
            best, rising = float(cautious[place]), (ratio[place] > 0) == reverse
    return best, bool(rising)
