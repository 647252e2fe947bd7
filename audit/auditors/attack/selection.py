"""Selection: which attacker, with which thresholds, will certify the largest floor.

Held-out scores come from cross-fitting: each run is scored by a fit to the other folds, so that
all learning runs serve the fits and, unseen by them, the choice. What a candidate will certify is
predicted from its held-out guesses, with their accuracy at a lower confidence bound: the largest
of many noisy predictions would be a small region with luck.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from audit.auditors.attack.attackers import Attacker
from audit.auditors.attack.floors import claimed_value, floor, rate_matters
from audit.auditors.attack.guesses import Guesses, at_least, chances
from audit.auditors.attack.rules import GuessingRule
from audit.auditors.attack.scores import Silent
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from proofs.guarantees import Guarantee

FOLDS = 4
"""Folds of the learning runs (a fit sees three quarters of them)."""

CAUTION = 0.003
"""The error of the lower bound of held-out accuracy (at 0.05 regions of
a few lucky guesses win, at 1e-5 rare events with a large ratio lose to common ones)."""

DOUBT = 0.0005
"""The same error for the best of several attackers beside one that guesses more (half a standard
error more, as the best of several predictions is lucky too)."""

FINALISTS = 3
"""Attackers that are cross-fitted, after one split of the runs for all (the others, on which most
of the time would go, are then clearly behind)."""

SCREENED = 200_000
"""The most runs that are split to find them (some seconds of all)."""

COARSE, FINE = 1.5, 1.1
"""Ratios of the sizes of neighbouring tails, at first and then around the best (a tail that is 5 %
off costs 2.5 % of the gap to the truth)."""

WHOLE = 20
"""Into how many parts cuts that leave nobody out divide the runs (nearest
to the best one, accuracy is off by a thousandth)."""

LARGEST = float(np.finfo(np.float64).max)

JEFFREYS = 0.5
"""Right and wrong guesses that are believed in before any is seen (Jeffreys 1946)."""

QUANTILES = (np.arange(32) + 0.5) / 32
"""Where a law of accuracies is averaged over (a chance is then off by some thousandths)."""


@dataclass(frozen=True, order=True)
class Prediction:
    """What a rule will certify; the larger, the better.

    ``refutes``: the claim is predicted to be refuted. ``surplus``: right guesses beyond wrong
    ones, which decides where nothing is predicted to be certified: for rules that guess often, as
    a lucky few guesses could not see a leak if there were one.
    """

    refutes: bool
    floor: float
    surplus: int


@dataclass(frozen=True)
class Aim:
    """What rules are chosen for: the floor of ``guarantee`` that ``runs`` certify at ``error``.

    ``alarm``: the error at which a claim is refuted; a rule that is predicted to refute it comes
    before all that are not. ``distance``: of the pair.
    """

    guarantee: Guarantee
    error: float
    alarm: float
    runs: int
    distance: int = 1

    def predict(self, held: Guesses, caution: float = CAUTION) -> Prediction:
        """What a rule with these held-out guesses will certify, cautiously."""
        if held.correct <= held.wrong:
            return Prediction(False, 0.0, held.correct - held.wrong)
        accuracy = at_least(held.correct, held.number, caution)
        made = round(held.number / held.runs * self.runs)
        correct = math.floor(accuracy * made)
        guesses = Guesses(self.runs, correct, made - correct, held.one_sided, held.abstains)
        value = self._floor(guesses, self.error)
        limit = claimed_value(self.guarantee)
        refutes = value > limit and self._floor(guesses, self.alarm) > limit
        return Prediction(refutes, value, held.correct - held.wrong)

    def refuting(self, number: int, one_sided: bool, abstains: bool) -> int:
        """The fewest right guesses of so many that refute the claim; one more where none do."""
        limit = claimed_value(self.guarantee)
        too_few, enough = number // 2, number + 1
        while enough - too_few > 1:
            middle = (too_few + enough) // 2
            guesses = Guesses(self.runs, middle, number - middle, one_sided, abstains)
            refutes = self._floor(guesses, self.alarm) > limit
            too_few, enough = (too_few, middle) if refutes else (middle, enough)
        return enough

    def _floor(self, guesses: Guesses, error: float) -> float:
        found = chances(guesses, error, rate_matters(self.guarantee))
        return floor(found, self.guarantee, self.distance)


def chance_of_refuting(held: Guesses, aim: Aim) -> float:
    """The chance that a rule with these held-out guesses refutes the claim in the aim's runs.

    By the test itself: at its alarm, with as many guesses as were held out in proportion, and the
    accuracy of the law that is left of Jeffreys' after them, so that few guesses promise little.
    """
    made = round(held.number / max(held.runs, 1) * aim.runs)
    needed = aim.refuting(made, held.one_sided, held.abstains)
    if needed > made:
        return 0.0
    accuracies = betaincinv(held.correct + JEFFREYS, held.wrong + JEFFREYS, QUANTILES)
    # Of `made` guesses at least `needed` are right with the chance I_accuracy(needed, …).
    return float(betainc(needed, made - needed + 1, accuracies).mean())


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
    """The cut with the best prediction: over a coarse grid of tails, then around the best."""
    runs = len(scored)
    lows = highs = [0, *_grid(1, runs, COARSE)]
    # Cuts that leave nobody out, of which a grid of tails holds few.
    cuts = {(runs * part // WHOLE, runs * part // WHOLE) for part in range(1, WHOLE)}
    for _ in range(2):
        cuts |= {(low, runs - high) for low in lows for high in highs if low + high <= runs}
        nearest = {scored.nearest(cut) for cut in cuts}
        found, best = max((aim.predict(scored.guesses(cut)), cut) for cut in nearest)
        tails = best[0], runs - best[1]
        lows, highs = ([0, *_grid(tail / COARSE, tail * COARSE, FINE)] for tail in tails)
        cuts = {best, *((place, place) for place in lows)}
    return found, best


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
    """An attacker with its best cut, and how that fares on held-out runs."""

    attacker: Attacker
    prediction: Prediction
    cut: Cut
    held: Guesses


def choose(attackers: Sequence[Attacker], runs: Runs, pair: Pair, aim: Aim) -> Choice:
    """The rule that will certify the largest floor; one that never guesses if nobody has a score.

    All attackers are cross-fitted; of those with equal predictions the first is taken.
    """
    found = []
    for attacker, held in zip(attackers, all_held_out(attackers, runs, pair), strict=True):
        if held is not None:
            scored = Scored.of(held, runs.coins)
            prediction, cut = best_cut(scored, aim)
            found.append(Candidate(attacker, prediction, cut, scored.guesses(cut)))
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
    return Choice(GuessingRule(Silent(), -math.inf, math.inf), "none", Prediction(False, 0.0, 0))


def _best_first(candidates: Sequence[Candidate], aim: Aim) -> list[Candidate]:
    """Candidates by their predictions, but the first gives way to one that guesses more.

    It does where it would be predicted less than the other if one were more cautious with it.
    """
    ranking = sorted(candidates, key=lambda candidate: candidate.prediction, reverse=True)
    if not ranking:
        return []
    doubted = aim.predict(ranking[0].held, DOUBT)
    rivals = [one for one in ranking[1:] if one.prediction >= doubted]
    first = max([ranking[0], *rivals], key=lambda candidate: candidate.held.number)
    return [first, *(candidate for candidate in ranking if candidate is not first)]


def finalists(attackers: Sequence[Attacker], runs: Runs, pair: Pair, aim: Aim) -> list[Candidate]:
    """The attackers that a single split of runs puts first, the best one first."""
    if len(runs) < 2:
        return []
    some = runs.take(np.arange(min(len(runs), SCREENED)))
    own = next(folds(len(some)))
    others, these = some.take(~own), some.take(own)
    found = []
    for attacker in attackers:
        score = attacker.fit(others, pair)
        if score is not None:
            scored = Scored.of(score.evaluate(these.outcomes), these.coins)
            prediction, cut = best_cut(scored, aim)
            found.append(Candidate(attacker, prediction, cut, scored.guesses(cut)))
    found.sort(key=lambda candidate: candidate.prediction, reverse=True)
    return found[:FINALISTS]


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
