"""Reading 2: every transcript of a program, for all databases at once.

The program has no database in its hand, so one run of it serves all of them:
along a transcript the curator multiplies a vector of chances, one entry a
database. Transcripts are visited depth first by replaying the program on the
outcomes chosen so far; nothing but the current transcript is kept.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, NoReturn

from synthesizers.arithmetic import Arithmetic, Vector
from synthesizers.budget import FREE, Budget, Cost, UnlimitedBudget
from synthesizers.curator import (
    Admission,
    Program,
    Setting,
    Transcript,
    declared_ledger,
    keep_to,
    pricing,
)
from synthesizers.errors import BudgetExceeded, ProtocolError, TooLargeError, rounded_count
from synthesizers.events import Coordinate, Databases, Draw, Event, Outcome, is_seed
from synthesizers.laws.public_laws import Seed
from synthesizers.plan import MAX_TRANSCRIPTS, describe
from synthesizers.playing import Play, Player, Script, player_of

REPLAYS = 500
"""Replays of the first transcript: a hidden coin of 2 % survives them with chance below 10^-4,
and those of the transcripts after it besides."""

SHARE = 64
"""One transcript in so many, by secret coins, is played again in a fresh process (a choice of this
project), beside the first `REPLAYS`."""

BATCH = 2048
BATCH_CHANCES = 2**17
"""The most plays that are made at once, and the most chances that they hold: 1 MB of doubles, which
stay near the processor (choices of this project)."""


@dataclass(frozen=True, eq=False, slots=True)
class _Stem:
    """What all answers to one question have in common: the questions and answers before it.

    ``asked``: the numbers of the questions, the last one and refused ones included. ``ledger``:
    the events that were answered, the last one included. ``script``, ``outcomes``: the answers
    before the last question. ``spent``: with its cost. ``refusal``: of the last question, where
    the budget does not cover it.
    """

    asked: tuple[int, ...] = ()
    ledger: tuple[Event, ...] = ()
    script: Script = ()
    outcomes: tuple[Outcome, ...] = ()
    spent: Cost = FREE
    coordinates: tuple[Coordinate, ...] = ()
    operations: int = 0
    floor: float = 0.0
    refusal: BudgetExceeded | None = None


class Leaf(NamedTuple):
    """One transcript with what is released after it, and its chance under every database.

    ``output``: None where it is generated from a seed, the transcript's last event.
    """

    stem: _Stem
    last: Outcome | None
    chances: Vector
    output: tuple[Any, ...] | None = None

    @property
    def script(self) -> Script:
        """The answers that lead to it, refusals among them."""
        return self.stem.script if self.last is None else (*self.stem.script, self.last)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The answers that lead to it, without refusals."""
        return self.stem.outcomes if self.last is None else (*self.stem.outcomes, self.last)

    @property
    def ledger(self) -> tuple[Event, ...]:
        """The events that were answered; the same object for all leaves that share them."""
        return self.stem.ledger

    @property
    def operations(self) -> int:
        """Relative error of ``chances`` in units of 2^-53."""
        return self.stem.operations

    @property
    def transcript(self) -> Transcript:
        """Events with their outcomes."""
        return tuple(zip(self.ledger, self.outcomes, strict=True))

    @property
    def played(self) -> Played:
        """What another process must find again."""
        return Played(self.script, self.transcript, self.output)


class Played(NamedTuple):
    """A script with the answered questions and the output that a program had for it."""

    script: Script
    transcript: Transcript
    output: tuple[Any, ...] | None


