"""Reading 2: every transcript of a program, for all databases at once.

The program has no database in its hand, so one run of it serves all of them:
along a transcript the curator multiplies a vector of chances, one entry a
database. Transcripts are visited depth first by replaying the program on the
outcomes chosen so far; nothing but the current transcript is kept.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress, islice
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np

from synthesizers.arithmetic import Arithmetic, Vector
from synthesizers.budget import FREE, Budget, Cost, UnlimitedBudget
from synthesizers.curator import (
    Program,
    Setting,
    Transcript,
    declared_ledger,
    keep_to,
    pricing,
)
from synthesizers.errors import BudgetExceeded, ProtocolError, TooLargeError, rounded_count
from synthesizers.event_words import describe
from synthesizers.events import Coordinate, Databases, Draw, Event, Outcome, is_seed
from synthesizers.laws.public_laws import Seed
from synthesizers.playing import Play, Player, Script, player_of

MAX_TRANSCRIPTS = 20_000_000
"""The most transcripts of one enumeration: some ten minutes of two cores
(`benchmarks/enumeration.py` prints the rates)."""

REPLAYS = 500
"""Replays of the first transcript: a hidden coin of 2 % survives them with chance below 10^-4,
and those of the transcripts after it besides."""

FEW_REPLAYS = 16
"""The same of a program that has a process for every run: it keeps
nothing from one run for the next, and a process takes a tenth of a second or more."""

SHARE = 64
"""One transcript in so many, by secret coins, is played again in a fresh process, beside the first
`REPLAYS`."""

BATCH = 2048
BATCH_CHANCES = 2**20
"""The most plays that are made at once, and the most chances that are held for them: 8 MB of
doubles (choices of this project)."""

BLOCK_CHANCES = 2**17
"""The most chances that are multiplied at once: 1 MB of doubles, which stay near the processor
until they are added."""


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


@dataclass(frozen=True, eq=False)
class Listing:
    """What is enumerated.

    ``first`` limits the first coordinate of the first event to some of its outcomes, so that parts
    of the work can run side by side; ``opening`` is that event, which each part must meet, or they
    would be parts of different works. ``replays``: how often the first transcript is played again.
    A ledger that the program declares binds here too.
    """

    program: Program
    setting: Setting
    databases: Databases
    arithmetic: Arithmetic
    budget: Budget | None = None
    first: range | None = None
    opening: Event | None = None
    replays: int = REPLAYS


def leaves(listing: Listing, progress: Callable[[int], None] | None = None) -> Iterator[Leaf]:
    """The transcripts of `blocks`, one by one."""
    return chain.from_iterable(block.leaves() for block in blocks(listing, progress))


def blocks(listing: Listing, progress: Callable[[int], None] | None = None) -> Iterator[Block]:
    """Every transcript with its output and its chance under every database.

    ``progress`` is told the number of transcripts done, now and then.

    Raises ProtocolError where the program asks other questions on replay,
    returns another output for the same transcript, or reaches past the curator;
    TooLargeError above `MAX_TRANSCRIPTS`.

    Guarantee
    ---------
    For every database the chances of all transcripts sum to 1 (over all parts of
    ``first``), and each is the product of the exact chances of its events.
    Backed by ``tests/synthesizers/test_enumeration.py``.
    """
    search = _Search(listing)
    waiting = [iter([search.root()])]
    done = 0
    while branches := search.batch(waiting):
        replays: list[tuple[Script, Play]] = []
        further: list[Iterator[_Branch]] = []
        for branch, plays in search.play(branches):
            ends = []
            for place, play in enumerate(plays):
                if search.asks_on(play):
                    further.append(search.next_branches(branch, place, play))
                else:
                    search.require_end(branch, play)
                    ends.append(place)
            for place in ends:
                done += 1
                if times := search.replays(done):
                    replays += [(branch.script(place), plays[place])] * times
                if progress is not None and done % 256 == 0:
                    progress(done)
            search.require_size(done, branch)
            if ends:
                yield search.block(branch, ends, [plays[place].output for place in ends])
        require_replayed(search.player, replays)
        # The last branches are played next: nothing but what leads to them is kept.
        waiting += reversed(further)


def count_transcripts(listing: Listing, most: int) -> tuple[int, bool]:
    """How many transcripts there are, and whether they were counted one by one.

    Level by level: of more than ``most`` answers on one level as many at random stand for all, so
    that the number is an estimate, which is right on average (Chen 1992, "Heuristic sampling: a
    method for predicting the performance of tree searching programs", with levels as strata).
    The count ends where it is beyond any enumeration. Raises as `blocks`.
    """
    search = _Search(listing)
    generator = random.Random(0)
    total, whole = 0.0, True
    level = [(1.0, search.root())]
    while level and total + math.fsum(w * len(b.lasts) for w, b in level) <= MOST_JUDGED:
        further: list[tuple[float, Iterator[_Branch]]] = []
        weights = [weight for weight, _ in level]
        played = search.play([branch for _, branch in level])
        for weight, (branch, plays) in zip(weights, played, strict=True):
            for place, play in enumerate(plays):
                if search.asks_on(play):
                    further.append((weight, search.next_branches(branch, place, play)))
                else:
                    search.require_end(branch, play)
                    total += weight
        kept = further if len(further) <= most else generator.sample(further, most)
        share = len(further) / max(1, len(kept))
        level = [
            (weight * share * part, branch)
            for weight, branches in kept
            for part, branch in search.some_answers(branches, most // len(kept), generator)
        ]
        whole = whole and all(weight == 1 for weight, _ in level)
    total += math.fsum(weight * len(branch.lasts) for weight, branch in level)
    return round(total), whole and not level


MOST_JUDGED = 10 * MAX_TRANSCRIPTS
"""Transcripts beyond which it does not matter how many there are."""


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

    def script(self, place: int) -> Script:
        """The answers that lead to one of them."""
        script, last = self.stem.script, self.lasts[place]
        return script if last is None else (*script, last)

    def outcomes(self, place: int) -> tuple[Outcome, ...]:
        """The answers that lead to one of them, without refusals."""
        outcomes, last = self.stem.outcomes, self.lasts[place]
        return outcomes if last is None else (*outcomes, last)


class _Search:
    """The depth-first search for all transcripts of a listing: what it knows of every question."""

    def __init__(self, listing: Listing) -> None:
        budget = UnlimitedBudget() if listing.budget is None else listing.budget
        declared = declared_ledger(listing.program, listing.setting)
        count = max(1, len(listing.databases.rows))
        self.player = player_of(listing.program, listing.setting, budget)
        self._listing = listing
        self._databases, self._arithmetic = listing.databases, listing.arithmetic
        self._budget = budget
        self._admit = None if declared is None else keep_to(declared)
        self._price = lru_cache(maxsize=1024)(pricing(listing.setting, budget))
        self._ledgers: dict[tuple[int, ...], tuple[Event, ...]] = {}
        self._answers = max(1, min(BATCH, BLOCK_CHANCES // count))
        self._branches = max(1, BATCH_CHANCES // count)
        self._most = min(MAX_TRANSCRIPTS, -(-self._arithmetic.cap // count))
        few = self.player.starts_processes
        self._replays = min(listing.replays, FEW_REPLAYS) if few else listing.replays

    def root(self) -> _Branch:
        """Before the first question."""
        return _Branch(_Stem(), [None], self._arithmetic.ones(len(self._databases.rows)))

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

    def play(self, branches: list[_Branch]) -> Iterator[tuple[_Branch, list[Play]]]:
        """Each branch with the plays of its answers; all are played at once."""
        scripts = [b.script(place) for b in branches for place in range(len(b.lasts))]
        plays = iter(self.player.play(scripts))
        for branch in branches:
            own = list(islice(plays, len(branch.lasts)))
            for play in own:
                if play.asked != branch.stem.asked:
                    self._refuse_change(branch.stem.asked, play.asked)
            yield branch, own

    def asks_on(self, play: Play) -> bool:
        """Whether a play ended with a question that has answers to be listed."""
        return play.next is not None and not is_seed(self.player.question(play.next))

    def require_end(self, branch: _Branch, play: Play) -> None:
        """Raise the refusal, or ProtocolError, where a play has no output."""
        if play.next is None and play.output is None:
            raise branch.stem.refusal or ProtocolError(
                "the program gave a run up in which its last question was answered"
            )
        if not branch.stem.ledger:
            self._require_opening(None)

    def replays(self, done: int) -> int:
        """How often a transcript is replayed: the fewer there are, the oftener each one."""
        if done <= self._replays:
            return self._replays // done
        return int(done & (done - 1) == 0)

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

    def _refuse_change(self, before: tuple[int, ...], asked: tuple[int, ...]) -> NoReturn:
        """Raise ProtocolError: the script's answers went to other questions than before."""
        for place, (number, other) in enumerate(zip(before, asked, strict=False), start=1):
            if number != other:
                raise ProtocolError(
                    f"on replay of the same answers the program asked another question (question "
                    f"{place}: first {describe(self.player.question(number))}, then "
                    f"{describe(self.player.question(other))}); "
                    "questions may depend on the transcript alone"
                )
        raise ProtocolError(
            "on replay of the same answers the program asked fewer questions; "
            "questions may depend on the transcript alone"
        )

    def _require_opening(self, event: Event | None) -> None:
        """Raise ProtocolError where a part begins with another question than the whole work."""
        opening = self._listing.opening
        if opening is not None and event != opening:
            raise ProtocolError(
                "run again, the program began with another question (first "
                f"{describe(opening)}, then {'none' if event is None else describe(event)}); "
                "questions may depend on the transcript alone"
            )

    def next_branches(self, branch: _Branch, place: int, play: Play) -> Iterator[_Branch]:
        """All that may come of the question that the play of an answer ended with."""
        assert play.next is not None
        number, stem, script = play.next, branch.stem, branch.script(place)
        event, outcomes = self.player.question(number), branch.outcomes(place)
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
            script = (*script, None)
            refused = replace(stem, asked=asked, script=script, outcomes=outcomes, refusal=refusal)
            return (_Branch(refused, [None], self._chances(branch, [at])[0]) for at in [place])
        if not stem.ledger:
            self._require_opening(event)
        # A draw's law follows its transcript and seldom comes again.
        fresh = isinstance(event, Draw)
        laws = event.coordinates(self._databases) if fresh else self._databases.laws(event)
        # Equal ledgers are one object, so that whoever collects them compares no events.
        ledger = self._ledgers.setdefault(asked, (*stem.ledger, event))
        coordinates = (*stem.coordinates, *laws)
        first = None if stem.ledger else self._listing.first
        answers = _Answers(laws, self._arithmetic, stem.floor, first, self._answers)
        operations, floor = self._arithmetic.operations(coordinates), answers.floors[-1]
        further = _Stem(asked, ledger, script, outcomes, spent, coordinates, operations, floor)
        return self._list_answers(branch, place, further, answers, whole=first is None)

    def _list_answers(
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

    def some_answers(
        self, branches: Iterator[_Branch], most: int, generator: random.Random
    ) -> Iterator[tuple[float, _Branch]]:
        """The answers to one question, or some at random, each for as many as there are for it."""
        first = next(branches, None)
        if first is None:
            return
        width = 1
        if first.rows is not None:
            width = first.stem.ledger[-1].width(self._databases)
        if width <= most:
            yield 1.0, first
            yield from ((1.0, branch) for branch in branches)
            return
        own = first.stem.ledger[-1].coordinates(self._databases)
        lasts: list[Outcome | None] = [
            tuple(value for one in own for value in generator.choice(one.outcomes))
            for _ in range(most)
        ]
        yield width / most, replace(first, lasts=lasts, rows=np.empty((most, 0)))

    def require_size(self, done: int, branch: _Branch) -> None:
        """Raise TooLargeError where there are more transcripts than an enumeration may have."""
        if done <= self._most:
            return
        widest = max(branch.stem.ledger, key=lambda e: e.width(self._databases))
        raise TooLargeError(
            f"the program has more transcripts than was judged; the cap is "
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
"""Answered questions along one transcript, after which an enumeration ends (one of a single
possible answer costs nothing, and may be asked without end)."""

MAX_REFUSALS = 1000
"""Refused questions along one transcript, after which the last refusal ends the enumeration (a
program that asks on and on would never end)."""


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
