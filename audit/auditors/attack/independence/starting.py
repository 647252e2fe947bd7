"""Starting: the first few runs of a subject, which say whether it runs, and how long one takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.effort import Tell
from audit.subjects.black_box import BlackBox
from audit.subjects.explaining import Explains, Failure
from audit.subjects.failures import FAILED, describe_failure, describe_shape
from audit.subjects.function import SINGLE_BLOCK
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Seeds
from synthesizers.errors import ProtocolError

FIRST = 5
"""Runs on a pair, on both databases, that all fail in the same way before it is given up (a subject
that works half of the time does so on 1 pair in 32)."""

CALL = 1000
"""Runs of one call of a batch form that is timed."""

NUMBER = 1000
"""The number by which these runs have random numbers of their own: above that of any far pair."""

ADVICE = (
    "a subject that never gives an output can't be audited: check that it runs on these databases, "
    "and that all it reads lies in its own folder"
)

HIDDEN = "; say --data-is-public to be shown what it says"


@dataclass(frozen=True)
class First:
    """The first runs: their outcomes on a pair, and what a run of them took after the first one."""

    pair: Pair
    outcomes: Outcomes
    seconds: float

    @property
    def failed(self) -> str | None:
        """What was seen where all of them failed in one way."""
        return describe_failure(self.outcomes) if len(self.outcomes.shapes) == 1 else None

    @property
    def failing(self) -> int | None:
        """The first of them that failed; None where none did."""
        kinds = [self.outcomes.shapes[shape].kind in FAILED for shape in self.outcomes.of]
        return kinds.index(True) if any(kinds) else None

    @property
    def timed_out(self) -> bool:
        """Whether all of them were ended by the clock."""
        return [(one.kind, one.detail) for one in self.outcomes.shapes] == [("ended", "time")]


def start(box: BlackBox, pairs: Iterable[Pair], seed: int, public: bool, tell: Tell) -> float:
    """Run a box a few times, pair by pair until one gives an output; the seconds that a run takes.

    ``public``: what a failing run says may be shown, since its database is invented, or is said to
    be public. A run that fails where others don't is told to ``tell`` at once.

    Raises ProtocolError, with what the first failing run says, where all runs on all pairs fail,
    on each in one way, or where those on the first are ended by the clock.

    Guarantee
    ---------
    Unless ``public``, nothing is told of a failure but its phase, exit code or type of exception,
    and line. Backed by ``tests/audit/auditors/attack/independence/test_starting.py``.
    """
    failed: list[First] = []
    for number, pair in enumerate(pairs):
        first = _first(box, pair, Seeds(seed).block("alive", NUMBER, number)[1])
        if first.failed is None:
            broken = next((one for one in (*failed, first) if one.failing is not None), None)
            if broken is not None:
                tell(f"a run failed: {_explain(box, broken, seed, public)}")
            return first.seconds
        failed.append(first)
        if first.timed_out:
            break
    if not failed:
        return 0.0
    told = describe_failure(Outcomes.join([one.outcomes for one in failed]))
    hidden = "" if public else HIDDEN
    raise ProtocolError(
        f"{box.name}: {told}; {ADVICE}{hidden}. The first: {_explain(box, failed[0], seed, public)}"
    )


def _first(box: BlackBox, pair: Pair, seed: int) -> First:
    """A first run, which may start a process, and others, which are timed."""
    coins = np.arange(FIRST) % 2 == 1
    first = box.draw(pair, coins[:1], seed)
    others, seconds = _time(box, pair, coins[1:], seed + 1)
    found = First(pair, Outcomes.join([first, others]), seconds)
    if box.block > SINGLE_BLOCK and found.failing is None:
        # Of a batch form a call takes as long as its runs, or longer.
        found = First(pair, found.outcomes, _time(box, pair, np.arange(CALL) % 2 == 1, seed)[1])
    return found


def _time(box: BlackBox, pair: Pair, coins: NDArray[np.bool_], seed: int) -> tuple[Outcomes, float]:
    begun = time.perf_counter()
    outcomes = box.draw(pair, coins, seed)
    return outcomes, (time.perf_counter() - begun) / len(coins)


def _explain(box: BlackBox, first: First, seed: int, public: bool) -> str:
    """What the first failing run says, if it fails again; otherwise how it ended."""
    assert first.failing is not None
    place = first.failing
    database: Any = (first.pair.first, first.pair.second)[place % 2]
    found = box.explain(database, seed % 2**31) if isinstance(box, Explains) else None
    if found is None:
        found = Failure("run", describe_shape(first.outcomes.shapes[first.outcomes.of[place]]))
    return found.words(public)
