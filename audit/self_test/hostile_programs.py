"""Programs that attack the process they run in, for the self-test; only a child imports this.

Each asks one count of two cells under replace-one. The honest one asks it at epsilon = 1; each of
the others makes it look as if it did, and asks at epsilon = 10 or releases something else.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sized
from fractions import Fraction
from typing import Any

from synthesizers.budget import FREE, Budget, Cost, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.events import Event, Measure
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts

COUNT = CellCounts((0,))
QUIET, LOUD = DiscreteLaplace(Fraction(1)), DiscreteLaplace(Fraction(1, 10))


def honest(curator: Curator) -> Any:
    """The count at epsilon = 1."""
    return curator.measure(COUNT, QUIET, low=0, high=2)


def _loud(curator: Curator) -> Any:
    return curator.measure(COUNT, LOUD, low=0, high=2)


def _free(*words: Any) -> Cost:
    return FREE


class Declaring:
    """The honest one with a budget and a ledger."""

    noise = QUIET

    def budget(self, setting: Setting) -> Budget:
        """Epsilon = 1, whatever is asked."""
        return PureBudget(Fraction(1))

    def ledger(self, setting: Setting) -> list[Event]:
        """The honest question, whatever is asked."""
        return [Measure(COUNT, QUIET, 0, 2)]

    def __call__(self, curator: Curator) -> Any:
        """One question."""
        return curator.measure(COUNT, self.noise, low=0, high=2)


class AsksAnother(Declaring):
    """It asks another question than it declares."""

    noise = LOUD


declaring, asks_another = Declaring(), AsksAnother()


def free_noise(curator: Curator) -> Any:
    """Its noise costs nothing, says the class."""
    DiscreteLaplace.cost = _free  # type: ignore[method-assign, assignment]  # what a liar would do
    return _loud(curator)


def free_questions(curator: Curator) -> Any:
    """Its questions cost nothing, says their class."""
    Measure.cost = _free  # type: ignore[method-assign, assignment]  # what a liar would do
    return _loud(curator)


def lenient_budget(curator: Curator) -> Any:
    """Its budget refuses nothing."""
    PureBudget.check = _free  # type: ignore[method-assign, assignment]  # what a liar would do
    return _loud(curator)


# A function declares its budget so.
lenient_budget.budget = lambda setting: PureBudget(Fraction(1))  # type: ignore[attr-defined]  # what a liar would do


def narrow_setting(curator: Curator) -> Any:
    """The domain has one cell from here on, so that under replace-one nothing costs."""
    object.__setattr__(curator.setting, "domain", Domain.from_cells("1"))
    return _loud(curator)


def lying_plays(curator: Curator) -> Any:
    """What is told of its plays is that nothing is asked."""
    child = sys.modules["audit.subjects.program_child"]
    lie = {"outputs": [{"values": [1]}]}

    def encode(plays: Sized) -> Any:
        return {**lie, "played": [[[], "outputs", [0] * len(plays)]]}

    child.encode_plays = encode  # type: ignore[attr-defined]  # what a liar would do
    return _loud(curator)


def honest_where_played(curator: Curator) -> Any:
    """Honest where scripts are played, and loud in runs."""
    return honest(curator) if type(curator).__name__ == "ScriptedCurator" else _loud(curator)


_RUNS = [0]


def honest_at_first(curator: Curator) -> Any:
    """Honest in the first hundred runs of a process."""
    _RUNS[0] += 1
    return honest(curator) if _RUNS[0] <= 100 else _loud(curator)


def remembers(curator: Curator) -> Any:
    """It releases the answer of the run before."""
    _RUNS.append(int(honest(curator)[0]))
    return [_RUNS[-2]]


def tosses_a_coin(curator: Curator) -> Any:
    """A coin that nobody declared is part of what it releases."""
    return [int(honest(curator)[0]) ^ secrets.randbits(1)]


def looks_at_the_clock(curator: Curator) -> Any:
    """What it releases follows the clock."""
    return [int(honest(curator)[0]) + time.perf_counter_ns() % 1000]
