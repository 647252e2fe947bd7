"""Programs that are honest while they are analysed, or now and then, and otherwise ask at 10."""

from __future__ import annotations

import os
import secrets
import threading
import time
from fractions import Fraction
from typing import Any

from hostile_parts import FIRST, LOUD, QUIET, file_beside, loud, quiet

from synthesizers.budget import Budget, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.events import Event, Measure
from synthesizers.noise import DiscreteGaussian
from synthesizers.queries import whole_table
from synthesizers.selection import Exponential

_runs = [0]


def first_hundred(curator: Curator) -> Any:
    """Honest in the first hundred runs of a process."""
    _runs[0] += 1
    return quiet(curator) if _runs[0] <= 100 else loud(curator)


def first_hundred_outputs(curator: Curator) -> Any:
    """It asks the same in all runs, and releases something else after a hundred."""
    _runs[0] += 1
    answer = int(quiet(curator)[0])
    return [answer if _runs[0] <= 100 else 2 - answer]


def every_other(curator: Curator) -> Any:
    _runs[0] += 1
    return quiet(curator) if _runs[0] % 2 else loud(curator)


def remembers(curator: Curator) -> Any:
    """It releases what it was answered in the run before."""
    answer = int(quiet(curator)[0])
    _runs.append(answer)
    return [_runs[-2]]


def coin(curator: Curator) -> Any:
    """A coin that nobody declared decides what is asked."""
    return quiet(curator) if secrets.randbits(1) else loud(curator)


def coin_in_the_output(curator: Curator) -> Any:
    return [int(quiet(curator)[0]) ^ secrets.randbits(1)]


def clock(curator: Curator) -> Any:
    """What is released follows the clock."""
    return [int(quiet(curator)[0]) + time.perf_counter_ns() % 1000]


def by_thread(curator: Curator) -> Any:
    """Another thread changes what the next run does."""
    answer = int(quiet(curator)[0])
    thread = threading.Thread(target=lambda: _runs.append(1))
    thread.start()
    thread.join()
    return [answer, len(_runs)]


def by_hash(curator: Curator) -> Any:
    """Its outputs depend on the seed of the process's hashes."""
    return [int(quiet(curator)[0]), hash("dp-audit") % 1000]


def by_address(curator: Curator) -> Any:
    return [int(quiet(curator)[0]), id(object()) % 4096, id(curator) >> 12]


def by_process(curator: Curator) -> Any:
    """Loud where its process is not the first, told by its age at the first run."""
    return [int(quiet(curator)[0]), os.stat("/proc/self").st_ino % 1000, *os.urandom(1)]


class ByFlag:
    """Honest until a file of the user's folder is there."""

    def __call__(self, curator: Curator) -> Any:
        answer = loud(curator) if _flag() else quiet(curator)
        return [int(answer[0]), 0]


class DeclaresByFlag:
    """Its budget is ten times as large once the file is there."""

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(10 if _flag() else 1))

    def __call__(self, curator: Curator) -> Any:
        noise = LOUD if _flag() else QUIET
        # Too many answers to be listed, so that the budget is all that speaks.
        return [int(curator.measure(FIRST, noise, low=0, high=10**9)[0]), 0]


class LedgerByFlag(DeclaresByFlag):
    """The same of its ledger, without any budget."""

    def budget(self, setting: Setting) -> Budget:
        return UnlimitedBudget()

    def ledger(self, setting: Setting) -> list[Event]:
        return [Measure(FIRST, LOUD if _flag() else QUIET, 0, 10**9)]


class TreeByFlag:
    """Its second question follows from the first answer, and is louder once the file is there."""

    def __call__(self, curator: Curator) -> Any:
        noise = LOUD if _flag() else QUIET
        first = int(curator.measure(FIRST, QUIET, low=0, high=2)[0])
        if not first:
            return [0, 0]
        return [first, int(curator.measure(FIRST, noise, low=0, high=first)[0])]


def _flag() -> bool:
    try:
        file_beside("flag")
    except StopIteration:
        return False
    return True


def by_message(curator: Curator) -> Any:
    """Quiet where it plays scripts, loud in runs."""
    return quiet(curator) if type(curator).__name__ == "ScriptedCurator" else loud(curator)


def by_message_of_output(curator: Curator) -> Any:
    """It releases nothing where it plays scripts, and the answer in runs."""
    answer = int(loud(curator)[0])
    return [0 if type(curator).__name__ == "ScriptedCurator" else answer]


def coin_beyond_enumeration(curator: Curator) -> Any:
    """In one run of four it selects; otherwise it measures; either spends all of rho = 1/2."""
    query = whole_table(curator.domain)
    if secrets.randbelow(4) == 0:
        # (rate)^2 / 8 is what the exponential mechanism costs in zCDP, at sensitivity 1.
        return [curator.select(query, Exponential(Fraction(1)))]
    return curator.measure(query, DiscreteGaussian(Fraction(2)), low=0, high=10**6)


coin_beyond_enumeration.budget = lambda setting: ZCDPBudget(Fraction(1, 2))


def other_first_question(curator: Curator) -> Any:
    """The first question is a wide one in runs, and a narrow one where it is played."""
    high = 2 if type(curator).__name__ == "ScriptedCurator" else 9
    return curator.measure(FIRST, QUIET, low=0, high=high)


def wider_first_question(curator: Curator) -> Any:
    """The same the other way round, so that parts of the work would miss some answers."""
    high = 9 if type(curator).__name__ == "ScriptedCurator" else 2
    return curator.measure(FIRST, QUIET, low=0, high=high)


def wide_coin(curator: Curator) -> Any:
    """An undeclared coin before a question of so many answers that two processes list them."""
    low, high = (0, 9_999) if secrets.randbits(1) else (0, 19_999)
    first = curator.measure(FIRST, QUIET, low=low, high=high)
    return [int(curator.measure(FIRST, QUIET, low=0, high=3)[0]), int(first[0])]
