"""Experts: guesses of the next coins, from rules that the runs so far have taught.

Each attacker gives a score; each expert bets by one way of cutting it: tails of fixed sizes, which
need little data, and the tails that would have earned most so far against one hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.betting import Stakes
from audit.auditors.attack.learning.tails import Scored
from audit.auditors.attack.scores.rules import GuessingRule, Score
from audit.subjects.runs import Runs

Array = NDArray[np.float64]

TAILS = (0.4, 0.25, 0.12, 0.05)
"""Sizes of tails that are bet on unless the past says that all bets lose (Laplace noise of twice
the claimed ε earns most on 0.28, the sparse vector technique without privacy on 0.05 to 0.12)."""

WAY_SHARES = np.array([0.1, 0.25, 0.2, 0.1, 0.2, 0.15])
"""How experts that share a score share its wealth: those of TAILS, and what earned most against
the claim, and against the smallest value not yet rejected."""

SIZES = np.concatenate([[0.0, 0.001, 0.003, 0.01, 0.02], np.arange(0.05, 0.51, 0.05)])
"""Sizes of tails among which the past decides."""

PRUDENCE = 1.0
"""Wrong guesses are reckoned as so many standard deviations more, and one more (else the luckiest
of many tails seems best)."""


@dataclass(frozen=True, eq=False)
class Experts:
    """Experts that share a score: ``lows`` and ``highs`` [experts], NaN for one that rests."""

    score: Score
    lows: Array
    highs: Array

    def rule(self, expert: int) -> GuessingRule | None:
        """The rule of one of them; None if it rests."""
        low, high = float(self.lows[expert]), float(self.highs[expert])
        return None if math.isnan(low) else GuessingRule(self.score, low, high)

    def bet(self, runs: Runs) -> NDArray[np.int64]:
        """The tally of their guesses of further runs."""
        return self.tally(self.score.evaluate(runs.outcomes), runs.coins)

    def tally(self, scores: Array, coins: NDArray[np.bool_]) -> NDArray[np.int64]:
        """[experts, 6]: right, wrong and no guesses by rules of two sides, and the same of one.

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
        return (tally[:, None] * masks[..., None]).reshape(-1, 6)


def tail(scored: Scored, size: float, stakes: Stakes) -> tuple[float, float] | None:
    """Thresholds beyond which about the lowest and the highest ``size`` of the scores lie.

    None where every bet on them against the first hypothesis would have lost.
    """
    runs = len(scored)
    cut = _at(scored.steps, round(size * runs)), _at(scored.steps, round((1 - size) * runs))
    if cut[0] > cut[1] or cut == (0, runs):
        return None
    found = scored.guesses(cut)
    tally = np.array([found.correct, found.wrong, found.runs - found.number])
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
    return scored.thresholds((int(lows[low]), int(highs[high])))


def _at(steps: NDArray[np.int64], place: int) -> int:
    """The step nearest to a place."""
    after = int(np.searchsorted(steps, place))
    if after == len(steps) or (after and place - steps[after - 1] < steps[after] - place):
        return int(steps[after - 1])
    return int(steps[after])


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
    earned = np.logaddexp.reduce(exponents + stakes.log_shares, axis=-1)
    best = int(np.argmax(earned + log_shares))
    return best if exponents[best].max() >= 0 else None
