"""Plays: a program run on a script of answers, to see what it does next.

A script is a list of answers, in order. Along it nothing private is known and nothing is priced:
whoever lists transcripts knows what each answer is worth. So a play needs no more than a thin
stand-in of the curator, and many plays can be made at once, in another process for instance.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.asking_lines import find_asking_line, spell_line
from synthesizers.budget import FREE, Budget, Cost
from synthesizers.curator import (
    SEEDED,
    Curator,
    PlayedElsewhere,
    Program,
    Setting,
    Transcript,
    canonical_output,
    place_of,
    pricing,
)
from synthesizers.declared import require_declared
from synthesizers.errors import BudgetExceeded, DPAuditError, ProtocolError
from synthesizers.events import Event, Measure, Outcome, is_seed
from synthesizers.noise import Noise
from synthesizers.queries import Query
from synthesizers.watch import Reach, watch

Script = tuple[Outcome | None, ...]
"""Answers in order; None: the question was refused, as one beyond the budget is."""


class Play(NamedTuple):
    """What came of one script.

    ``asked``: the numbers of the questions that the script answered. ``next``: the number of the
    question that was asked beyond it; None where the program ended instead. ``output``: in its
    canonical form; None where the program asked on, or let a refusal end it.
    """

    asked: tuple[int, ...]
    next: int | None
    output: tuple[Any, ...] | None


class Player(Protocol):
    """Plays a program, and numbers the questions that it meets."""

    @property
    def starts_processes(self) -> bool:
        """Whether every play has a process of its own."""

    def play(self, scripts: Sequence[Script]) -> list[Play]:
        """One play a script; ProtocolError where the program breaks the protocol in one of them."""

    def question(self, number: int) -> Event:
        """The question of a number."""

    def afresh(self) -> Player | None:
        """A player of a program that has never run; None where there is no other."""

    def locate(self, script: Script) -> str:
        """Where the question is asked that a script leads to, in words; empty where none tells."""


def player_of(program: Program, setting: Setting, budget: Budget) -> Player:
    """The program's own player, or one in this process."""
    if isinstance(program, PlayedElsewhere):
        return program.player(setting, budget)
    return LocalPlayer(program, setting, budget)


class ScriptEnds(BaseException):
    """Raised in answer to a question beyond the script: the play is over."""


class Book:
    """Questions by number, and the last one met at each place of a transcript."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.numbers: dict[Event, int] = {}
        self.latest: list[int] = []

    def number(self, event: Event, place: int) -> int:
        """The number of a question asked at a place; ProtocolError for an undeclared one."""
        if place < len(self.latest):
            number = self.latest[place]
            known = self.events[number]
            if known is event or known == event:
                return number
        require_declared(event)
        number = self.numbers.setdefault(event, len(self.events))
        if number == len(self.events):
            self.events.append(event)
        while len(self.latest) <= place:
            self.latest.append(number)
        self.latest[place] = number
        return number


class _Course:
    """A play as it goes on; one object serves all plays, one after the other."""

    __slots__ = ("asked", "beyond", "book", "script")

    def __init__(self, book: Book) -> None:
        self.book = book
        self.begin(())

    def begin(self, script: Script) -> None:
        self.script = script
        self.asked: list[int] = []
        self.beyond: int | None = None

    def expected(self) -> Event | None:
        """The question that was asked last at this place, if there was one."""
        place = len(self.asked)
        return self.book.events[self.book.latest[place]] if place < len(self.book.latest) else None

    def answer(self, event: Event) -> Outcome:
        if self.beyond is not None:
            if self.seeded:
                raise ProtocolError(SEEDED)
            raise ScriptEnds
        place = len(self.asked)
        number = self.book.number(event, place)
        if place == len(self.script):
            self.beyond = number
            raise ScriptEnds
        self.asked.append(number)
        outcome = self.script[place]
        if outcome is None:
            raise BudgetExceeded("the budget does not cover this question")
        return outcome

    @property
    def seeded(self) -> bool:
        """Whether the play ended at a drawn seed."""
        return self.beyond is not None and is_seed(self.book.events[self.beyond])

    @property
    def transcript(self) -> Transcript:
        pairs = zip(self.asked, self.script, strict=False)
        return tuple((self.book.events[n], outcome) for n, outcome in pairs if outcome is not None)


class ScriptedCurator(Curator):
    """The curator of a play: it answers from a script, and ends the play where that ends."""

    __slots__ = ("_budget", "_course")
    _course: _Course
    _budget: Budget

    def __init__(self, setting: Setting, budget: Budget, course: _Course) -> None:
        _set(self, "_setting", setting)
        _set(self, "_budget", budget)
        _set(self, "_course", course)

    @property
    def transcript(self) -> Transcript:
        """The events asked so far, with their outcomes."""
        return self._course.transcript

    @property
    def spent(self) -> Cost:
        """The sum of the costs so far."""
        price = pricing(self._setting, self._budget)
        return sum((price(event) for event, _ in self.transcript), FREE)

    def ask(self, event: Event) -> Outcome:
        """The script's next answer."""
        return self._course.answer(event)

    def measure(self, query: Query, noise: Noise, *, low: int, high: int) -> NDArray[np.int64]:
        """As `Curator.measure`; a question met before is recognised before it is made again."""
        course = self._course
        known = course.expected()
        if (
            type(known) is Measure
            and type(low) is type(high) is int
            and known.low == low
            and known.high == high
            and (known.query is query or known.query == query)
            and (known.noise is noise or known.noise == noise)
        ):
            return np.array(course.answer(known), np.int64)
        return np.array(course.answer(Measure(query, noise, low, high)), np.int64)


