"""Other people's program: to the suite a program like any other, and run in a process of its own.

The parent keeps everything that a verdict or a release rests on. It rebuilds each question from
plain data by its own classes, lets its own curator price and answer it, and reads the output as
plain data. docs/reference/curator-protocol.md describes what the two say to each other.
"""

from __future__ import annotations

import builtins
import re
import secrets
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from audit.statements.isolation import Isolation
from audit.subjects.curator_messages import (
    PROTOCOL,
    VERSION,
    decode_output,
    decode_plays,
    describe_place,
    encode_answer,
    encode_scripts,
)
from audit.subjects.lines import Lines, require_shallow
from audit.subjects.started import END_SECONDS, Start, Started
from synthesizers.budget import Budget
from synthesizers.curator import Curator, Output, Setting
from synthesizers.domain import Domain
from synthesizers.errors import (
    BudgetExceeded,
    InputError,
    ProgramGaveUp,
    ProgramRefused,
    ProtocolError,
)
from synthesizers.events import Event
from synthesizers.playing import LocalPlayer, Play, Player, Script
from synthesizers.questions_json import (
    budget_from_json,
    question_from_json,
    question_to_json,
    setting_to_json,
)
from synthesizers.watch import pause_watch

START_SECONDS = 120.0
"""How long a process may take to import a module, and to say its budget (large packages take half a
minute from a cold disk)."""

RUN_SECONDS = 600.0
"""How long a program may take from one message to the next (a model is
fitted between two questions)."""

WHOLE_RUN_SECONDS = 100 * RUN_SECONDS
"""How long one run may take from its beginning to its output."""

MOST_MESSAGES = 1_000_000
"""The most messages of one run (those that cost nothing need a bound)."""

MOST_BYTES = 2**29
"""The most bytes that one run, or the plays of one batch, may come as, and the questions that one
process lists: the parent keeps them."""

MOST_PLAYED = 2**32
"""The most bytes that all plays of one process may come as (200 for each
of 20 million transcripts)."""

PLAYED_AS_RUNS = 16
"""So many transcripts of a replay, by secret coins, are played as runs, which look like those of a
release."""

MOST_KEPT = 4
"""The most processes that a thread keeps."""

MOST_QUESTIONS = 100_000
"""The most different questions that one process may ask."""

SHOWN_ERROR = 300
"""The most characters of a program's own words that are shown."""

_RAISED = re.compile(
    r"(?:the program )?raised ([A-Za-z]{1,40}) \(line ([0-9]{1,6}) of its code\).*"
)


Declaration = tuple[Budget, tuple[Event, ...] | None]
"""A budget, and the ledger where there is one."""


@dataclass(frozen=True)
class ProgramProcess:
    """A program in a process of its own.

    ``start``: what starts the process. ``parameters``: the program's own, as text, name by name.
    ``seconds``: the most that it may take from one message to the next, and ``run_seconds`` for
    a run. ``declared``: the budget and the ledger that it declared first in each setting, which it
    must declare again in every process. Each thread keeps the processes of the last few programs,
    and starts one anew where it came to its end.

    Guarantee
    ---------
    Of what the process sends, the parent takes questions rebuilt by declared classes, outputs of
    plain values, and a declared budget and ledger; prices, answers, the ledger and the verdict are
    made here. Backed by ``tests/hostile/test_hostile_programs.py``.
    """

    name: str
    start: Start
    parameters: tuple[tuple[str, str], ...] = ()
    seconds: float = RUN_SECONDS
    run_seconds: float = WHOLE_RUN_SECONDS
    declared: dict[Setting, Declaration] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, curator: Curator) -> Output:
        """One run: every question is put to the curator."""
        return self.ready(curator.setting).run(curator)

    def budget(self, setting: Setting) -> Budget:
        """The budget that the program declares."""
        return self.ready(setting).budget

    def ledger(self, setting: Setting) -> tuple[Event, ...] | None:
        """The questions that the program declares to ask in every run."""
        return self.ready(setting).ledger

    def player(self, setting: Setting, budget: Budget) -> Player:
        """Plays in batches where the process offers them, and otherwise a run a script."""
        if self.ready(setting).scripts:
            return _RemotePlayer(self, setting, None)
        return _AskingPlayer(self, setting, budget)

    def isolation(self) -> Isolation:
        """What keeps its process apart."""
        return self.start.isolation()

    def check(self) -> None:
        """Start the process; raises InputError or ProtocolError where there is no such program."""
        self.end()
        _kept.connections[self] = Connection(self)

    def end(self) -> None:
        """End this thread's process, if there is one."""
        connection = _kept.connections.pop(self, None)
        if connection is not None:
            connection.end()

    def connect(self, setting: Setting) -> Connection:
        """A new process of the program, opened for a setting."""
        connection = Connection(self)
        connection.open(setting)
        return connection

    def ready(self, setting: Setting) -> Connection:
        """The thread's process, ready for a run in a setting."""
        connections = _kept.connections
        connection = connections.pop(self, None)
        if connection is None or not connection.serves(setting):
            if connection is not None:
                connection.end()
            connection = self.connect(setting)
        connections[self] = connection
        while len(connections) > MOST_KEPT:
            connections.pop(next(iter(connections))).end()
        return connection


