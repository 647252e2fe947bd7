"""Resolution: how small a leak an attack could have seen, said with every claim not refuted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import betaincinv

from audit.auditors.attack.betting import stakes
from audit.auditors.attack.floors import claimed_value, floor, p_value
from audit.auditors.attack.guesses import Chances, Guesses
from audit.statements.evidence import Resolution
from proofs.guarantees import Guarantee

POWER = 0.8
"""The chance with which a detectable leak is found (Cohen 1988, section 2.4: the convention)."""

UNSEEN = 3.0
"""Expected occurrences at which an event is missed with less than 5 %, e^-3 (the rule of three,
Hanley & Lippman-Hand 1983)."""


def resolution(
    guesses: Guesses, guarantee: Guarantee, alarm: float, distance: int = 1
) -> Resolution:
    """What the test of a frozen rule on a fixed number of runs could have seen.

    ``alarm``: the error at which the claim is refuted. Held fixed: how many runs there were and in
    how many a guess was made, whether the rule is one-sided, and the pair's distance; free is only
    how often guesses are right. ``detectable`` is the claim's parameter that such a rate of guesses
    shows at the smallest chance of a right guess with which the test refutes the claim in 80 % of
    cases; infinite if no number of right guesses would. A rule with another rate may see less or
    more. ``delta``: 3 / N, with N runs on one database, half of them all: an event that has this
    chance on one of the databases and none on the other occurs in no run with a chance of
    (1 - δ/2)^(2N) <= e^-3 < 5 %; at much smaller chances it is likely not to.

    Guarantee
    ---------
    Between databases at ``distance``, a mechanism whose parameter is less than ``detectable`` lets
    no rule with this rate be refuted in 80 % of cases; one at which it is right that often is.
    Backed by ``tests/audit/auditors/attack/test_resolution.py``.
    """

    def refutes(correct: int) -> bool:
        found = replace(guesses, correct=correct, wrong=guesses.number - correct)
        return p_value(found, guarantee, distance) <= alarm

    return _resolution(guesses, guarantee, distance, refutes)


def anytime_resolution(
    guesses: Guesses, guarantee: Guarantee, alarm: float, distance: int = 1
) -> Resolution:
    """What bets on the guesses could have seen by the last run, if one rule had made them all.

    As of `resolution`, with wealth of 1/alarm in place of the test. A rule that holds a part of all
    wealth is asked for that part of the alarm. Learning the rule takes runs besides, and wealth
    may have been large enough before: so the figure describes the bets, and bounds neither.
    """
    claimed = np.array([float(claimed_value(guarantee))])
    table = stakes(guarantee, claimed, ((distance, guesses.one_sided),))

    def refutes(correct: int) -> bool:
        tally = np.array([correct, guesses.number - correct, guesses.runs - guesses.number])
        return float(table.log_wealth(tally)[0]) >= -math.log(alarm)

    return _resolution(guesses, guarantee, distance, refutes)


def _resolution(
    guesses: Guesses, guarantee: Guarantee, distance: int, refutes: Callable[[int], bool]
) -> Resolution:
    """``refutes``: whether so many right guesses do; from some number on all larger ones do."""
    delta = min(1.0, 2 * UNSEEN / max(guesses.runs, 1))
    made = guesses.number
    if made == 0 or not refutes(made):
        return Resolution(math.inf, delta, guesses.runs)
    too_few, enough = -1, made
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if refutes(middle) else (middle, enough)
    # At least `enough` of `made` are right with the chance I_accuracy(enough, made - enough + 1).
    accuracy = float(betaincinv(enough, made - enough + 1, POWER))
    rate = min(1.0, made / guesses.runs * (2 if guesses.one_sided else 1))
    shown = floor(Chances(accuracy, rate, guesses.one_sided), guarantee, distance)
    return Resolution(shown, delta, guesses.runs)
