"""Aims: what a rule is chosen for, and what one with given guesses will certify.

By the exact test itself: the floor at its error, and the chance of refuting at its alarm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik, betainc, betaincc, betaincinv, expit, logit

from audit.auditors.attack.guessing.floors import claimed_value, floor, rate_matters
from audit.auditors.attack.guessing.guesses import Guesses, at_least, chances, find_fewest
from proofs.guarantees import Guarantee

FloatArray = NDArray[np.float64]

CAUTION = 0.003
"""The error of the lower bound of held-out accuracy (at 0.05 regions of
a few lucky guesses win, at 1e-5 rare events with a large ratio lose to common ones)."""

UNLIKELY, SURE = 0.05, 0.99
"""Chances of refuting a claim between which a larger one counts more than the floor."""


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
        surplus = float(held.correct - held.wrong)
        if surplus <= 0:
            return Prediction(0.0, 0.0, surplus)
        accuracy, made = at_least(held.correct, held.number, caution), self.count_made(held)
        needed, chance = self.fewest_right(held), 0.0
        if needed is not None:
            # At least `needed` are right with the chance I_accuracy(needed, made - needed + 1).
            chance = float(betainc(needed, made - needed + 1, accuracy))
        right = math.floor(accuracy * made)
        return Prediction(_telling(chance), self._floor(held, right, made, self.error), surplus)

    def expect(self, correct: FloatArray, wrong: FloatArray) -> list[Prediction]:
        """What rules with so many right and wrong guesses expected show of a pure ε, each."""
        surplus = correct - wrong
        good = correct > wrong
        floors, powers = np.zeros(len(correct)), np.zeros(len(correct))
        found = betaincinv(correct[good], wrong[good] + 1, self.error)
        floors[good] = np.maximum(np.nan_to_num(logit(found)), 0) / self.distance
        powers[good] = self._power(correct[good], wrong[good])
        columns = (values.tolist() for values in (powers, floors, surplus))
        return [Prediction(_telling(power), *rest) for power, *rest in zip(*columns, strict=True)]

    def _power(self, correct: FloatArray, wrong: FloatArray) -> FloatArray:
        """The chances that a claim of pure ε is refuted, of the binomial test."""
        made = np.round(correct + wrong)
        limit = expit(float(claimed_value(self.guarantee)) * self.distance)
        most = np.floor(bdtrik(self.alarm, made, 1 - limit))
        found = betaincc(most + 1, made - most, wrong / (correct + wrong))
        return np.where((limit**made <= self.alarm) & (most >= 0), found, 0.0)

    def count_made(self, held: Guesses) -> int:
        """How many guesses the runs that certify lead to, at the rate of those held out."""
        return round(held.number / held.runs * self.runs) if held.runs else 0

    def fewest_right(self, held: Guesses) -> int | None:
        """How many guesses must be right to refute the claim, made as often as in ``held``.

        None where even all of them would not.
        """
        made, limit = self.count_made(held), float(claimed_value(self.guarantee))

        return find_fewest(made, lambda right: self._floor(held, right, made, self.alarm) > limit)

    def _floor(self, kind: Guesses, right: int, made: int, error: float) -> float:
        """The floor of so many guesses of a kind in the runs that certify."""
        guesses = Guesses(self.runs, right, made - right, kind.one_sided, kind.abstains)
        found = chances(guesses, error, rate_matters(self.guarantee))
        return floor(found, self.guarantee, self.distance)


def _telling(chance: float) -> float:
    return 0.0 if chance < UNLIKELY else min(chance, SURE)
