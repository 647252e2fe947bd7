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
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik, betainc, betaincc, betaincinv, expit, logit

from audit.auditors.attack.attackers import Attacker
from audit.auditors.attack.calibration import calibrate
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

UNLIKELY, SURE = 0.05, 0.99
"""Chances of refuting a claim between which a larger one counts more than the floor."""

FloatArray = NDArray[np.float64]

JEFFREYS = 0.5
"""Right and wrong guesses that are believed in before any is seen (Jeffreys 1946)."""

QUANTILES = (np.arange(32) + 0.5) / 32
"""Where a law of accuracies is averaged over (a chance is then off by some thousandths)."""


@dataclass(frozen=True, order=True)
class Prediction:
    """What a rule will certify; the larger, the better.

    ``refutes``: the chance that the claim is refuted, of which differences below UNLIKELY and above
    SURE do not count. ``surplus``: right guesses beyond wrong ones, which decides where nothing is
    predicted to be certified: for rules that guess often, as a lucky few guesses could not see a
    leak if there were one.
    """

    refutes: float
    floor: float
    surplus: float


@dataclass(frozen=True)
class Aim:
    """What rules are chosen for: the floor of ``guarantee`` that ``runs`` certify at ``error``.

    ``alarm``: the error at which a claim is refuted; a rule that will likelier refute it comes
    before all others. ``distance``: of the pair.
    """

    guarantee: Guarantee
    error: float
    alarm: float
    runs: int
    distance: int = 1

    def predict(self, held: Guesses, caution: float = CAUTION) -> Prediction:
        """What a rule with these held-out guesses will certify, cautiously."""
        surplus = held.correct - held.wrong
        if held.correct <= held.wrong:
            return Prediction(0.0, 0.0, surplus)
        accuracy = at_least(held.correct, held.number, caution)
        made = round(held.number / held.runs * self.runs)
        correct = math.floor(accuracy * made)
        guesses = Guesses(self.runs, correct, made - correct, held.one_sided, held.abstains)
        chance = self._chance(made, np.array([accuracy]), held)
        return Prediction(_telling(chance), self._floor(guesses, self.error), surplus)

    def _chance(self, made: int, accuracies: FloatArray, kind: Guesses) -> float:
        """The chance that so many guesses refute the claim, if each accuracy is as likely."""
        needed = self.refuting(made, kind.one_sided, kind.abstains)
        if needed > made:
            return 0.0
        # Of `made` guesses at least `needed` are right with the chance I_accuracy(needed, …).
        return float(betainc(needed, made - needed + 1, accuracies).mean())

    def expect(
        self, correct: FloatArray, wrong: FloatArray, one_sided: bool, abstains: bool
    ) -> list[Prediction]:
        """What rules with so many right and wrong guesses expected will certify, each."""
        surplus = correct - wrong
        good = correct > wrong
        floors, chances = np.zeros(len(correct)), np.zeros(len(correct))
        if rate_matters(self.guarantee):
            for place in np.flatnonzero(good):
                made = round(correct[place] + wrong[place])
                right = min(round(correct[place]), made)
                guesses = Guesses(self.runs, right, made - right, one_sided, abstains)
                floors[place] = self._floor(guesses, self.error)
        else:
            found = betaincinv(correct[good], wrong[good] + 1, self.error)
            floors[good] = np.maximum(np.nan_to_num(logit(found)), 0) / self.distance
            chances[good] = self._power(correct[good], wrong[good])
        parts = zip(map(_telling, chances), floors.tolist(), surplus.tolist(), strict=True)
        return [Prediction(*part) for part in parts]

    def _power(self, correct: FloatArray, wrong: FloatArray) -> FloatArray:
        """The chances that a claim of pure ε is refuted, of the binomial test."""
        made = np.round(correct + wrong)
        limit = expit(float(claimed_value(self.guarantee)) * self.distance)
        most = np.floor(bdtrik(self.alarm, made, 1 - limit))
        found = betaincc(most + 1, made - most, wrong / (correct + wrong))
        return np.where((limit**made <= self.alarm) & (most >= 0), found, 0.0)

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


def _telling(chance: float) -> float:
    return 0.0 if chance < UNLIKELY else min(chance, SURE)


def chance_of_refuting(held: Guesses, aim: Aim) -> float:
    """The chance that a rule with these held-out guesses refutes the claim in the aim's runs.

    By the test itself: at its alarm, with as many guesses as were held out in proportion, and the
    accuracy of the law that is left of Jeffreys' after them, so that few guesses promise little.
    """
    made = round(held.number / max(held.runs, 1) * aim.runs)
    accuracies = betaincinv(held.correct + JEFFREYS, held.wrong + JEFFREYS, QUANTILES)
    return aim._chance(made, accuracies, held)


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


def promising_cut(scored: Scored, chances: FloatArray, aim: Aim) -> tuple[Prediction, Cut]:
    """The same with the calibrated scores at hand, rising.

    Over a coarse grid of tails, then around the best.
    """
    runs = len(scored)
    ones = np.concatenate([[0.0], np.cumsum(chances)])
    lows = highs = [0, *_grid(1, runs, GRIDS[0])]
    # Cuts that leave nobody out, of which a grid of tails holds few.
    cuts = {(runs * part // WHOLE, runs * part // WHOLE) for part in range(1, WHOLE)}
    for wide, fine in pairwise((*GRIDS, 1.0)):
        cuts |= {(low, runs - high) for low in lows for high in highs if low + high <= runs}
        found, best = _most_promising(sorted({scored.nearest(cut) for cut in cuts}), ones, aim)
        if fine > 1:
            tails = best[0], runs - best[1]
            lows, highs = ([0, *_grid(tail / wide, tail * wide, fine)] for tail in tails)
            cuts = {best, *((place, place) for place in lows)}
    return found, best


def _most_promising(cuts: Sequence[Cut], ones: FloatArray, aim: Aim) -> tuple[Prediction, Cut]:
    """``ones``: [runs + 1], how many of the lowest so many are expected to have used the second."""
    i, j = np.array(cuts).T
    runs = len(ones) - 1
    second, third = ones[-1] - ones[j], runs - j
    scale = aim.runs / runs
    correct, wrong = (i - ones[i] + second) * scale, (ones[i] + third - second) * scale
    sided = (i == 0) | (j == runs)
    kinds = sided.astype(int), (sided | (i != j)).astype(int)
    found: list[tuple[Prediction, Cut]] = []
    for one_sided in (0, 1):
        for abstains in (0, 1):
            these = np.flatnonzero((kinds[0] == one_sided) & (kinds[1] == abstains))
            promised = aim.expect(correct[these], wrong[these], bool(one_sided), bool(abstains))
            found += zip(promised, [cuts[int(place)] for place in these], strict=True)
    return max(found)


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
        chances = calibrate(scored.scores, rising)
        prediction, cut = promising_cut(scored, chances, aim)
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
