"""Selection: which attacker, with which thresholds, will certify the largest floor.

Held-out scores come from cross-fitting: each run is scored by a fit to the other folds, so that
all learning runs serve the fits and, unseen by them, the choice. What a candidate will certify is
expected by a curve through all of its held-out scores, and not by the counts of a tail alone: the
largest of many noisy predictions would be a small region with luck.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.aims import Aim, Prediction
from audit.auditors.attack.attackers import Attacker
from audit.auditors.attack.calibration import Calibrated, calibrate
from audit.auditors.attack.floors import rate_matters
from audit.auditors.attack.guesses import Guesses
from audit.auditors.attack.rules import GuessingRule
from audit.auditors.attack.scores import Silent
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

FOLDS = 4
"""Folds of the learning runs (a fit sees three quarters of them)."""

DOUBT = 0.16
"""The error of the lower bound, of the best of several promises, above which others count as good
(one standard error, by which the best of a few is lucky)."""

FINALISTS = 3
"""Attackers that are cross-fitted, after one split of the runs for all (the others, on which most
of the time would go, are then clearly behind)."""

SCREENED = 200_000
"""The most runs that are split to find them (some seconds of all)."""

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


def best_cut(scored: Scored, aim: Aim) -> tuple[Prediction, Cut]:
    """The cut that promises most by calibrated scores, and what it promises."""
    coins = np.diff(scored.seconds).astype(np.bool_)
    return promising_cut(scored, calibrate(scored.scores, coins), aim)


def promising_cut(scored: Scored, calibrated: Calibrated, aim: Aim) -> tuple[Prediction, Cut]:
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


@dataclass(frozen=True, eq=False)
class Choice:
    """A rule, frozen from here on; ``attacker``: who found it; ``prediction``: what it may give."""

    rule: GuessingRule
    attacker: str
    prediction: Prediction


@dataclass(frozen=True, eq=False)
class Candidate:
    """An attacker with its best cut, what that promises, and how it fares on held-out runs.

    ``likelihood``: the logarithm of that of the held-out coins by the calibrated scores.
    """

    attacker: Attacker
    prediction: Prediction
    cut: Cut
    held: Guesses
    likelihood: float

    @classmethod
    def of(
        cls, attacker: Attacker, scores: FloatArray, coins: NDArray[np.bool_], aim: Aim
    ) -> Candidate:
        """By held-out scores and their coins."""
        scored = Scored.of(scores, coins)
        rising = np.diff(scored.seconds).astype(np.bool_)
        calibrated = calibrate(scored.scores, rising)
        prediction, cut = promising_cut(scored, calibrated, aim)
        chances = calibrated.chances
        likelihood = float(np.log(np.where(rising, chances, 1 - chances)).sum())
        return cls(attacker, prediction, cut, scored.guesses(cut), likelihood)


def choose(attackers: Sequence[Attacker], runs: Runs, pair: Pair, aim: Aim) -> Choice:
    """The rule that will certify the largest floor; one that never guesses if nobody has a score.

    All attackers are cross-fitted; of those with equal predictions the first is taken.
    """
    found = [
        Candidate.of(attacker, held, runs.coins, aim)
        for attacker, held in zip(attackers, all_held_out(attackers, runs, pair), strict=True)
        if held is not None
    ]
    for candidate in _best_first(found, aim):
        score = candidate.attacker.fit(runs, pair)
        if score is not None:
            scored = Scored.of(score.evaluate(runs.outcomes), runs.coins)
            low, high = scored.thresholds(scored.nearest(candidate.cut))
            if candidate.cut[0] == candidate.cut[1] and rate_matters(aim.guarantee):
                # A rule that never abstains spends no error on its rate.
                low = math.nextafter(high, -math.inf)
            return Choice(
                GuessingRule(score, low, high), candidate.attacker.name, candidate.prediction
            )
    return Choice(GuessingRule(Silent(), -math.inf, math.inf), "none", Prediction(0.0, 0.0, 0.0))


def _best_first(candidates: Sequence[Candidate], aim: Aim) -> list[Candidate]:
    """Candidates by what they promise; but of those as good but for luck, the first.

    They are if they promise as much and tell the coins of all runs as well. The simple attackers
    come first: what they learn is smooth, where two fits of others differ.
    """
    ranking = sorted(candidates, key=lambda candidate: candidate.prediction, reverse=True)
    if not ranking:
        return []
    doubted = aim.predict(ranking[0].held, DOUBT)
    rivals = [one for one in candidates if one is ranking[0] or one.prediction >= doubted]
    enough = max(one.likelihood for one in rivals) - math.log(ranking[0].held.runs)
    good = [one for one in rivals if one.likelihood >= enough]
    return [*good, *(one for one in ranking if one not in good)]


def finalists(attackers: Sequence[Attacker], runs: Runs, pair: Pair, aim: Aim) -> list[Candidate]:
    """The attackers that a single split of runs puts first, in their order."""
    if len(runs) < 2:
        return []
    some = runs.take(np.arange(min(len(runs), SCREENED)))
    own = next(folds(len(some)))
    others, these = some.take(~own), some.take(own)
    found = []
    for attacker in attackers:
        score = attacker.fit(others, pair)
        if score is not None:
            held = score.evaluate(these.outcomes)
            found.append(Candidate.of(attacker, held, these.coins, aim))
    best = _best_first(found, aim)[:FINALISTS]
    return [candidate for candidate in found if candidate in best]


def score_held_out(attacker: Attacker, runs: Runs, pair: Pair) -> NDArray[np.float64] | None:
    """[runs], each run's score by a fit to the other folds; None where a fit has no score."""
    return all_held_out([attacker], runs, pair)[0]


def all_held_out(
    attackers: Sequence[Attacker], runs: Runs, pair: Pair
) -> list[NDArray[np.float64] | None]:
    """The held-out scores of several attackers."""
    found: list[NDArray[np.float64] | None] = [np.zeros(len(runs)) for _ in attackers]
    # A fold at a time: attackers keep what they compute of runs for as long as these exist.
    for own in folds(len(runs)):
        others, these = runs.take(~own), runs.take(own)
        for place, (attacker, scores) in enumerate(zip(attackers, found, strict=True)):
            score = None if scores is None else attacker.fit(others, pair)
            if scores is None or score is None:
                found[place] = None
            else:
                scores[own] = score.evaluate(these.outcomes)
    return found


def folds(runs: int) -> Iterator[NDArray[np.bool_]]:
    """[runs] each, a mask of the runs of each fold; none where no run would be left to fit."""
    for fold in range(min(FOLDS, runs) if runs > 1 else 0):
        yield np.arange(runs) % FOLDS == fold
