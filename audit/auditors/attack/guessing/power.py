"""Power: how small a leak the test of a rule could have seen, and how many runs would see it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Protocol

import numpy as np
from scipy.optimize import bisect
from scipy.special import betainc, betaincinv

from audit.auditors.attack.guessing.betting import EProcess, Stakes, stakes
from audit.auditors.attack.guessing.floors import claimed_name, claimed_value, floor, p_value
from audit.auditors.attack.guessing.guesses import Chances, Guesses, find_fewest
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import InputError

POWER = 0.9
"""The chance with which a leak that counts as detectable is refuted."""

OF_BEFORE = 0.8
"""The same chance in certificates that state a `Resolution`."""

UNSEEN = 3.0
"""Expected occurrences at which an event is missed with less than 5 %, e^-3 (the rule of three,
Hanley & Lippman-Hand 1983)."""

MOST_RUNS = 10**9
"""The most runs that are named as enough: beyond, nobody waits for them."""

STEP = 1.01
"""How near the number of runs that would do comes to the smallest one."""


def choose_detect(guarantee: Guarantee) -> Fraction:
    """The leak that an attack must be able to see, unless the user says which.

    It is that of half the noise: ε and μ are then twice the claim (Laplace, Gaussian), ρ and ε(α)
    four times (Gaussian: both are quadratic in μ). Where nothing may leak: ε or μ of a quarter,
    and what ρ = μ²/2 and ε(α) = αμ²/2 are at that μ, which some thousand runs see.
    """
    quarter = Fraction(1, 4)
    match guarantee:
        case ApproxDP(epsilon=value) | GaussianDP(mu=value):
            return 2 * value or quarter
        case ZCDP(rho=value):
            return 4 * value or quarter**2 / 2
        case RenyiDP(alpha=order, epsilon=value):
            return 4 * value or order * quarter**2 / 2


LARGEST = 10**6
"""The largest claim, or leak, that is looked for (e^32 runs show no more than 32)."""


def require_detect(guarantee: Guarantee, stated: Fraction | None) -> Fraction:
    """The leak that must be seen: as stated, or by default.

    Raises InputError for one that the claim allows, or that is too large: no runs would refute it.
    """
    order = guarantee.alpha if isinstance(guarantee, RenyiDP) else 0
    if max(claimed_value(guarantee), stated or 0, order) > LARGEST:
        raise InputError(
            f"no number of runs tests a claim or an order, or sees a leak, beyond {LARGEST:,}"
        )
    if stated is None:
        return choose_detect(guarantee)
    if stated <= claimed_value(guarantee):
        name = claimed_name(guarantee)
        raise InputError(
            f"--detect is a leak beyond the claim, so more than {name}={claimed_value(guarantee)}; "
            f"found {stated}"
        )
    return stated


class Refuting(Protocol):
    """A test of a claim by guesses: the more of them are right, the sooner it refutes."""

    @property
    def guarantee(self) -> Guarantee:
        """What is claimed."""
        ...

    @property
    def distance(self) -> int:
        """That of the pair."""
        ...

    def refutes(self, guesses: Guesses) -> bool:
        """Whether such guesses refute the claim."""
        ...


@dataclass(frozen=True)
class Binomial:
    """The binomial test of a frozen rule, at its part of the alarm."""

    guarantee: Guarantee
    alarm: float
    distance: int = 1

    def refutes(self, guesses: Guesses) -> bool:
        """Whether the p-value is at most the alarm."""
        return p_value(guesses, self.guarantee, self.distance) <= self.alarm


@dataclass(frozen=True)
class Bets:
    """Bets on guesses, as if one rule had made them all, and held the part of wealth named.

    Learning the rule takes runs besides, and wealth may have been large enough before the last run:
    so what they could have seen is described, and bounded by neither.
    """

    guarantee: Guarantee
    alarm: float
    distance: int = 1

    def refutes(self, guesses: Guesses) -> bool:
        """Whether wealth comes to 1/alarm."""
        none = guesses.runs - guesses.number
        tally = np.array([guesses.correct, guesses.wrong, none])
        table = _make_stakes(self.guarantee, self.distance, guesses.one_sided)
        return float(table.log_wealth(tally)[0]) >= -math.log(self.alarm)


@cache
def _make_stakes(guarantee: Guarantee, distance: int, one_sided: bool) -> Stakes:
    claimed = np.array([float(claimed_value(guarantee))])
    return stakes(guarantee, claimed, ((distance, one_sided),))


def find_best_bets(
    process: EProcess, alarm: float, distance: int, runs: int
) -> tuple[Bets, Guesses]:
    """The bets, with the guesses of that expert, that could have seen the smallest leak.

    Which one it is depends on how many guesses the experts made in all ``runs``, and on the wealth
    that each began with, and not on how the guesses came out.
    """
    found = [(Bets(process.guarantee, alarm, distance), Guesses(runs, 0, 0))]
    for log_share, counts in zip(process.log_shares, process.tally, strict=True):
        bets = replace(found[0][0], alarm=alarm * math.exp(log_share))
        for (far, one_sided), (right, wrong, _) in zip(process.kinds, counts.tolist(), strict=True):
            if far == distance and right + wrong:
                found.append((bets, Guesses(runs, right + wrong, 0, one_sided)))
    return min(found, key=lambda one: (find_detectable(*one), -one[1].number))


def find_detectable(test: Refuting, guesses: Guesses, chance: float = POWER) -> float:
    """The smallest leak that guesses as many as these would have shown to the test.

    Held fixed: how many runs there were and in how many a guess was made, whether the rule is
    one-sided, and the pair's distance; free is only how often guesses are right. It is the claim's
    parameter that such a rate of guesses shows at the smallest chance of a right guess with which
    the test refutes the claim in ``chance`` of cases: at distance k, of pure ε, the X with
    e^(kX)/(1 + e^(kX)) right. Infinite if no number of right guesses would do. A rule with another
    rate may see less or more.

    Guarantee
    ---------
    Between databases at the test's distance, a mechanism whose parameter is less lets no rule with
    this rate be refuted in ``chance`` of cases; one at which it is right that often is. Backed by
    ``tests/audit/auditors/attack/guessing/test_power.py``.
    """
    made, enough = guesses.number, find_fewest_right(test, guesses)
    if enough is None:
        return math.inf
    # At least `enough` of `made` are right with the chance I_accuracy(enough, made - enough + 1).
    accuracy = float(betaincinv(enough, made - enough + 1, chance))
    return floor(
        Chances(accuracy, _find_rate_of_guesses(guesses), guesses.one_sided),
        test.guarantee,
        test.distance,
    )


def bound_unseen(runs: int) -> float:
    """The chance of an event, on one database alone, that so many runs are likely to miss.

    3 / N, with N runs on one database, half of them all: an event that has this chance δ on one of
    the databases and none on the other occurs in no run with a chance of (1 - δ/2)^(2N) <= e^-3 <
    5 %; at much smaller chances it is likely not to.
    """
    return min(1.0, 2 * UNSEEN / max(runs, 1))


def find_fewest_right(test: Refuting, guesses: Guesses) -> int | None:
    """How many of as many guesses must be right to refute the claim; None where all do not."""
    made = guesses.number

    return find_fewest(
        made, lambda right: test.refutes(replace(guesses, correct=right, wrong=made - right))
    )


def find_rate(
    value: float, rate: float, guarantee: Guarantee, distance: int = 1, one_sided: bool = False
) -> float:
    """How often guesses at a rate must be right to show this value of the claim's own parameter.

    That of randomised response at the value, for pure ε; less than 1, and where no accuracy shows
    so much, the largest below it.
    """
    lowest, highest = 0.5, math.nextafter(1.0, 0.0)

    def beyond(accuracy: float) -> float:
        found = floor(Chances(accuracy, rate, one_sided), guarantee, distance)
        return 1.0 if found > value else -1.0

    if beyond(highest) < 0:
        return highest
    return float(bisect(beyond, lowest, highest, xtol=1e-15))


def count_enough_runs(test: Refuting, guesses: Guesses, accuracy: float) -> int | None:
    """How many runs refute the claim with the chance `POWER`, at an accuracy and this rate.

    None if that takes more than `MOST_RUNS`. Nothing rests on it but the advice to the reader.
    """

    def refutes(runs: int) -> bool:
        made = runs if _always_guesses(guesses) else round(runs * guesses.number / guesses.runs)
        found = replace(guesses, runs=runs, correct=made, wrong=0)
        enough = find_fewest_right(test, found)
        return enough is not None and bool(betainc(enough, made - enough + 1, accuracy) >= POWER)

    too_few, enough = 1, 2
    while not refutes(enough):
        too_few, enough = enough, 2 * enough
        if enough > MOST_RUNS:
            return None
    while enough > STEP * too_few + 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if refutes(middle) else (middle, enough)
    return enough


def _always_guesses(guesses: Guesses) -> bool:
    return not guesses.abstains and not guesses.one_sided


def _find_rate_of_guesses(guesses: Guesses) -> float:
    """How often a guess is made; of a one-sided rule, summed over both coins."""
    return min(1.0, guesses.number / guesses.runs * (2 if guesses.one_sided else 1))
