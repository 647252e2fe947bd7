"""Independence: whether repeated runs of a black box are independent draws, as every floor assumes.

What only seems to be random is found before anything is concluded from it: noise that is cached,
a fixed seed, a state that goes from run to run. A box that gives one output on each of the two
databases is another finding: deterministic, and then there is nothing random about its leak.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.independence.dependence_tests import (
    FloatArray,
    Sign,
    any_repeats,
    drift,
    lags,
    other_coins,
    uniform_ranks,
    waves,
)
from audit.auditors.attack.independence.orders import LONGEST, list_orders
from audit.subjects.runs import Runs

FALSE_ALARM = 1e-9
"""The chance that an audit calls independent runs dependent (that of a
contradiction). A third each is for the learning runs, for new calls, and for the certify runs."""

LEAST = 20
"""Runs on either database that all gave one output, before a box is called deterministic or
constant (a fair coin would look so once in 10^11)."""

PROBED_WIDE = 24
"""The same where outputs hold so many numbers that none is ever another's equal by chance."""

STEP = 1.25
"""The ratio of neighbouring lengths at which runs that may stop at any time are looked at (at most
a fifth of them is left out, and the share costs some 7 nats)."""


class RunsKind(Enum):
    """What runs look like."""

    INDEPENDENT = "independent so far"
    CONSTANT = "always the same output"
    DETERMINISTIC = "deterministic"
    DEPENDENT = "not independent"


@dataclass(frozen=True)
class Independence:
    """Whether runs look like independent draws.

    ``finding``: what was seen, in words. ``runs``: how many were looked at. ``repeatable``: the
    same seed gave the same outcomes again, in new processes too where the box offers them; None
    where that was not tried. ``compared``: of the runs, those that were each the only one of its
    process, with which served runs were compared. ``repeated``: runs are dependent because outputs
    came again.

    DETERMINISTIC: each database gave one output only, and the two differ. So does a random
    mechanism whose other outputs are rarer than about 3 in the runs on one database: what follows
    from it holds if the box is deterministic.
    """

    kind: RunsKind
    finding: str
    runs: int
    repeatable: bool | None = None
    compared: int = 0
    repeated: bool = False

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "kind": self.kind.value,
            "finding": self.finding,
            "runs": self.runs,
            "repeatable": self.repeatable,
        }


def examine(
    runs: Runs, seed: int, score: FloatArray | None = None, error: float = FALSE_ALARM / 3
) -> Independence:
    """Whether runs on one pair, in the order in which they were made, look independent.

    ``seed``: shares out ties in ranks; none that the box was handed. ``score`` [runs]: a number
    for each run, a function of its outcome that was fixed before.

    Guarantee
    ---------
    Independent runs, of any law of outcomes on either database, are called DEPENDENT with a
    probability of at most ``error``: each test has a share of it, and the shares sum to at most 1.
    Backed by ``tests/audit/auditors/attack/independence/test_independence.py``.
    """
    codes = runs.outcomes.codes()
    steady = _find_steady(codes, runs.coins)
    if steady is not None:
        return Independence(steady[0], steady[1], len(runs))
    # A batch form is called once a database, so that its blocks repeat on each of them.
    signs = list(any_repeats(codes, runs.coins, error / 8))
    for mine in (runs.coins, ~runs.coins):
        signs += any_repeats(codes[mine], runs.coins[mine], error / 16)
    signs += _test_ranks(runs, codes, score, seed, error * 3 / 4)
    worst = max(signs, key=lambda sign: sign.nats)
    if worst.nats >= 0:
        kind, repeated = RunsKind.DEPENDENT, worst.repeated
        return Independence(kind, worst.words, len(runs), repeated=repeated)
    return Independence(RunsKind.INDEPENDENT, RunsKind.INDEPENDENT.value, len(runs))


def take_initial(runs: Runs) -> tuple[Runs, float]:
    """For runs whose number was decided by what they showed: their part to look at, and its share.

    The longest initial part of one of the lengths that are fixed beforehand, each `STEP` times the
    one before, and the share of the error that its look may have: of the k-th length, 1/(k(k+1)).

    Guarantee
    ---------
    However the number of runs was decided, independent runs fail `examine` on the part at that
    share of an error with at most the whole error: each length is a look at the first runs of an
    endless sequence, and shares sum to 1. Backed by
    ``tests/audit/auditors/attack/independence/test_independence.py``.
    """
    place = 1
    while STEP ** (place + 1) < len(runs) + 1:
        place += 1
    length = min(len(runs), int(STEP**place))
    return runs.take(np.arange(length)), 1 / (place * (place + 1))


def _find_steady(
    codes: NDArray[np.uint64], coins: NDArray[np.bool_]
) -> tuple[RunsKind, str] | None:
    """Where each database gave one output only, in runs enough to say so."""
    sides = [codes[~coins], codes[coins]]
    if min(map(len, sides)) < LEAST or any(len(np.unique(side)) > 1 for side in sides):
        return None
    if sides[0][0] == sides[1][0]:
        return (
            RunsKind.CONSTANT,
            f"all {len(codes)} runs gave one output, the same on both databases",
        )
    words = f"{len(sides[0])} and {len(sides[1])} runs gave one output on each database"
    return RunsKind.DETERMINISTIC, f"{words}, not the same on both"


def _test_ranks(
    runs: Runs, codes: NDArray[np.uint64], score: FloatArray | None, seed: int, error: float
) -> Iterator[Sign]:
    """The tests on ranks, of the j-th order with the share 1/(j(j+1)) of the error."""
    random = np.random.default_rng([seed, LONGEST])
    coins = runs.coins[:LONGEST]
    for j, order in enumerate(list_orders(runs.outcomes, codes, score), 1):
        share = error / (j * (j + 1))
        ranks = uniform_ranks(order, coins, random)
        yield other_coins(ranks, coins, share / 8)
        # Noise that repeats may push outputs the opposite way on the other database.
        mirrored = np.where(coins, ranks, -ranks)
        for series, part in (
            (ranks, share * 3 / 8),
            (mirrored, share / 4),
            (ranks[coins], share / 8),
            (ranks[~coins], share / 8),
        ):
            yield lags(series, part / 2)
            yield drift(series, part / 4)
            yield waves(series, part / 4)
