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
from itertools import chain, compress, islice
from typing import Any, NamedTuple, NoReturn, cast

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

FEW_REPLAYS = 16
"""The same of a program that has a process for every run (a choice of this project): it keeps
nothing from one run for the next, and a process takes a tenth of a second or more."""

SHARE = 64
"""One transcript in so many, by secret coins, is played again in a fresh process (a choice of this
project), beside the first `REPLAYS`."""

BATCH = 2048
BATCH_CHANCES = 2**20
"""The most plays that are made at once, and the most chances that are held for them: 8 MB of
doubles (choices of this project)."""

BLOCK_CHANCES = 2**17
"""The most chances that are multiplied at once: 1 MB of doubles, which stay near the processor
until they are added (a choice of this project)."""


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


class Block(NamedTuple):
    """Transcripts that differ in the last answer alone; as `Leaf`, with one entry a transcript."""

    stem: _Stem
    lasts: list[Outcome | None]
    chances: Vector
    outputs: list[tuple[Any, ...] | None]

    def leaf(self, place: int) -> Leaf:
        """One of its transcripts."""
        return Leaf(self.stem, self.lasts[place], self.chances[place], self.outputs[place])

    def leaves(self) -> Iterator[Leaf]:
        """Its transcripts, one by one."""
        return map(self.leaf, range(len(self.lasts)))


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
    replays: int = REPLAYS,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Leaf]:
    """The transcripts of `blocks`, one by one."""
    found = blocks(
        program,
        setting,
        databases,
        arithmetic,
        budget=budget,
        first=first,
        replays=replays,
        progress=progress,
    )
    return chain.from_iterable(block.leaves() for block in found)


