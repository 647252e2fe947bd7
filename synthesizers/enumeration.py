"""Reading 2: every transcript of a program, for all databases at once.

The program has no database in its hand, so one run of it serves all of them:
along a transcript the curator multiplies a vector of chances, one entry a
database. Transcripts are visited depth first by replaying the program on the
outcomes chosen so far; nothing but the current transcript is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from synthesizers.arithmetic import Arithmetic, Vector
from synthesizers.budget import Budget, UnlimitedBudget
from synthesizers.curator import (
    Curator,
    GenerationBegins,
    Program,
    Setting,
    ask_program,
    canonical_output,
    pricing,
)
from synthesizers.errors import ProtocolError, TooLargeError, rounded_count
from synthesizers.events import Coordinate, Databases, Draw, Event, Outcome, is_seed
from synthesizers.laws.public_laws import Seed
from synthesizers.plan import MAX_TRANSCRIPTS, describe

REPLAYS = 500
"""Replays of the first transcript: a hidden coin of 2 % survives them with chance below 10^-4,
and those of the transcripts after it besides."""

Transcript = tuple[tuple[Event, Outcome], ...]


@dataclass(frozen=True)
class Leaf:
    """One transcript: its events and outcomes, its output, its chance under every database.

    ``output``: None where it is generated from a seed, the transcript's last event.
    ``ledger``: the events alone; the same object for leaves in succession that share it.
    """

    transcript: Transcript
    output: tuple[Any, ...] | None
    chances: Vector
    operations: int
    ledger: tuple[Event, ...]


class _Branch:
    """One event on the current path, at its current outcome."""

    def __init__(
        self,
        event: Event,
        coordinates: tuple[Coordinate, ...],
        before: Vector,
        floor: float,
        arithmetic: Arithmetic,
        first: range | None,
    ) -> None:
        self.event = event
        self.coordinates = coordinates
        self.arithmetic = arithmetic
        self.tables = [arithmetic.table(c) for c in coordinates]
        self.first = range(len(self.tables[0])) if first is None else first
        self.stops = [self.first.stop, *(len(t) for t in self.tables[1:])]
        self.at = [self.first.start] + [0] * (len(self.tables) - 1)
        self.prefix: list[Vector] = [before] * (len(self.tables) + 1)
        floors = [arithmetic.floor(table) for table in self.tables]
        self.floors = [floor + sum(floors[: level + 1]) for level in range(len(floors))]
        self.zeros = [arithmetic.has_zero(table) for table in self.tables]
        self.alive = self._seek(0)

    @property
    def chances(self) -> Vector:
        return self.prefix[-1]

    @property
    def outcome(self) -> Outcome:
        parts = (c.outcomes[place] for c, place in zip(self.coordinates, self.at, strict=True))
        return tuple(value for part in parts for value in part)

    def advance(self) -> bool:
        """Move to the next possible outcome; False when there is none."""
        self.at[-1] += 1
        return self._seek(len(self.at) - 1)

    def _seek(self, level: int) -> bool:
        while level < len(self.tables):
            if self.at[level] >= self.stops[level]:
                if level == 0:
                    return False
                level -= 1
                self.at[level] += 1
                continue
            row = self.tables[level][self.at[level]]
            product = self.arithmetic.times(self.prefix[level], row, self.floors[level])
            if self.zeros[level] and self.arithmetic.is_nothing(product):
                self.at[level] += 1
                continue
            level += 1
            self.prefix[level] = product
            if level < len(self.tables):
                self.at[level] = 0
        return True


def leaves(
    program: Program,
    setting: Setting,
    databases: Databases,
    arithmetic: Arithmetic,
    *,
    budget: Budget | None = None,
    first: range | None = None,
    replays: int = REPLAYS,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Leaf]:
    """Every transcript with its output and its chance under every database.

    ``first`` limits the first coordinate of the first event to some of its
    outcomes, so that parts of the work can run side by side. ``replays``: how
    often the first transcript is played again. ``progress`` is told the number
    of transcripts done, now and then.

    Raises ProtocolError where the program asks other questions on replay,
    returns another output for the same transcript, or reaches past the curator;
    TooLargeError above `MAX_TRANSCRIPTS`.

    Guarantee
    ---------
    For every database the chances of all leaves sum to 1 (over all parts of
    ``first``), and each is the product of the exact chances of its events.
    Backed by ``tests/synthesizers/test_enumeration.py``.
    """
    limit = UnlimitedBudget() if budget is None else budget
    remembered = lru_cache(maxsize=64)(lambda event: event.coordinates(databases))
    price = lru_cache(maxsize=1024)(pricing(setting, limit))
    start = arithmetic.ones(len(databases.rows))
    path: list[_Branch] = []
    done = 0

    def play() -> tuple[tuple[Any, ...] | None, Transcript]:
        depth = 0
        refused: list[BaseException] = []

        def answer(event: Event) -> Outcome:
            # A refusal belongs to this reading alone: a program that caught it and went on
            # would be another program than the one that answers real data.
            try:
                return reply(event)
            except BaseException as refusal:
                refused.append(refusal)
                raise

        def reply(event: Event) -> Outcome:
            nonlocal depth
            if is_seed(event):
                raise GenerationBegins
            if depth == len(path):
                before = path[-1].chances if path else start
                floor = path[-1].floors[-1] if path else 0.0
                part = first if not path else None
                # A draw's law follows its transcript and seldom comes again.
                fresh = isinstance(event, Draw)
                laws = event.coordinates(databases) if fresh else remembered(event)
                branch = _Branch(event, laws, before, floor, arithmetic, part)
                if not branch.alive:
                    if part is not None:
                        raise _NothingHere
                    raise ProtocolError(
                        f"{describe(event)} gives no outcome any chance after these answers; "
                        "the chances of a law must sum to 1"
                    )
                path.append(branch)
            elif path[depth].event != event:
                raise ProtocolError(
                    f"on replay of the same answers the program asked another question "
                    f"(question {depth + 1}: first {describe(path[depth].event)}, then "
                    f"{describe(event)}); questions may depend on the transcript alone"
                )
            depth += 1
            return path[depth - 1].outcome

        curator = Curator(setting, limit, answer, price)
        output: tuple[Any, ...] | None
        try:
            output = canonical_output(ask_program(program, curator), setting.domain)
        except GenerationBegins:
            output = None
        finally:
            if refused and not isinstance(refused[0], GenerationBegins):
                raise refused[0]
        if refused and output is not None:
            raise ProtocolError("the program returned an output without the seed that it drew")
        if output is None and not refused:
            raise ProtocolError("the program ended as if it had drawn a seed, and drew none")
        if len(curator.transcript) != depth:
            raise ProtocolError("the program got answers past the curator's ledger")
        if depth < len(path):
            raise ProtocolError(
                "on replay of the same answers the program asked fewer questions; "
                "questions may depend on the transcript alone"
            )
        return output, curator.transcript

    ledger: tuple[Event, ...] = ()
    operations = 0
    kept = -1
    while True:
        try:
            output, transcript = play()
        except _NothingHere:
            return
        chances = path[-1].chances if path else start
        if kept != len(path):
            ledger = tuple(branch.event for branch in path)
            operations = arithmetic.operations([c for branch in path for c in branch.coordinates])
        yield Leaf(transcript, output, chances, operations, ledger)
        done += 1
        for _ in range(_replays(done, replays)):
            if play() != (output, transcript):
                raise ProtocolError(
                    "on replay of the same answers the program returned another output or asked "
                    "on; its randomness must come from curator.draw with a declared law"
                )
        if progress is not None and done % 256 == 0:
            progress(done)
        kept = len(path)
        while path and not path[-1].advance():
            path.pop()
            kept = -1
        if not path:
            return
        if done >= MAX_TRANSCRIPTS or done * len(databases.rows) >= arithmetic.cap:
            widest = max((branch.event for branch in path), key=lambda e: e.width(databases))
            raise TooLargeError(
                f"the program has more transcripts than its first path promised; the cap is "
                f"{rounded_count(MAX_TRANSCRIPTS)} transcripts and "
                f"{rounded_count(arithmetic.cap)} products. The widest event is "
                f"{describe(widest)}: take fewer cells, records or narrower bounds"
            )


def _replays(done: int, most: int) -> int:
    """How often a transcript is replayed: the fewer there are, the oftener each one."""
    if done <= most:
        return most // done
    return int(done & (done - 1) == 0)


class _NothingHere(BaseException):
    """That part of the first event's outcomes is impossible under every database."""


def output_of(leaf: Leaf) -> tuple[Any, ...]:
    """What is released when the output is; TooLargeError where a seed makes too many."""
    if leaf.output is None:
        Seed().outcomes()
    assert leaf.output is not None
    return leaf.output


def transcript_of(leaf: Leaf) -> tuple[Any, ...]:
    """What is released when the transcript is: all outcomes, in order."""
    return tuple(value for _, outcome in leaf.transcript for value in outcome)