class _Kept(threading.local):
    """Of each thread, the processes of its programs, the one used last at the end."""

    def __init__(self) -> None:
        self.connections: dict[ProgramProcess, Connection] = {}


_kept = _Kept()


class Connection:
    """A running process of a program, and what it said of itself."""

    def __init__(self, program: ProgramProcess) -> None:
        self._program = program
        with pause_watch():
            self._started: Started = program.start()
        self._lines = Lines(self._started.stdin, self._started.stdout)
        self._setting: Setting | None = None
        self._domain: Domain | None = None
        self._events: list[Event] = []
        self._asked = self._played = 0
        self._runs = 0
        self.where = ""
        """Where the last question of a run was asked, by the program's word; empty without one."""
        self.ended = False
        self.scripts = False
        hello = self._receive(START_SECONDS)
        if hello.get("protocol") != PROTOCOL or type(hello.get("version")) is not int:
            self._break("its first line does not say that it speaks the curator protocol")
        if hello["version"] != VERSION:
            self._break(
                f"it speaks version {hello['version']} of the curator protocol; this is {VERSION}"
            )
        self.many = hello.get("runs") == "many"
        self.scripts = self.many and hello.get("scripts") is True
        self.reopens = self.many and hello.get("settings") == "many"

    def open(self, setting: Setting) -> None:
        """Tell the public constants; learn the budget and the declared ledger."""
        self._setting, self._domain = None, setting.domain
        parameters = dict(self._program.parameters)
        self._send({"setting": setting_to_json(setting), "parameters": parameters}, START_SECONDS)
        message = self._receive(START_SECONDS)
        if message.keys() - {"budget", "ledger"} or "budget" not in message:
            self._break('it answered the setting without {"budget": …, "ledger": …}')
        try:
            self.budget = budget_from_json(message["budget"])
            ledger = message.get("ledger")
            if ledger is not None and type(ledger) is not list:
                raise InputError("its ledger is no list of questions")
            self.ledger = (
                None
                if ledger is None
                else tuple(question_from_json(question, setting.domain) for question in ledger)
            )
        except InputError as error:
            self._break(str(error))
        declaration = self.budget, self.ledger
        # What was concluded of the first must hold of every later run.
        if self._program.declared.setdefault(setting, declaration) != declaration:
            self._break("it declares another budget or ledger than before for the same setting")
        self._setting = setting

    def serves(self, setting: Setting) -> bool:
        """Whether it is ready for a run in a setting, opening it anew where that can be."""
        if self.ended or (self._runs and not self.many):
            return False
        if self._setting == setting:
            return True
        # The questions that it listed were rebuilt for the domain of then.
        if self._domain is not None and not (self.reopens and self._domain == setting.domain):
            return False
        self.open(setting)
        return True

    def run(self, curator: Curator) -> Output:
        """One run, on answers of a curator."""
        domain = curator.domain
        self._runs += 1
        self._send({"begin": self._runs})
        until, before = time.monotonic() + self._program.run_seconds, self._lines.received
        for _ in range(MOST_MESSAGES):
            message = self._receive()
            if time.monotonic() > until:
                self._break(f"a run of it took more than {self._program.run_seconds:g} seconds")
            self._require_few(self._lines.received - before, "a run")
            match message:
                case {"ask": asked, **rest} if not rest.keys() - {"where"}:
                    self.where = self._place(rest)
                    event = self._rebuilt(asked, curator.setting, self.where)
                    try:
                        outcome = curator.ask(event)
                    except BudgetExceeded:
                        self._send({"refused": "budget"})
                        continue
                    except BaseException:
                        self._stop()
                        raise
                    self._send({"answer": encode_answer(outcome)})
                case {"output": output, **rest} if not rest:
                    return self._output(output, domain)
                case {"spent": True, **rest} if not rest:
                    self._send({"spent": curator.spent.to_json()})
                case {"transcript": True, **rest} if not rest:
                    told = [
                        {"ask": question_to_json(event), "answer": encode_answer(outcome)}
                        for event, outcome in curator.transcript
                    ]
                    self._send({"transcript": told})
                case _:
                    self._break("it wrote a message that the protocol does not have at this place")
        self._break(f"a run of it has more than {MOST_MESSAGES} messages")

    def play(self, scripts: Sequence[Script]) -> list[Play]:
        """The plays of scripts, one each."""
        assert self._setting is not None
        domain = self._setting.domain
        self._send({"play": encode_scripts(scripts)})
        plays: list[Play] = []
        before = self._lines.received
        while len(plays) < len(scripts):
            start = self._lines.received
            message = self._receive()
            self._require_few(self._lines.received - before, "one batch of plays")
            self._played += self._lines.received - start
            self._require_few(self._played, "the plays of one process", MOST_PLAYED)
            match message:
                case {"questions": list() as questions, "played": list() as played, **rest} if (
                    not rest.keys() - {"outputs"} and type(rest.get("outputs", [])) is list
                ):
                    if len(self._events) + len(questions) > MOST_QUESTIONS:
                        self._break(f"it asked more than {MOST_QUESTIONS} different questions")
                    if questions:
                        self._asked += self._lines.received - start
                        self._require_few(self._asked, "the messages with its questions")
                    self._events += [self._rebuilt(asked, self._setting) for asked in questions]
                    try:
                        outputs = rest.get("outputs", [])
                        part = decode_plays(outputs, played, len(self._events), domain)
                    except ProtocolError as error:
                        self._break(str(error))
                    if not 0 < len(part) <= len(scripts) - len(plays):
                        self._break("it wrote another number of plays than it was asked for")
                    plays += part
                case _:
                    self._break("it wrote something else than the plays it was asked for")
        return plays

    def question(self, number: int) -> Event:
        """The question of a number, as its plays use it."""
        return self._events[number]

    def end(self) -> None:
        """End the process and all that it left behind."""
        if not self.ended:
            self.ended = True
            self._lines.close()
            self._started.end()

    def _require_few(self, size: int, what: str, most: int = MOST_BYTES) -> None:
        if size > most:
            self._break(f"{what} took more than {most} bytes")

    def _rebuilt(self, asked: object, setting: Setting, place: str = "") -> Event:
        try:
            return question_from_json(asked, setting.domain)
        except InputError as error:
            self.end()
            at = f", by its own word at {place}" if place else ""
            raise ProgramGaveUp(
                f"{self._program.name}: it asked what the curator does not know "
                f"({_printable(str(error))}){at}; see docs/reference/curator-protocol.md"
            ) from None

    def _place(self, beside: Mapping[str, Any]) -> str:
        """Where a question stands by the program's own word; empty where it says nothing."""
        try:
            return _printable(describe_place(beside["where"])) if "where" in beside else ""
        except ProtocolError as error:
            self._break(str(error))

    def _output(self, output: object, domain: Any) -> Output:
        try:
            return decode_output(output, domain)
        except ProtocolError as error:
            self._break(str(error))

    def _stop(self) -> None:
        """End a run before its output; the process where it does not agree."""
        try:
            self._send({"stop": True})
            agreed = self._lines.receive(self._program.seconds) == {"stopped": True}
        except (TimeoutError, EOFError, ProtocolError):
            agreed = False
        if not agreed:
            self.end()

    def _send(self, message: object, seconds: float | None = None) -> None:
        if self.ended:
            self._break("its process ended before it was done")
        try:
            self._lines.send(message, self._program.seconds if seconds is None else seconds)
        except TimeoutError:
            self._break("it does not read what it is told")
        except EOFError:
            # Why it ended, it may have said before.
            self._receive(END_SECONDS)
            self._break("its process ended")

    def _receive(self, seconds: float | None = None) -> dict[str, Any]:
        limit = self._program.seconds if seconds is None else seconds
        try:
            message = self._lines.receive(limit)
            require_shallow(message)
        except TimeoutError:
            self._break(f"it wrote nothing for {limit:g} seconds")
        except EOFError:
            self._break("its process ended before its answer")
        except ProtocolError as error:
            self._break(str(error))
        if "error" in message:
            self._fail(message)
        return message

    def _fail(self, message: Mapping[str, Any]) -> NoReturn:
        """Raise what the program says went wrong; the process goes on where it can."""
        text = message["error"] if type(message["error"]) is str else ""
        if not self.scripts:
            self.end()
        if message.get("about") == "setting":
            raise ProgramRefused(f"{self._program.name}: {_printable(text)}")
        raised = _RAISED.fullmatch(text)
        if raised and isinstance(getattr(builtins, raised[1], None), type):
            raise ProtocolError(
                f"the program raised {raised[1]} (line {raised[2]} of its code); "
                "a program must answer for every transcript (a function is f(database, rng))"
            )
        raise ProgramGaveUp(_printable(text) or "the program gave the run up")

    def _break(self, what: str) -> NoReturn:
        """End the process and raise ProtocolError."""
        self.end()
        raise ProtocolError(f"{self._program.name}: {what}; see docs/reference/curator-protocol.md")