def leaves(
    program: Program,
    setting: Setting,
    databases: Databases,
    arithmetic: Arithmetic,
    *,
    budget: Budget | None = None,
    first: range | None = None,
    opening: Event | None = None,
    replays: int = REPLAYS,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Leaf]:
    """Every transcript with its output and its chance under every database.

    ``first`` limits the first coordinate of the first event to some of its
    outcomes, so that parts of the work can run side by side; ``opening`` is that event, which each
    part must meet, or they would be parts of different works. ``replays``: how
    often the first transcript is played again. ``progress`` is told the number
    of transcripts done, now and then. A ledger that the program declares binds here too.

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
    player = player_of(program, setting, limit)
    declared = declared_ledger(program, setting)
    admit = None if declared is None else keep_to(declared)
    reading = _Reading(player, setting, databases, arithmetic, limit, admit, first, opening)
    batch = max(1, min(BATCH, BATCH_CHANCES // max(1, len(databases.rows))))
    waiting: list[Iterator[Leaf]] = [
        iter([Leaf(_Stem(), None, arithmetic.ones(len(databases.rows)))])
    ]
    done = 0
    while waiting:
        nodes: list[Leaf] = []
        while waiting and len(nodes) < batch:
            nodes += islice(waiting[-1], batch - len(nodes))
            if len(nodes) < batch:
                waiting.pop()
        scripts = [node.script for node in nodes]
        plays = player.play(scripts)
        again: list[tuple[Script, Play]] = []
        further: list[Iterator[Leaf]] = []
        for place, (node, play) in enumerate(zip(nodes, plays, strict=True)):
            stem = node.stem
            if play.asked != stem.asked:
                reading.refuse_change(stem.asked, play.asked)
            if play.next is not None and not is_seed(player.question(play.next)):
                further.append(reading.next_nodes(node, play.next))
                continue
            if play.next is None and play.output is None:
                raise stem.refusal or ProtocolError(
                    "the program gave a run up as refused, in which nothing was refused"
                )
            if opening is not None and not stem.ledger:
                reading.require_opening(None)
            yield Leaf(stem, node.last, node.chances, play.output)
            done += 1
            if times := _replays(done, replays):
                again += [(scripts[place], play)] * times
            if progress is not None and done % 256 == 0:
                progress(done)
            if done >= MAX_TRANSCRIPTS or done * len(databases.rows) >= arithmetic.cap:
                reading.require_end([iter(nodes[place + 1 :]), *waiting, *further], stem)
        require_replayed(player, again)
        waiting += reversed(further)


class _Reading:
    """What an enumeration needs to know of every question."""

    def __init__(
        self,
        player: Player,
        setting: Setting,
        databases: Databases,
        arithmetic: Arithmetic,
        budget: Budget,
        admit: Admission | None,
        first: range | None,
        opening: Event | None,
    ) -> None:
        self._player = player
        self._databases = databases
        self._arithmetic = arithmetic
        self._budget = budget
        self._admit = admit
        self._first = first
        self._opening = opening
        self._price = lru_cache(maxsize=1024)(pricing(setting, budget))
        self._ledgers: dict[tuple[int, ...], tuple[Event, ...]] = {}

    def refuse_change(self, before: tuple[int, ...], asked: tuple[int, ...]) -> NoReturn:
        """Raise ProtocolError: the script's answers went to other questions than before."""
        for place, (number, other) in enumerate(zip(before, asked, strict=False), start=1):
            if number != other:
                raise ProtocolError(
                    f"on replay of the same answers the program asked another question (question "
                    f"{place}: first {describe(self._player.question(number))}, then "
                    f"{describe(self._player.question(other))}); "
                    "questions may depend on the transcript alone"
                )
        raise ProtocolError(
            "on replay of the same answers the program asked fewer questions; "
            "questions may depend on the transcript alone"
        )

    def require_opening(self, event: Event | None) -> None:
        """Raise ProtocolError where a part begins with another question than the whole work."""
        if self._opening is not None and event != self._opening:
            raise ProtocolError(
                "run again, the program began with another question (first "
                f"{describe(self._opening)}, then {'none' if event is None else describe(event)}); "
                "questions may depend on the transcript alone"
            )

    def next_nodes(self, node: Leaf, number: int) -> Iterator[Leaf]:
        """All that may come of the question that a play ended with."""
        stem, event, script = node.stem, self._player.question(number), node.script
        asked = (*stem.asked, number)
        if len(asked) > MAX_ASKED:
            raise TooLargeError(
                f"a transcript of the program has more than {MAX_ASKED} questions, too many to be "
                "listed; ask less, or in one question"
            )
        try:
            if self._admit is not None:
                self._admit(node.transcript, event)
            spent = stem.spent + self._price(event)
            self._budget.check(spent)
        except BudgetExceeded as refusal:
            if len(asked) > MAX_REFUSALS + len(stem.ledger):
                raise
            refused = replace(
                stem, asked=asked, script=(*script, None), outcomes=node.outcomes, refusal=refusal
            )
            return iter([Leaf(refused, None, node.chances)])
        if not stem.ledger:
            self.require_opening(event)
        # A draw's law follows its transcript and seldom comes again.
        fresh = isinstance(event, Draw)
        laws = event.coordinates(self._databases) if fresh else self._databases.laws(event)
        # Equal ledgers are one object, so that whoever collects them compares no events.
        ledger = self._ledgers.setdefault(asked, (*stem.ledger, event))
        coordinates = (*stem.coordinates, *laws)
        first = None if stem.ledger else self._first
        answers = _Answers(laws, self._arithmetic, stem.floor, first)
        further = _Stem(
            asked,
            ledger,
            script,
            node.outcomes,
            spent,
            coordinates,
            self._arithmetic.operations(coordinates),
            answers.floors[-1],
        )
        nodes = (Leaf(further, *answer) for answer in answers.list(node.chances))
        head = next(nodes, None)
        if head is None:
            if first is not None:
                return iter([])
            raise ProtocolError(
                f"{describe(event)} gives no outcome any chance after these answers; "
                "the chances of a law must sum to 1"
            )
        return chain([head], nodes)

    def require_end(self, waiting: list[Iterator[Leaf]], stem: _Stem) -> None:
        """Raise TooLargeError unless nothing is left to play."""
        if all(next(nodes, None) is None for nodes in waiting):
            return
        widest = max(stem.ledger, key=lambda e: e.width(self._databases))
        raise TooLargeError(
            f"the program has more transcripts than its first path promised; the cap is "
            f"{rounded_count(MAX_TRANSCRIPTS)} transcripts and "
            f"{rounded_count(self._arithmetic.cap)} products. The widest event is "
            f"{describe(widest)}: take fewer cells, records or narrower bounds"
        )


