"""The process that runs other people's program: its side of the curator protocol, in Python.

It holds the program and the public setting, and nothing else. `audit.subjects.program_process`
starts it and keeps the other side.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, NoReturn

from audit.subjects.curator_messages import (
    PROTOCOL,
    VERSION,
    decode_answer,
    decode_scripts,
    encode_output,
    encode_place,
    encode_plays,
)
from audit.subjects.module_programs import load_program
from synthesizers.asking_lines import find_asking_line
from synthesizers.budget import FREE, Budget, Cost, UnlimitedBudget
from synthesizers.curator import (
    Curator,
    Output,
    Program,
    Setting,
    Transcript,
    ask_program,
    declared_budget,
    declared_ledger,
    place_of,
    pricing,
)
from synthesizers.errors import BudgetExceeded, DPAuditError, InputError
from synthesizers.events import Event, Outcome
from synthesizers.playing import Book, LocalPlayer, Play, ScriptEnds
from synthesizers.questions_json import question_to_json, setting_from_json
from synthesizers.sampling import released_form

PLAYS_AT_ONCE = 256
SECONDS_A_LINE = 1.0
"""After how many plays a process looks at the clock, and after how long it says what came of them
(choices of this project: the plays of most programs take some milliseconds)."""


def main(given: str) -> NoReturn:
    """Serve a program on standard input and output until they are closed.

    ``given``: its ``module:attribute`` and parameters, as JSON.
    """
    source, target = _take_pipes()
    words = json.loads(given)
    try:
        serve(lambda: load_program(words["name"], words["parameters"]), source, target)
    finally:
        os._exit(0)


def serve(load: Callable[[], Program], source: BinaryIO, target: BinaryIO) -> None:
    """The same for a program that ``load`` gives; its first line is an error where that fails."""
    server = _Server(source, target)
    try:
        program = load()
    except BaseException as error:
        server.fail(error)
    else:
        server.send(HELLO)
        server.serve(program)


HELLO = {
    "protocol": PROTOCOL,
    "version": VERSION,
    "runs": "many",
    "scripts": True,
    "settings": "many",
}


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent; what the program reads finds nothing, what it prints goes aside."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return source, target


def send_message(target: BinaryIO, message: object) -> None:
    """Write a message."""
    target.write(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")
    target.flush()


LONGEST_ERROR = 2000
"""The most characters of an error that are sent."""


class _Server:
    """The child's end of the pipes."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._process = os.getpid()

    def send(self, message: object) -> None:
        """Write a message."""
        # A process that the program forked may come back from a run, too.
        if os.getpid() != self._process:
            os._exit(0)
        send_message(self._target, message)

    def receive(self) -> dict[str, Any]:
        """The next message; EOFError where the parent is gone."""
        line = self._source.readline()
        if not line:
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        return message

    def serve(self, program: Program) -> None:
        """Answer the parent until it ends the process."""
        setting: Setting | None = None
        budget: Budget = UnlimitedBudget()
        player: LocalPlayer | None = None
        book, told = Book(), 0
        while True:
            try:
                message = self.receive()
            except EOFError:
                return
            if "end" in message:
                return
            try:
                if "setting" in message:
                    setting = setting_from_json(message["setting"])
                    budget = declared_budget(program, setting)
                    ledger = declared_ledger(program, setting)
                    player = LocalPlayer(program, setting, budget, book)
                    questions = None if ledger is None else [*map(question_to_json, ledger)]
                    self.send({"budget": budget.to_json(), "ledger": questions})
                elif setting is None or player is None:
                    raise InputError("a run was asked for before the setting was told")
                elif "begin" in message:
                    self._run(program, setting, budget)
                elif "play" in message:
                    told = self._play(player, message["play"], told)
            except BaseException as error:
                self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Say what went wrong."""
        cause = error.__cause__ or error
        if isinstance(error, DPAuditError):
            text = str(error)
        else:
            text = f"raised {type(cause).__name__} ({place_of(cause)})"
        about = {"about": "setting"} if isinstance(error, InputError) else {}
        self.send({"error": text[:LONGEST_ERROR], **about})

    def _play(self, player: LocalPlayer, plain: Sequence[Any], told: int) -> int:
        scripts = decode_scripts(plain)
        plays: list[Play] = []
        begun = time.monotonic()
        for start in range(0, len(scripts), PLAYS_AT_ONCE):
            plays += player.play(scripts[start : start + PLAYS_AT_ONCE])
            last = start + PLAYS_AT_ONCE >= len(scripts)
            if last or time.monotonic() - begun > SECONDS_A_LINE:
                questions = player.questions(told)
                told += len(questions)
                asked = [question_to_json(question) for question in questions]
                self.send({"questions": asked, **encode_plays(plays)})
                plays, begun = [], time.monotonic()
        return told

    def _run(self, program: Program, setting: Setting, budget: Budget) -> None:
        curator = WireCurator(setting, budget, self)
        output: Output = None
        with contextlib.suppress(ScriptEnds):
            output = ask_program(program, curator)
        if curator.stopped:
            self.send({"stopped": True})
            return
        self.send({"output": encode_output(released_form(output, setting.domain))})


class WireCurator(Curator):
    """A curator whose answers come from the other process."""

    __slots__ = ("_budget", "_server", "_state", "_transcript")
    _budget: Budget
    _server: _Server
    _state: list[bool]
    _transcript: list[tuple[Event, Outcome]]

    def __init__(self, setting: Setting, budget: Budget, server: _Server) -> None:
        for name, value in (
            ("_setting", setting),
            ("_budget", budget),
            ("_server", server),
            ("_state", []),
            ("_transcript", []),
        ):
            object.__setattr__(self, name, value)

    @property
    def stopped(self) -> bool:
        """Whether the parent ended the run before its output."""
        return bool(self._state)

    @property
    def transcript(self) -> Transcript:
        """The events asked so far, with their outcomes."""
        return tuple(self._transcript)

    @property
    def spent(self) -> Cost:
        """The sum of the costs so far."""
        price = pricing(self._setting, self._budget)
        return sum((price(event) for event, _ in self._transcript), FREE)

    def ask(self, event: Event) -> Outcome:
        """The parent's answer."""
        if self.stopped:
            raise ScriptEnds
        line = find_asking_line(traceback.walk_stack(sys._getframe(1)))
        where = {} if line is None else {"where": encode_place(*line)}
        self._server.send({"ask": question_to_json(event), **where})
        message = self._server.receive()
        if "answer" in message:
            outcome = decode_answer(message["answer"])
            self._transcript.append((event, outcome))
            return outcome
        if "refused" in message:
            raise BudgetExceeded("the curator refuses this question: the budget does not cover it")
        self._state.append(True)
        raise ScriptEnds
