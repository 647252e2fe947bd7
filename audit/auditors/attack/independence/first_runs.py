"""First runs: each the only run of a process of its own.

Runs that share a process may share more than that: whoever makes a generator when the program is
loaded, and forks for each run, gives all forks the same noise. First runs share nothing that the
program can keep in memory, as a program that is used once a release shares nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.guessing.guesses import Guesses, at_least
from audit.auditors.attack.independence.dependence_tests import Sign, shift, uniform_ranks
from audit.auditors.attack.independence.orders import LONGEST, list_orders
from audit.subjects.black_box import Starting
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from proofs.guarantees import Guarantee

COMPARED = 40
"""First runs that served ones are compared with: outputs that all lie elsewhere are found by 20
(each counts 1.5 nats), and each costs the start of a process."""

FEWEST, MOST = 60, 5000
"""First runs that a confirmation makes: so many that either database is nearly always run 20 times,
and no more than half an hour or so takes."""

LONGER = 1.25
"""The ratio of neighbouring numbers of runs that are looked at."""

CAUTION = 0.003
"""The error of the accuracy that is expected of a rule, by which the number of runs is chosen."""

DEVIATIONS = 3.0
"""So many standard deviations of luck a confirmation may lack."""

FIRST_BLOCK = 5
"""First runs of one call, few enough to share them out."""


def shares(box: object, repeatable: bool | None) -> TypeGuard[Starting]:
    """Whether a box's runs may have more in common than the subject has from run to run.

    ``repeatable``: the same seed gave the same outcomes in new processes. Such a function owes its
    randomness to what it is handed, and has none of its own to share.
    """
    return isinstance(box, Starting) and (box.serves or not repeatable)


@dataclass(frozen=True)
class FirstRuns:
    """A black box of which each run is the only one of its process."""

    box: Starting

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.box.name

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return FIRST_BLOCK

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order."""
        return self.box.draw_first(pair, coins, seed)


def make_first_runs(box: Starting, pair: Pair, runs: int, seed: int) -> Runs:
    """So many first runs with fair coins; the same for a seed, as far as the box takes it."""
    sequence = np.random.SeedSequence([seed, COMPARED])
    coins = np.random.default_rng(sequence).integers(0, 2, runs).astype(np.bool_)
    return Runs(box.draw_first(pair, coins, int(sequence.generate_state(1)[0])), coins)


def compare(first: Runs, later: Runs, seed: int, error: float) -> Sign:
    """Whether first runs have other outputs than runs that share processes.

    Guarantee
    ---------
    ``nats`` >= 0 with probability at most ``error`` where all runs are independent draws of one
    law for each database: ranks of the first runs among the others are then independent and
    uniform, and shares of the error sum to at most 1. Backed by
    ``tests/audit/auditors/attack/independence/test_first_runs.py``.
    """
    both = Runs.join([later.take(np.arange(min(len(later), LONGEST - len(first)))), first])
    codes, start = both.outcomes.codes(), len(both) - len(first)
    random = np.random.default_rng([seed, LONGEST])
    signs = [Sign(-math.inf, "")]
    for j, order in enumerate(list_orders(both.outcomes, codes, None), 1):
        ranks = uniform_ranks(order, both.coins, random)[start:]
        # A level, one that goes the opposite way on the other database, and a spread.
        for series in (ranks, np.where(first.coins, ranks, -ranks), 2 * abs(ranks) - 0.5):
            signs.append(shift(series, error / (3 * j * (j + 1))))
    worst = max(signs, key=lambda sign: sign.nats)
    words = f"{len(first)} runs in processes of their own have other outputs than served ones"
    return Sign(worst.nats, words)


def enough(shared: Guesses, guarantee: Guarantee, alarm: float, distance: int) -> int | None:
    """How many first runs should refute a claim, by the guesses of a rule in runs that share.

    None where that is more than `MOST`. Nothing rests on it but the power of what is then found.
    """
    if not shared.number:
        return None
    accuracy, rate = at_least(shared.correct, shared.number, CAUTION), shared.number / shared.runs
    for runs in _sizes():
        made = int(rate * runs) if shared.abstains else runs
        luck = DEVIATIONS * math.sqrt(made * accuracy * (1 - accuracy))
        correct = max(int(accuracy * made - luck), 0)
        expected = Guesses(runs, correct, made - correct, shared.one_sided, shared.abstains)
        if p_value(expected, guarantee, distance) <= alarm:
            return runs
    return None


def count_enough_steady(guarantee: Guarantee, alarm: float, distance: int) -> int | None:
    """The same where each database always gave one output, which all runs but two then tell."""
    for runs in _sizes():
        right = Guesses(runs - 2, runs - 2, 0, abstains=False)
        if p_value(right, guarantee, distance) <= alarm:
            return runs
    return None


def _sizes() -> list[int]:
    count = math.ceil(math.log(MOST / FEWEST) / math.log(LONGER))
    return [min(math.ceil(FEWEST * LONGER**place), MOST) for place in range(count + 1)]
