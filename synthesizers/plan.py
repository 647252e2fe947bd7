"""How large an enumeration is, said before it begins."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from synthesizers.arithmetic import OutcomesAlone
from synthesizers.budget import Budget, UnlimitedBudget
from synthesizers.curator import (
    Curator,
    GenerationBegins,
    Program,
    Setting,
    ask_program,
    canonical_output,
)
from synthesizers.enumeration import MAX_TRANSCRIPTS, Listing, count_transcripts
from synthesizers.errors import DPAuditError, TooLargeError, rounded_count
from synthesizers.event_words import describe
from synthesizers.events import Coordinate, Databases, Draw, Event, Outcome, is_seed
from synthesizers.playing import player_of

MOST_COUNTED = 500
FEW_COUNTED = 40
"""The most answers of one level of the tree that are played to count transcripts: a second or two
in all, of a program that has a process for every run as of another."""

PATHS = 5
"""Paths that are tried to see whether questions follow the answers."""


@dataclass(frozen=True)
class Plan:
    """How large an enumeration is.

    ``transcripts``: the product of the widths of the questions where these are the same on every
    path that was tried; otherwise the branches of the tree are counted, or ``estimated`` where it
    is too wide for that.
    """

    databases: int
    transcripts: int
    widest: str
    widest_width: int
    estimated: bool = False

    @property
    def size_text(self) -> str:
        """The transcripts, in a sentence."""
        return f"{'about ' if self.estimated else ''}{rounded_count(self.transcripts)}"

    @property
    def products(self) -> int:
        """Databases × transcripts."""
        return self.databases * self.transcripts

    def require(self, cap: int) -> None:
        """Raise TooLargeError, naming the widest event, where the job passes the cap."""
        if self.transcripts > MAX_TRANSCRIPTS or self.products > cap:
            raise TooLargeError(
                f"the enumeration needs {self.size_text} transcripts for "
                f"{self.databases} databases; the cap is {rounded_count(MAX_TRANSCRIPTS)} "
                f"transcripts and {rounded_count(cap)} products. The widest event is "
                f"{self.widest}, of {rounded_count(self.widest_width)} outcomes: take fewer "
                "cells, records or bounds"
            )


def plan(
    program: Program, setting: Setting, databases: Databases, budget: Budget | None = None
) -> Plan:
    """Judge the size of an enumeration; no chance is computed."""
    limit = UnlimitedBudget() if budget is None else budget
    walk = _Walk(program, setting, databases, limit)
    generator = random.Random(0)
    first = walk.path(lambda _: 0)
    paths = [first, walk.try_path(lambda count: count - 1)]
    paths += [walk.try_path(generator.randrange) for _ in range(PATHS - len(paths))]
    width, event = max((one for path in paths for one in path), key=_width, default=(1, None))
    name = "none" if event is None else describe(event)
    sizes = {_product(path) for path in paths}
    if len(sizes) == 1:
        return Plan(len(databases.rows), sizes.pop(), name, width)
    try:
        counted, whole = walk.count()
    except DPAuditError:
        # Whoever enumerates meets the same, and says what it is.
        counted, whole = _product(first), False
    return Plan(len(databases.rows), counted, name, width, not whole)


Path = Sequence[tuple[int, Event]]
"""The questions that a program asks one after the other, each with its width."""


def _product(path: Path) -> int:
    return math.prod(width for width, _ in path)


def _width(asked: tuple[int, Event]) -> int:
    return asked[0]


@dataclass(frozen=True)
class _Walk:
    """The tree of a program's transcripts, as far as it is walked."""

    program: Program
    setting: Setting
    databases: Databases
    budget: Budget

    def path(self, choose: Callable[[int], int]) -> Path:
        """One path; ``choose`` takes an outcome of so many."""
        found: list[tuple[int, Event]] = []
        self._follow(choose, found)
        return found

    def try_path(self, choose: Callable[[int], int]) -> Path:
        """The same, up to where it breaks off: whoever enumerates says why."""
        found: list[tuple[int, Event]] = []
        with contextlib.suppress(DPAuditError):
            self._follow(choose, found)
        return found

    def _follow(self, choose: Callable[[int], int], found: list[tuple[int, Event]]) -> None:
        def answer(event: Event) -> Outcome:
            if is_seed(event):
                raise GenerationBegins
            found.append((event.width(self.databases), event))
            parts = (
                one.outcomes[choose(len(one.outcomes))] for one in _laws(event, self.databases)
            )
            return tuple(value for part in parts for value in part)

        curator = Curator(self.setting, self.budget, answer)
        with contextlib.suppress(GenerationBegins):
            canonical_output(ask_program(self.program, curator), self.setting.domain)

    def count(self) -> tuple[int, bool]:
        """The transcripts, and whether they were counted one by one."""
        listing = Listing(self.program, self.setting, self.databases, OutcomesAlone(), self.budget)
        few = player_of(self.program, self.setting, self.budget).starts_processes
        return count_transcripts(listing, FEW_COUNTED if few else MOST_COUNTED)


def _laws(event: Event, databases: Databases) -> Sequence[Coordinate]:
    # A draw's law follows its transcript and seldom comes again.
    return event.coordinates(databases) if isinstance(event, Draw) else databases.laws(event)


def opening_question(
    program: Program, setting: Setting, budget: Budget | None = None
) -> Event | None:
    """The first question that is answered; None for a program that asks nothing, or a seed."""
    seen: list[Event] = []

    def answer(event: Event) -> Outcome:
        if not is_seed(event):
            seen.append(event)
        raise GenerationBegins

    limit = UnlimitedBudget() if budget is None else budget
    with contextlib.suppress(GenerationBegins):
        ask_program(program, Curator(setting, limit, answer))
    return seen[0] if seen else None


def first_outcomes(event: Event | None, databases: Databases) -> int:
    """How many outcomes the first coordinate of an event has (1 without an event)."""
    return 1 if event is None else len(event.coordinates(databases)[0].outcomes)
