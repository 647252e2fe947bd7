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

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.floors import rate_matters
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.aims import Aim, Prediction
from audit.auditors.attack.learning.attackers import Attacker
from audit.auditors.attack.learning.calibration import calibrate
from audit.auditors.attack.learning.tails import Cut, FloatArray, Scored, find_promising_cut
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.scores.simple_scores import Silent
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
        prediction, cut = find_promising_cut(scored, calibrated, aim)
        chances = calibrated.chances
        likelihood = float(np.log(np.where(rising, chances, 1 - chances)).sum())
        return cls(attacker, prediction, cut, scored.guesses(cut), likelihood)


def choose(attackers: Sequence[Attacker], runs: Runs, pair: Pair, aim: Aim) -> Choice:
    """The rule that will certify the largest floor; one that never guesses if nobody has a score.

    All attackers are cross-fitted; of those with equal predictions the first is taken.
    """
    found = [
        Candidate.of(attacker, held, runs.coins, aim)
        for attacker, held in zip(attackers, score_all_held_out(attackers, runs, pair), strict=True)
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


def choose_finalists(
    attackers: Sequence[Attacker], runs: Runs, pair: Pair, aim: Aim
) -> list[Candidate]:
    """The attackers that a single split of runs puts first, in their order."""
    if len(runs) < 2:
        return []
    some = runs.take(np.arange(min(len(runs), SCREENED)))
    own = next(fold_runs(len(some)))
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
    return score_all_held_out([attacker], runs, pair)[0]


def score_all_held_out(
    attackers: Sequence[Attacker], runs: Runs, pair: Pair
) -> list[NDArray[np.float64] | None]:
    """The held-out scores of several attackers."""
    found: list[NDArray[np.float64] | None] = [np.zeros(len(runs)) for _ in attackers]
    # A fold at a time: attackers keep what they compute of runs for as long as these exist.
    for own in fold_runs(len(runs)):
        others, these = runs.take(~own), runs.take(own)
        for place, (attacker, scores) in enumerate(zip(attackers, found, strict=True)):
            score = None if scores is None else attacker.fit(others, pair)
            if scores is None or score is None:
                found[place] = None
            else:
                scores[own] = score.evaluate(these.outcomes)
    return found


def fold_runs(runs: int) -> Iterator[NDArray[np.bool_]]:
    """[runs] each, a mask of the runs of each fold; none where no run would be left to fit."""
    for fold in range(min(FOLDS, runs) if runs > 1 else 0):
        yield np.arange(runs) % FOLDS == fold
