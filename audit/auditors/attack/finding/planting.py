"""Planting: a positive control, the subject's own outputs with a leak of known size among them.

What was drawn of the subject stays; a share of its outputs is replaced by randomised response to
the coin, in two outcomes that no subject has. No new runs are made for it, and nothing of it
touches the rule that is tested, its guesses or its p-value: a control can only keep an audit from
saying NOT REFUTED.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import Refuting, find_rate
from audit.auditors.attack.learning import batch
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.scores.rules import GuessingRule
from audit.statements.power import Control
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from proofs.guarantees import Guarantee

MOST_PLANTED = 0.8
"""The most of the outputs that are replaced; among the others, the subject's, the leak has to be
found. With a half, 500 runs a database, which can see twice ε = 1, refute a leak of this size in
62 % of cases; with four fifths in 96 %, nearly as often as by a rule that always guesses."""

MARKS = Raised("planted leak, A"), Raised("planted leak, B")
"""What stands in place of an output; with a space in its name, which no type of Python's has."""

STREAM = 0xC0
"""Sets the random numbers of a control apart from those of the audit's runs."""


@dataclass(frozen=True)
class Leak:
    """Randomised response in place of outputs: how often it is put there, and how often right."""

    rate: float
    accuracy: float

    @classmethod
    def of_size(cls, value: float, rate: float, guarantee: Guarantee, distance: int) -> Leak:
        """The leak that shows this value of the claim's own parameter at this rate.

        For pure ε at distance k it is right with the chance e^(kX)/(1 + e^(kX)). Its outcomes are
        apart from the subject's, so that the mixture of a subject that keeps a smaller ε has
        exactly this one.
        """
        return cls(rate, find_rate(value, rate, guarantee, distance))

    def plant(self, runs: Runs, random: np.random.Generator) -> Runs:
        """Runs with some outcomes replaced, each independently of all others."""
        chosen = random.random(len(runs)) < self.rate
        right = random.random(len(runs)) < self.accuracy
        said = np.where(right, runs.coins, ~runs.coins)[chosen].astype(np.intp)
        marks = Outcomes.of_outputs(MARKS).take(said)
        both = Outcomes.join([runs.outcomes.take(~chosen), marks])
        # Back in their own order: kept ones first, planted ones after them.
        places = np.empty(len(runs), np.intp)
        places[np.flatnonzero(~chosen)] = np.arange(len(runs) - len(said))
        places[np.flatnonzero(chosen)] = np.arange(len(runs) - len(said), len(runs))
        return Runs(both.take(places), runs.coins)


def find_planted_rate(guesses: Guesses) -> float:
    """How often a leak is planted: as often as the rule guesses, up to `MOST_PLANTED`."""
    rate = guesses.number / max(guesses.runs, 1) * (2 if guesses.one_sided else 1)
    return min(MOST_PLANTED, rate)


@dataclass(eq=False)
class Planted:
    """A rule that was learned of planted runs, and how it fares on the runs that certify."""

    value: float
    leak: Leak
    rule: GuessingRule
    random: np.random.Generator
    guesses: Guesses = field(init=False)

    def __post_init__(self) -> None:
        self.guesses = Guesses(0, 0, 0, self.rule.one_sided, self.rule.abstains)

    def heed(self, block: Runs) -> None:
        """Count the rule's guesses on a block of the certifying runs, with the leak planted."""
        planted = self.leak.plant(block, self.random)
        self.guesses = self.guesses + self.rule.count(planted.outcomes, planted.coins)

    def control(self, test: Refuting) -> Control:
        """What came of it, by the test that the attack's own rule has."""
        return Control(self.value, self.leak.rate, test.refutes(self.guesses))


def plant(
    value: Fraction, learned: batch.Learned, pair: Pair, aim: Aim, seed: int
) -> Planted | None:
    """The control of an attack that has learned its rule; None where that rule never guesses.

    ``value``: of the leak, in the claim's own parameter. ``aim``: what the attack's rule was chosen
    for. The leak is as frequent as the rule's guesses were in the runs that it was learned from.
    """
    learning = learned.learning
    rate = find_planted_rate(learned.choice.rule.count(learning.outcomes, learning.coins))
    if rate == 0:
        return None
    leak = Leak.of_size(float(value), rate, aim.guarantee, pair.distance)
    random = np.random.default_rng([seed, STREAM])
    planted = leak.plant(learning, random)
    choice = batch.choose_rule(planted, pair, replace(aim, runs=learned.certifying))
    return Planted(float(value), leak, choice.rule, random)
