"""Stopping early: what the guesses of a frozen rule show when runs end before all are made.

The bettor that runs along with the binomial test has a part of every error, and may be asked at any
time (`audit.auditors.attack.guessing.betting`). Of one frozen rule its wealth follows from how many
guesses were right, wrong and none, whatever their order, so that whoever has the counts can compute
what it says.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.stats import betabinom

from audit.auditors.attack.guessing.betting import EProcess, along
from audit.auditors.attack.guessing.floors import BETTOR_SHARE
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import Refuting
from proofs.guarantees import Guarantee

CAUTION = 0.003
"""The chance that is left to the remaining runs to refute, where they are judged not to."""

LOOKS = (1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8)
"""The parts of the runs after which that is judged. In as many looks, a claim that all runs would
refute is left unrefuted in some 2 % of cases more."""


def bet(guesses: Guesses, guarantee: Guarantee, error: float, distance: int) -> EProcess:
    """The process of one frozen rule after such guesses, at its part of an error."""
    tally = np.array([guesses.correct, guesses.wrong, guesses.runs - guesses.number], np.int64)
    start = along(guarantee, distance, guesses.one_sided, error * float(BETTOR_SHARE))
    return start.after(tally[None, None])


def stopped_p_value(guesses: Guesses, guarantee: Guarantee, distance: int) -> float:
    """The p-value of the claim when the guesses end, for whatever reason.

    Guarantee
    ---------
    Under the claim it is at most x with probability at most x times `BETTOR_SHARE`, whatever rule
    says when to stop, if that looks at the past alone. Backed by
    ``tests/audit/auditors/attack/guessing/test_stopping.py``.
    """
    wealth = bet(guesses, guarantee, 1 / 2, distance).log_wealth
    return min(1.0, math.exp(-wealth) / float(BETTOR_SHARE))


def stopped_floor(guesses: Guesses, guarantee: Guarantee, error: float, distance: int) -> float:
    """The floor of the claim's own parameter when the guesses end.

    Guarantee
    ---------
    Above the truth with probability at most ``error`` times `BETTOR_SHARE`, as the p-value. Backed
    by ``tests/audit/auditors/attack/guessing/test_stopping.py``.
    """
    return bet(guesses, guarantee, error, distance).floor


def is_futile(guesses: Guesses, runs: int, test: Refuting) -> bool:
    """Whether ``runs`` in all are not expected to refute, after guesses in some of them.

    They are not if as many guesses of the rest are right as are exceeded with a chance of
    `CAUTION`: by the beta-binomial law, after these guesses and before them any accuracy alike.
    Nothing rests on it but the power of what is then found.
    """
    left = (runs - guesses.runs) * guesses.number // max(guesses.runs, 1)
    right = int(betabinom.ppf(1 - CAUTION, left, guesses.correct + 1, guesses.wrong + 1))
    most = replace(
        guesses,
        runs=runs,
        correct=guesses.correct + right,
        wrong=guesses.wrong + left - right,
    )
    return not test.refutes(most)


def is_look(before: int, after: int, runs: int) -> bool:
    """Whether one of `LOOKS` lies between two numbers of runs."""
    return any(before < part * runs <= after for part in LOOKS)
