"""Experts: guesses of the next coins, from rules that the runs so far have taught.

Each attacker gives a score; each expert bets by one way of cutting it: tails of fixed sizes, which
need little data, and the tails that would have earned most so far against one hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import rankdata

from audit.attack.betting import Stakes
from audit.attack.learning import Lesson, direct, values
from audit.attack.pair import Pair
from audit.attack.rules import Rule, Score
from audit.attack.runs import Runs
from audit.attack.scores.linear import Linear
from audit.attack.scores.scaling import FARTHEST, Scaling
from audit.attack.scores.single import Single
from audit.attack.selection import Cut, Scored

Array = NDArray[np.float64]

TAILS = (0.4, 0.25, 0.12, 0.05)
"""Sizes of tails that are bet on unless the past says that all bets lose (a choice of this project:
Laplace noise of twice the claimed ε earns most on 0.28, the sparse vector technique without
privacy on 0.05 to 0.12)."""

SIZES = np.array([0.0, 0.003, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5])
"""Sizes of tails among which the past decides (a choice of this project)."""

RIDGE = 60.0
"""Runs' worth of prior that columns are uncorrelated (a choice of this project: with 50 runs of
five to ten columns that earns up to a half more than 4, and loses nothing later)."""

TINY = 1e-9
"""A variance below that of any scaled column, which keeps constant ones out (a choice of this
project)."""

PRUDENCE = 1.0
"""Wrong guesses are reckoned as so many standard deviations more, and one (a choice of this project:
else the luckiest of many tails seems best)."""


class Learner(Protocol):
    """Something that learns a score."""

    @property
    def name(self) -> str:
        """What a report calls it."""
        ...

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A score learned from runs; None where it does not apply."""
        ...


