"""Guesses: how often a frozen rule guessed the coin right, and what follows with what confidence.

In each run a fair coin b picks the database; the rule sees the output and guesses b, or abstains.
With P the law of (coin, output) and Q that of (other coin, output), a right guess under P is a
wrong one under Q. Between neighbours every guarantee bounds how far apart P and Q are, so the
chances of right and of wrong guesses bound its parameters from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import betaincinv

from synthesizers.errors import InputError

RATE_SHARE = 0.01
"""The part of the error spent on the rate of guesses where it matters:
its own bound is then some 10 % wider than at the whole error, and accuracy loses 1 %."""

SLACK = 1e-12
"""Relative margin for the rounding of scipy's inverse incomplete beta function (Boost's, accurate
to some 1e-14)."""


@dataclass(frozen=True)
class Guesses:
    """Counts of a frozen rule's guesses.

    ``one_sided``: the rule never guesses one of the two coins. ``abstains``: it may abstain;
    a rule that can't has guessed in every run.
    """

    runs: int
    correct: int
    wrong: int
    one_sided: bool = False
    abstains: bool = True

    def __post_init__(self) -> None:
        counts = (self.runs, self.correct, self.wrong)
        if any(type(count) is not int or count < 0 for count in counts):
            raise InputError("counts of guesses are whole numbers of at least 0")
        if self.correct + self.wrong > self.runs:
            raise InputError("there are more guesses than runs")
        if not self.abstains and self.correct + self.wrong != self.runs:
            raise InputError("a rule that never abstains guesses in every run")

    @property
    def number(self) -> int:
        """How many guesses were made."""
        return self.correct + self.wrong

    def __add__(self, other: Guesses) -> Guesses:
        return Guesses(
            self.runs + other.runs,
            self.correct + other.correct,
            self.wrong + other.wrong,
            self.one_sided and other.one_sided,
            self.abstains or other.abstains,
        )


@dataclass(frozen=True)
class Chances:
    """Lower bounds that hold together: of guesses made, how many are right; how often one is made.

    ``rate``: the chance that a run leads to a guess; for a one-sided rule, summed over both coins,
    so that `correct` and `wrong` are the chances of the event under either database.
    """

    accuracy: float
    rate: float
    one_sided: bool = False

    @property
    def correct(self) -> float:
        """The chance of a right guess."""
        return self.accuracy * self.rate

    @property
    def wrong(self) -> float:
        """The chance of a wrong guess."""
        return (1 - self.accuracy) * self.rate


def chances(guesses: Guesses, error: float, rate_matters: bool) -> Chances:
    """Bounds on the chances of guesses that both hold but with probability ``error``.

    ``rate_matters``: whether the rate is needed; without it, all the error goes to the accuracy,
    and the rate is 0.

    Guarantee
    ---------
    For independent runs with fair coins and a rule fixed before: with probability at least
    1 - error, the accuracy (the chance that a guess is right, given that it is made) and the rate
    are at least the bounds returned. Given that a guess is made in a run, right or wrong is a coin
    of its own, independent of which other runs led to guesses, so both bounds are Clopper &
    Pearson's (1934), the accuracy's conditional on the number of guesses. Backed by
    ``tests/audit/auditors/attack/guessing/test_guesses.py``.
    """
    if not 0 < error < 1:
        raise InputError("the error of a bound lies strictly between 0 and 1")
    if not rate_matters:
        return Chances(at_least(guesses.correct, guesses.number, error), 0.0, guesses.one_sided)
    if not guesses.abstains and not guesses.one_sided:
        return Chances(at_least(guesses.correct, guesses.number, error), 1.0)
    rate = at_least(guesses.number, guesses.runs, error * RATE_SHARE)
    accuracy = at_least(guesses.correct, guesses.number, error * (1 - RATE_SHARE))
    if guesses.one_sided:
        return Chances(accuracy, min(1.0, 2 * rate), True)
    return Chances(accuracy, rate)


def find_fewest(most: int, refutes: Callable[[int], bool]) -> int | None:
    """The fewest right guesses, of ``most``, that refute a claim; None where all do not.

    ``refutes``: whether so many do; from some number on all larger ones do.
    """
    if most == 0 or not refutes(most):
        return None
    too_few, enough = -1, most
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if refutes(middle) else (middle, enough)
    return enough


def at_least(successes: int, trials: int, error: float) -> float:
    """Clopper & Pearson's lower bound of a chance: it exceeds the chance with at most ``error``."""
    if successes == 0:
        return 0.0
    found = float(betaincinv(successes, trials - successes + 1, error))
    return found * (1 - SLACK) if math.isfinite(found) else 0.0