def _printable(text: str) -> str:
    """A program's own words, short and without control characters."""
    return "".join(c if c.isprintable() else "?" for c in text[:SHOWN_ERROR])


class _RemotePlayer:
    """Plays in a process that offers them, numbered by itself: the thread's, or one of its own."""

    def __init__(
        self, program: ProgramProcess, setting: Setting, connection: Connection | None
    ) -> None:
        self._program = program
        self._setting = setting
        self._own = connection is not None
        self._connection = program.ready(setting) if connection is None else connection
        if connection is not None:
            weakref.finalize(self, connection.end)

    @property
    def starts_processes(self) -> bool:
        """A process plays many scripts."""
        return False

    def play(self, scripts: Sequence[Script]) -> list[Play]:
        """One play a script."""
        # Another enumeration may have opened the process for another setting in between.
        if not self._own and self._program.ready(self._setting) is not self._connection:
            raise ProtocolError(f"{self._program.name}: its process ended during an enumeration")
        return self._connection.play(scripts)

    def question(self, number: int) -> Event:
        """The question of a number."""
        return self._connection.question(number)

    def locate(self, script: Script) -> str:
        """Where the program says that it asks what a script leads to: it says so in a run."""
        connection = self._program.ready(self._setting)
        LocalPlayer(connection.run, self._setting, connection.budget).play([script])
        return connection.where

    def afresh(self) -> Player:
        """A player of a new process, which ends with it."""
        return _FreshPlayer(self._program, self._setting, self._program.connect(self._setting))