_set = object.__setattr__


class LocalPlayer:
    """Plays a program in this process: our own programs here, others in a process of theirs."""

    def __init__(
        self, program: Program, setting: Setting, budget: Budget, book: Book | None = None
    ) -> None:
        self._program = program
        self._setting = setting
        self._book = Book() if book is None else book
        self._course = _Course(self._book)
        self._curator = ScriptedCurator(setting, budget, self._course)

    @property
    def starts_processes(self) -> bool:
        """Every play is made in this process."""
        return False

    def question(self, number: int) -> Event:
        """The question of a number."""
        return self._book.events[number]

    def questions(self, since: int) -> Sequence[Event]:
        """The questions from a number on."""
        return self._book.events[since:]

    def afresh(self) -> Player | None:
        """There is no other: what a program of ours keeps between runs is ours to know."""
        return None

    def locate(self, script: Script) -> str:
        """The line of code that asks what a script leads to; empty where the program hides it."""
        self._course.begin(script)
        try:
            with watch(), contextlib.redirect_stdout(sys.stderr):
                self._program(self._curator)
        except ScriptEnds as end:
            calls = [*traceback.walk_tb(end.__traceback__)]
            found = find_asking_line(reversed(calls[1:]))
            return "" if found is None else spell_line(*found)
        return ""

    def play(self, scripts: Sequence[Script]) -> list[Play]:
        """One play a script.

        The program's own exceptions become ProtocolErrors without their message, which may quote
        an answer; what it prints goes to standard error.
        """
        with watch() as reach, contextlib.redirect_stdout(sys.stderr):
            plays = [self._play(script, reach) for script in scripts]
        if reach.seen:
            raise ProtocolError(reach.message())
        return plays

    def _play(self, script: Script, reach: Reach) -> Play:
        course = self._course
        course.begin(script)
        try:
            output = self._program(self._curator)
        except ScriptEnds:
            if course.beyond is None:
                raise ProtocolError("the program ended as if its script had ended") from None
            return Play(tuple(course.asked), course.beyond, None)
        except BudgetExceeded:
            if script and len(course.asked) == len(script) and script[-1] is None:
                return Play(tuple(course.asked), None, None)
            raise
        except (DPAuditError, KeyboardInterrupt) as error:
            _reraise(error, reach)
        except BaseException as error:
            if reach.seen:
                _reraise(error, reach)
            raise ProtocolError(
                f"the program raised {type(error).__name__} ({place_of(error)}); "
                "a program must answer for every transcript (a function is f(database, rng))"
            ) from error
        if course.beyond is None:
            return Play(tuple(course.asked), None, canonical_output(output, self._setting.domain))
        if course.seeded:
            raise ProtocolError("the program returned an output without the seed that it drew")
        # It caught the end of the script; what it does then is not what it does with an answer.
        return Play(tuple(course.asked), course.beyond, None)


def _reraise(error: BaseException, reach: Reach) -> NoReturn:
    if reach.seen:
        raise ProtocolError(reach.message()) from error
    raise error