class _Answers:
    """The possible answers to one question, coordinate by coordinate.

    ``floors``: lower bounds on log2 of the positive chances, up to each coordinate.
    """

    def __init__(
        self,
        coordinates: tuple[Coordinate, ...],
        arithmetic: Arithmetic,
        floor: float,
        first: range | None,
    ) -> None:
        self._arithmetic = arithmetic
        self._options = [c.outcomes for c in coordinates]
        self._tables = [arithmetic.table(c) for c in coordinates]
        self._first = range(len(self._tables[0])) if first is None else first
        self._zeros = [arithmetic.has_zero(table) for table in self._tables]
        lowest = [arithmetic.floor(table) for table in self._tables]
        self.floors = [floor + sum(lowest[: level + 1]) for level in range(len(lowest))]

    def list(
        self, before: Vector, level: int = 0, answer: Outcome = ()
    ) -> Iterator[tuple[Outcome, Vector]]:
        """Each answer that some database may give, with its chances; ``before``: theirs so far."""
        table, options, floor = self._tables[level], self._options[level], self.floors[level]
        times, nothing = self._arithmetic.times, self._arithmetic.is_nothing
        zeros, last = self._zeros[level], level + 1 == len(self._tables)
        for place in self._first if level == 0 else range(len(table)):
            chances = times(before, table[place], floor)
            if zeros and nothing(chances):
                continue
            if last:
                yield answer + options[place], chances
            else:
                yield from self.list(chances, level + 1, answer + options[place])


MAX_ASKED = 1000
"""Questions along one transcript, after which an enumeration ends (a choice of this project: those
of one answer cost nothing, and a program that asks them would never end)."""

MAX_REFUSALS = 1000
"""Refused questions along one transcript, after which the last refusal ends the enumeration (a
choice of this project: a program that asks on and on would never end)."""


def _replays(done: int, most: int) -> int:
    """How often a transcript is replayed: the fewer there are, the oftener each one."""
    if done <= most:
        return most // done
    return int(done & (done - 1) == 0)


def require_same_afresh(
    program: Program, setting: Setting, budget: Budget | None, played: Sequence[Played]
) -> None:
    """Raise ProtocolError unless a process in which the program never ran plays the same.

    The scripts come in a secret order. Programs of this process have no other.
    """
    player = player_of(program, setting, UnlimitedBudget() if budget is None else budget).afresh()
    if player is None:
        return
    order = list(played)
    random.SystemRandom().shuffle(order)
    for start in range(0, len(order), BATCH):
        part = order[start : start + BATCH]
        for before, play in zip(part, player.play([one.script for one in part]), strict=True):
            answers = zip(play.asked, before.script, strict=False)
            transcript = tuple(
                (player.question(number), outcome)
                for number, outcome in answers
                if outcome is not None
            )
            seeded = play.next is not None and is_seed(player.question(play.next))
            ended = play.next is None or (seeded and before.output is None)
            if (transcript, play.output, ended) != (before.transcript, before.output, True):
                raise ProtocolError(
                    "played again in a fresh process and another order, the program asked or "
                    "returned something else for the same answers; what it does may depend on the "
                    "transcript alone"
                )


def require_replayed(player: Player, plays: list[tuple[Script, Play]]) -> None:
    """Raise ProtocolError unless the same scripts give the same plays once more."""
    scripts = [script for script, _ in plays]
    for (_, before), play in zip(plays, player.play(scripts) if scripts else [], strict=True):
        if play == before:
            continue
        if play.asked != before.asked or play.next != before.next:
            raise ProtocolError(
                "on replay of the same answers the program asked other questions; "
                "questions may depend on the transcript alone"
            )
        raise ProtocolError(
            "on replay of the same answers the program returned another output or asked "
            "on; its randomness must come from curator.draw with a declared law"
        )


def output_of(leaf: Leaf) -> tuple[Any, ...]:
    """What is released when the output is; TooLargeError where a seed makes too many."""
    if leaf.output is None:
        Seed().outcomes()
    assert leaf.output is not None
    return leaf.output


def transcript_of(leaf: Leaf) -> tuple[Any, ...]:
    """What is released when the transcript is: all outcomes, in order."""
    return tuple(value for outcome in leaf.outcomes for value in outcome)