@dataclass(frozen=True)
class SingleLearner:
    """The column that tells most, by itself.

    How much it tells: how far the mean ranks under the two coins lie apart (Wilcoxon 1945), which
    no far value sways.
    """

    name: str = "a column"

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
class DirectionLearner:
    """Fisher's linear discriminant (1936) of columns that are scaled and cut off.

    ``reach``: where, in standard deviations of a normal law. Between two Laplace laws the
    logarithm of the likelihood ratio is linear up to half a shift, and constant beyond.
    """

    reach: float

    @property
    def name(self) -> str:
        """What a report calls it."""
        return f"a direction within {self.reach:g} deviations"

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A weighted sum of columns; of one column, that column."""
        lesson = direct(runs, pair)
        if len(lesson.columns) < 2:
            return SingleLearner().fit(runs, pair)
        if _one_sided(lesson.coins):
            return None
        whole = Scaling.of(lesson.matrix)
        scaling = Scaling(whole.centres, whole.scales * self.reach / FARTHEST)
        scaled = np.stack(
            [scaling.scaled(column, place) for place, column in enumerate(lesson.matrix.T)], axis=1
        )
        return Linear(lesson.columns, scaling, _discriminant(scaled, lesson.coins))


def _discriminant(scaled: Array, coins: NDArray[np.bool_]) -> Array:
    """The inverse of the scatter within both coins, times the difference of their means.

    The scatter's diagonal is enlarged as if RIDGE further runs had shown no correlation.
    """
    means = [scaled[side].mean(axis=0) for side in (~coins, coins)]
    rest = scaled - np.where(coins[:, None], means[1], means[0])
    scatter = rest.T @ rest / len(rest)
    scatter[np.diag_indices_from(scatter)] *= 1 + RIDGE / len(rest)
    scatter[np.diag_indices_from(scatter)] += TINY
    return np.asarray(np.linalg.solve(scatter, means[1] - means[0]))


def _one_sided(coins: NDArray[np.bool_]) -> bool:
    return bool(coins.all()) or not coins.any()


def tail(scored: Scored, size: float, stakes: Stakes) -> tuple[float, float] | None:
    """Thresholds beyond which about the lowest and the highest ``size`` of the scores lie.

    None where every bet on them against the first hypothesis would have lost.
    """
    runs = len(scored)
    cut = _at(scored.steps, round(size * runs)), _at(scored.steps, round((1 - size) * runs))
    if cut[0] > cut[1] or cut == (0, runs):
        return None
    found = scored.guesses(cut)
    tally = np.array([found.correct, found.wrong, found.runs - found.made])
    earned = (stakes.factors[0, :, :3] @ tally).max()
    return scored.thresholds(cut) if earned >= 0 else None


def earner(scored: Scored, stakes: Stakes) -> tuple[float, float] | None:
    """The thresholds that would have earned most of these scores against the first hypothesis.

    None where nothing would have been earned.
    """
    runs = len(scored)
    sizes = np.unique(np.rint(SIZES * runs)).astype(np.int64)
    lows = np.unique([_at(scored.steps, size) for size in sizes])
    highs = np.unique([_at(scored.steps, runs - size) for size in sizes])
    seconds = scored.seconds
    right = (lows - seconds[lows])[:, None] + (seconds[-1] - seconds[highs])
    made = lows[:, None] + (runs - highs)
    tally = np.stack([right, made - right, runs - made], axis=-1)
    doubt = 1 + PRUDENCE * np.sqrt(tally[..., 1:2])
    earned = ((tally + doubt * [0, 1, 0]) @ stakes.factors[0, :, :3].T).max(axis=-1)
    earned[lows[:, None] > highs] = -math.inf
    low, high = np.unravel_index(int(np.argmax(earned)), earned.shape)
    if earned[low, high] <= 0:
        return None
    cut: Cut = (int(lows[low]), int(highs[high]))
    return scored.thresholds(cut)


def _at(steps: NDArray[np.int64], place: int) -> int:
    """The step nearest to a place."""
    after = int(np.searchsorted(steps, place))
    if after == len(steps) or (after and place - steps[after - 1] < steps[after] - place):
        return int(steps[after - 1])
    return int(steps[after])


@dataclass(frozen=True, eq=False)
class Experts:
    """Experts that share a score: ``lows`` and ``highs`` [experts], NaN for one that rests."""

    score: Score
    lows: Array
    highs: Array

    def rule(self, expert: int) -> Rule | None:
        """The rule of one of them; None if it rests."""
        low, high = float(self.lows[expert]), float(self.highs[expert])
        return None if math.isnan(low) else Rule(self.score, low, high)

    def bet(self, runs: Runs) -> NDArray[np.int64]:
        """The tally of their guesses of further runs."""
        return self.tally(self.score.evaluate(runs.outcomes), runs.coins)

    def tally(self, scores: Array, coins: NDArray[np.bool_]) -> NDArray[np.int64]:
        """[experts, 2 kinds, 3]: right, wrong and no guesses, by rules of two sides, and of one.

        Nothing for those that rest.
        """
        second = scores >= self.highs[:, None]
        first = scores <= self.lows[:, None]
        right = np.where(coins, second, first).sum(axis=1)
        made = (first | second).sum(axis=1)
        tally = np.stack([right, made - right, len(coins) - made], axis=-1)
        one_sided = np.isinf(self.lows) | np.isinf(self.highs)
        bets = ~np.isnan(self.lows)
        masks = np.stack([bets & ~one_sided, bets & one_sided], axis=-1)
        return tally[:, None] * masks[..., None]


def experts(
    score: Score, scores: Array, coins: NDArray[np.bool_], aims: Sequence[Stakes]
) -> Experts:
    """One by each way of cutting a score: TAILS, and the best earner for each of ``aims``.

    ``scores``, ``coins``: of runs so far, best those that the score was not fitted to.
    """
    scored = Scored.of(scores, coins)
    rests = (math.nan, math.nan)
    ends = [tail(scored, size, aims[0]) or rests for size in TAILS]
    ends += [earner(scored, aim) or rests for aim in aims]
    lows, highs = np.array(ends).T
    return Experts(score, lows, highs)


def leader(tally: NDArray[np.int64], stakes: Stakes, log_shares: Array) -> int | None:
    """The expert whose guesses [experts, 3 kinds] earned most against the first hypothesis.

    ``log_shares``: [experts], of the wealth that each begins with. None where every bet of the best
    has lost: it is then best not to bet.
    """
    exponents = np.tensordot(tally.astype(np.float64), stakes.factors[0], (-1, -1))
    best = int(np.argmax(logsumexp(exponents + stakes.log_shares, axis=-1) + log_shares))
    return best if exponents[best].max() >= 0 else None