def blocks(
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
) -> Iterator[Block]:
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
    For every database the chances of all transcripts sum to 1 (over all parts of
    ``first``), and each is the product of the exact chances of its events.
    Backed by ``tests/synthesizers/test_enumeration.py``.
    """
    limit = UnlimitedBudget() if budget is None else budget
    player = player_of(program, setting, limit)
    if player.starts_processes:
        replays = min(replays, FEW_REPLAYS)
    declared = declared_ledger(program, setting)
    admit = None if declared is None else keep_to(declared)
    reading = _Reading(player, setting, databases, arithmetic, limit, admit, first, opening)
    most = min(MAX_TRANSCRIPTS, -(-arithmetic.cap // max(1, len(databases.rows))))
    start = _Branch(_Stem(), [None], arithmetic.ones(len(databases.rows)))
    waiting: list[Iterator[_Branch]] = [iter([start])]
    done = 0
    while branches := reading.batch(waiting):
        scripts = [script for branch in branches for script in branch.scripts]
        plays = zip(scripts, player.play(scripts), strict=True)
        again: list[tuple[Script, Play]] = []
        further: list[Iterator[_Branch]] = []
        for branch in branches:
            ends, outputs = [], []
            for place, (script, play) in enumerate(islice(plays, len(branch.lasts))):
                if play.asked != branch.stem.asked:
                    reading.refuse_change(branch.stem.asked, play.asked)
                if play.next is not None and not is_seed(player.question(play.next)):
                    further.append(reading.next_branches(branch, place, play.next))
                    continue
                if play.next is None and play.output is None:
                    raise branch.stem.refusal or ProtocolError(
                        "the program gave a run up in which its last question was answered"
                    )
                if not branch.stem.ledger:
                    reading.require_opening(None)
                ends.append(place)
                outputs.append(play.output)
                done += 1
                if times := _replays(done, replays):
                    again += [(script, play)] * times
                if progress is not None and done % 256 == 0:
                    progress(done)
            if done > most:
                reading.refuse_size(branch.stem)
            if ends:
                yield reading.block(branch, ends, outputs)
        require_replayed(player, again)
        waiting += reversed(further)


@dataclass(frozen=True, eq=False, slots=True)
class _Branch:
    """Answers to the last question of a stem, alike in all coordinates but the last.

    ``before``: the chances of what they have in common. ``rows``: those of the last coordinate,
    one vector an answer; None where there is but one answer, of no further chance. ``floor``: a
    lower bound on log2 of their positive products.
    """

    stem: _Stem
    lasts: list[Outcome | None]
    before: Vector
    rows: Vector | None = None
    floor: float = 0.0

    @property
    def scripts(self) -> list[Script]:
        """The answers that lead to each."""
        script = self.stem.script
        return [script if last is None else (*script, last) for last in self.lasts]

    def outcomes(self, place: int) -> tuple[Outcome, ...]:
        """The answers that lead to one of them, without refusals."""
        outcomes, last = self.stem.outcomes, self.lasts[place]
        return outcomes if last is None else (*outcomes, last)


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
        count = max(1, len(databases.rows))
        self._answers = max(1, min(BATCH, BLOCK_CHANCES // count))
        self._branches = max(1, BATCH_CHANCES // count)

    def batch(self, waiting: list[Iterator[_Branch]]) -> list[_Branch]:
        """The branches to play next, the last ones first: at most `BATCH` answers and one more."""
        branches: list[_Branch] = []
        plays = 0
        while waiting and plays < BATCH and len(branches) < self._branches:
            branch = next(waiting[-1], None)
            if branch is None:
                waiting.pop()
            else:
                branches.append(branch)
                plays += len(branch.lasts)
        return branches

    def block(
        self, branch: _Branch, places: list[int], outputs: list[tuple[Any, ...] | None]
    ) -> Block:
        """Some answers of a branch, with their chances."""
        if len(places) == len(branch.lasts):
            return Block(branch.stem, branch.lasts, self._chances(branch, slice(None)), outputs)
        lasts = [branch.lasts[place] for place in places]
        return Block(branch.stem, lasts, self._chances(branch, places), outputs)

    def _chances(self, branch: _Branch, places: slice | list[int]) -> Vector:
        if branch.rows is None:
            return branch.before[None]
        return self._arithmetic.times(branch.before, branch.rows[places], branch.floor)

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

    def next_branches(self, branch: _Branch, place: int, number: int) -> Iterator[_Branch]:
        """All that may come of the question that the play of an answer ended with."""
        stem, event, script = branch.stem, self._player.question(number), branch.scripts[place]
        outcomes = branch.outcomes(place)
        asked = (*stem.asked, number)
        if len(stem.ledger) >= MAX_ASKED:
            raise TooLargeError(
                f"a transcript of the program has more than {MAX_ASKED} questions, too many to be "
                "listed; ask less, or in one question"
            )
        try:
            if self._admit is not None:
                self._admit(tuple(zip(stem.ledger, outcomes, strict=True)), event)
            spent = stem.spent + self._price(event)
            self._budget.check(spent)
        except BudgetExceeded as refusal:
            if len(asked) > MAX_REFUSALS + len(stem.ledger):
                raise
            refused = replace(
                stem, asked=asked, script=(*script, None), outcomes=outcomes, refusal=refusal
            )
            return (_Branch(refused, [None], self._chances(branch, [at])[0]) for at in [place])
        if not stem.ledger:
            self.require_opening(event)
        # A draw's law follows its transcript and seldom comes again.
        fresh = isinstance(event, Draw)
        laws = event.coordinates(self._databases) if fresh else self._databases.laws(event)
        # Equal ledgers are one object, so that whoever collects them compares no events.
        ledger = self._ledgers.setdefault(asked, (*stem.ledger, event))
        coordinates = (*stem.coordinates, *laws)
        first = None if stem.ledger else self._first
        answers = _Answers(laws, self._arithmetic, stem.floor, first, self._answers)
        further = _Stem(
            asked,
            ledger,
            script,
            outcomes,
            spent,
            coordinates,
            self._arithmetic.operations(coordinates),
            answers.floors[-1],
        )
        return self._listed(branch, place, further, answers, whole=first is None)

    def _listed(
        self, branch: _Branch, place: int, stem: _Stem, answers: _Answers, *, whole: bool
    ) -> Iterator[_Branch]:
        """The answers, as soon as they are wanted: until then their chances take no memory."""
        (before,) = self._chances(branch, [place])
        none = True
        for lasts, common, rows in answers.branches(before):
            none = False
            yield _Branch(stem, lasts, common, rows, stem.floor)
        if none and whole:
            raise ProtocolError(
                f"{describe(stem.ledger[-1])} gives no outcome any chance after these answers; "
                "the chances of a law must sum to 1"
            )

    def refuse_size(self, stem: _Stem) -> NoReturn:
        """Raise TooLargeError: there are more transcripts than an enumeration may have."""
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
        most: int,
    ) -> None:
        self._arithmetic = arithmetic
        self._options = [c.outcomes for c in coordinates]
        self._tables = [arithmetic.table(c) for c in coordinates]
        self._first = range(len(self._tables[0])) if first is None else first
        self._most = most
        self._zeros = [arithmetic.has_zero(table) for table in self._tables]
        lowest = [arithmetic.floor(table) for table in self._tables]
        self.floors = [floor + sum(lowest[: level + 1]) for level in range(len(lowest))]

    def branches(
        self, before: Vector, level: int = 0, answer: Outcome = ()
    ) -> Iterator[tuple[list[Outcome | None], Vector, Vector]]:
        """Each answer that some database may give, those with all but the last coordinate together.

        ``before``: the chances so far. Beside the answers, at most ``most`` of them, stand the
        chances of what they have in common, and those of the last coordinate.
        """
        table, options, floor = self._tables[level], self._options[level], self.floors[level]
        times, nothing = self._arithmetic.times, self._arithmetic.is_nothing
        zeros = self._zeros[level]
        places = self._first if level == 0 else range(len(table))
        if level + 1 < len(self._tables):
            for place in places:
                chances = times(before, table[place], floor)
                if not (zeros and nothing(chances)):
                    yield from self.branches(chances, level + 1, answer + options[place])
            return
        for start in range(places.start, places.stop, self._most):
            stop = min(start + self._most, places.stop)
            rows, part = table[start:stop], [*range(start, stop)]
            if zeros:
                possible = ~nothing(times(before, rows, floor))
                rows, part = rows[possible], [*compress(part, possible)]
            if part:
                yield [answer + options[place] for place in part], before, rows


MAX_ASKED = 1000
"""Answered questions along one transcript, after which an enumeration ends (a choice of this
project: one of a single possible answer costs nothing, and may be asked without end)."""

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


def outputs_of(block: Block) -> Sequence[tuple[Any, ...]]:
    """As `output_of`, of every transcript."""
    if None in block.outputs:
        Seed().outcomes()
    return cast(list[tuple[Any, ...]], block.outputs)


def transcript_of(leaf: Leaf) -> tuple[Any, ...]:
    """What is released when the transcript is: all outcomes, in order."""
    return tuple(value for outcome in leaf.outcomes for value in outcome)


def transcripts_of(block: Block) -> Sequence[tuple[Any, ...]]:
    """As `transcript_of`, of every transcript."""
    return [transcript_of(leaf) for leaf in block.leaves()]