class _FreshPlayer(_RemotePlayer):
    """Plays once more, and some of the scripts as runs: a release looks to the program like these.

    Guarantee
    ---------
    A program that asks or releases in all of its runs something else than it plays is refused.
    Backed by ``tests/hostile/test_hostile_programs.py``.
    """

    def play(self, scripts: Sequence[Script]) -> list[Play]:
        """One play a script; ProtocolError where a run of it goes another way."""
        plays = super().play(scripts)
        setting = self._setting
        runs = LocalPlayer(self._connection.run, setting, self._connection.budget)
        places = secrets.SystemRandom().sample(
            range(len(scripts)), min(PLAYED_AS_RUNS, len(scripts))
        )
        for place, run in zip(places, runs.play([scripts[p] for p in places]), strict=True):
            play = plays[place]
            if self._name_questions(play, self) != self._name_questions(run, runs):
                raise ProtocolError(
                    f"{self._program.name}: in a run, the program asked or returned something else "
                    "than it did when scripts of the same answers were played"
                )
        return plays

    @staticmethod
    def _name_questions(play: Play, player: Player) -> tuple[object, ...]:
        """A play with its questions themselves, whatever their numbers."""
        further = None if play.next is None else player.question(play.next)
        return [player.question(number) for number in play.asked], further, play.output


class _AskingPlayer(LocalPlayer):
    """Plays as runs, question by question, in a process that offers no more."""

    def __init__(self, program: ProgramProcess, setting: Setting, budget: Budget) -> None:
        super().__init__(program, setting, budget)
        self._given = program, setting, budget

    @property
    def starts_processes(self) -> bool:
        """A program may need a process for every run."""
        program, setting, _ = self._given
        return not program.ready(setting).many

    def locate(self, script: Script) -> str:
        """Where the program says that it asks what a script leads to."""
        program, setting, budget = self._given
        connection = program.ready(setting)
        LocalPlayer(connection.run, setting, budget).play([script])
        return connection.where

    def afresh(self) -> Player:
        """A player of a new process."""
        program, setting, budget = self._given
        program.end()
        return _AskingPlayer(program, setting, budget)
