"""A small curator made after docs/reference/curator-protocol.md, for programs that speak it.

Every message is held against the schema, in both directions, and every question is read by the
codec. What breaks the protocol is an `Improper`.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

import audit
from synthesizers.budget import FREE, Budget
from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.events import Databases, Event, is_seed
from synthesizers.exact import Exact, add, multiply
from synthesizers.questions_json import (
    budget_from_json,
    decode_whole,
    encode_whole,
    question_from_json,
    setting_to_json,
)

_FILE = Path(audit.__file__).parent / "statements/schema/curator-protocol-1.json"
SCHEMA = json.loads(_FILE.read_text())
SECONDS = 30
"""For one message: only a program that hangs takes it."""

Script = tuple[tuple[int, ...] | None, ...]
Output = tuple[Any, ...]


def validator(name: str) -> Any:
    """Of the messages of one side, or of one message."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


FROM_PROGRAM, FROM_CURATOR = validator("from_program"), validator("from_curator")


class Improper(Exception):
    """The program broke the protocol."""


@dataclass(frozen=True)
class Next:
    """How a run goes on after a script: it asks, it releases, or it ends without an output."""

    asks: Event | None = None
    output: Output | None = None


class Conversation:
    """One process, spoken to line by line."""

    def __init__(
        self,
        command: Sequence[str],
        setting: Setting,
        parameters: Mapping[str, str],
        begun: int = 0,
    ) -> None:
        self._setting = setting
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._questions: list[Event] = []
        self.begun = begun
        first = self.hear("protocol_message")
        self.runs, self.scripts = first["runs"], first.get("scripts", False)
        self.say({"setting": setting_to_json(setting), "parameters": dict(parameters)})
        promised = self.hear("budget_message")
        self.budget: Budget = budget_from_json(promised["budget"])
        declared = promised["ledger"]
        self.ledger = None if declared is None else [self._question(plain) for plain in declared]

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _line(self, message: dict[str, Any]) -> str:
        """As tight as JSON can be, or with the spaces and letters that it may have."""
        if self.begun % 2:
            return json.dumps(message, separators=(",", ":")) + "\n"
        return json.dumps(message, ensure_ascii=False) + "\n"

    def say(self, message: dict[str, Any]) -> None:
        """Send one message."""
        FROM_CURATOR.validate(message)
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(self._line(message))
            self._process.stdin.flush()
        except OSError:
            raise Improper("the program ended before it was told to") from None

    def hear(self, *kinds: str) -> dict[str, Any]:
        """The next message, one of some kinds; Improper for anything else."""
        try:
            line = self._lines.get(timeout=SECONDS)
            message: dict[str, Any] = json.loads(line)
            FROM_PROGRAM.validate(message)
        except (queue.Empty, ValueError, jsonschema.ValidationError) as error:
            self._process.kill()
            raise Improper(f"no message of the protocol: {error}") from None
        if kinds and not any(validator(kind).is_valid(message) for kind in kinds):
            raise Improper(f"expected {kinds}, found {sorted(message)}")
        return message

    def _question(self, plain: object) -> Event:
        try:
            return question_from_json(plain, self._setting.domain)
        except InputError as error:
            raise Improper(str(error)) from None

    def follow(self, script: Script) -> Next:
        """One run on the answers of a script; it is stopped at the next question."""
        self.begun += 1
        self.say({"begin": self.begun})
        met: list[tuple[dict[str, Any], tuple[int, ...]]] = []
        spent, rest, seeded = FREE, list(script), False
        while True:
            message = self.hear(*TURNS)
            if "spent" in message:
                self.say({"spent": spent.to_json()})
            elif "transcript" in message:
                told = [{"ask": ask, "answer": list(map(encode_whole, was))} for ask, was in met]
                self.say({"transcript": told})
            elif "output" in message:
                return Next(output=output_of(message["output"], self._setting))
            elif "error" in message:
                return Next()
            elif "ask" not in message or seeded:
                raise Improper("a question after a seed, or an answer that nobody asked for")
            else:
                event = self._question(message["ask"])
                if not rest:
                    self.say({"stop": True})
                    self.hear("stopped_message")
                    return Next(asks=event)
                seeded = is_seed(event)
                answer = rest.pop(0)
                if answer is None:
                    self.say({"refused": "budget"})
                    continue
                spent += event.cost(self._setting.domain, self._setting.neighbours)
                met.append((message["ask"], answer))
                self.say({"answer": list(map(encode_whole, answer))})

    def play(self, scripts: Sequence[Script]) -> list[Next]:
        """The same of many scripts at once."""
        plain = [[None if a is None else list(map(encode_whole, a)) for a in s] for s in scripts]
        self.say({"play": plain})
        found: list[Next] = []
        while len(found) < len(scripts):
            message = self.hear("played_message")
            self._questions += [self._question(one) for one in message["questions"]]
            played = _one_by_one(message)
            if not 0 < len(played) <= len(scripts) - len(found):
                raise Improper("another number of scripts was played")
            part = scripts[len(found) : len(found) + len(played)]
            found += map(self._played, played, part)
        return found

    def _played(self, played: list[Any], script: Script) -> Next:
        numbers, what, *rest = played
        events = [self._questions[number] for number in numbers]
        if len(events) > len(script):
            raise Improper("more questions were answered than the script has answers")
        if what == "asks":
            if len(events) < len(script):
                raise Improper("the program asks on before its script has ended")
            return Next(asks=self._questions[rest[0]])
        if what == "refused" and (not events or script[len(events) - 1] is not None):
            raise Improper("the program gave up a run whose last question was answered")
        return Next(output=output_of(rest[0], self._setting) if rest else None)

    def end(self) -> None:
        """There are no more runs; Improper unless the program ends with exit code 0."""
        try:
            self.say({"end": True})
        except Improper:
            if self.runs == "many":
                raise
        self._finish()

    def close_input(self) -> None:
        """The curator is gone: its program ends by itself."""
        self._finish(zero=False)

    def _finish(self, zero: bool = True) -> None:
        try:
            assert self._process.stdin is not None
            with suppress(OSError):
                # What was not taken stays behind, and closing tries to send it again.
                self._process.stdin.close()
            code = self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            raise Improper("the program does not end") from None
        finally:
            self._process.kill()
        if zero and code:
            raise Improper(f"the program ended with exit code {code}")
        if self._lines.get(timeout=SECONDS):
            raise Improper("the program said more than it was asked for")


def _one_by_one(message: dict[str, Any]) -> list[list[Any]]:
    """The plays of a message, those that were told together apart."""
    outputs, plays = message.get("outputs", []), []
    for played in message["played"]:
        if played[1] != "outputs":
            plays.append(played)
            continue
        if any(number >= len(outputs) for number in played[2]):
            raise Improper("a play has an output that its message does not list")
        plays += [[played[0], "output", outputs[number]] for number in played[2]]
    return plays


TURNS = ("ask_message", "spent_request", "transcript_request", "output_message", "error_message")


def output_of(plain: dict[str, Any], setting: Setting) -> Output:
    """What is released, in the form that channels name outputs by; Improper for other codes."""
    if "records" in plain:
        counts = [0] * setting.domain.size
        for codes in plain["records"]:
            if len(codes) != len(setting.domain.shape):
                raise Improper("a record has one code an attribute")
            cell = 0
            for code, size in zip(codes, setting.domain.shape, strict=True):
                if code >= size:
                    raise Improper("a code is beyond its attribute's values")
                cell = cell * size + code
            counts[cell] += 1
        return tuple(counts)
    return tuple(decode_whole(v["whole"]) if type(v) is dict else v for v in plain["values"])


def follow_one(
    command: Sequence[str], setting: Setting, parameters: Mapping[str, str], script: Script
) -> Next:
    """One run in a process of its own."""
    conversation = Conversation(command, setting, parameters)
    found = conversation.follow(script)
    conversation.end()
    return found


def channel(
    command: Sequence[str],
    setting: Setting,
    parameters: Mapping[str, str],
    databases: Databases,
    scripts: bool = False,
) -> dict[Output, list[Exact]]:
    """Exact chances of every output under every database, by all scripts of answers."""
    conversation = Conversation(command, setting, parameters)
    found: dict[Output, list[Exact]] = {}
    level: list[tuple[Script, list[Exact]]] = [((), [1] * len(databases.rows))]  # type: ignore[list-item]
    while level:
        if scripts:
            nexts = conversation.play([script for script, _ in level])
        elif conversation.runs == "one":
            nexts = [follow_one(command, setting, parameters, script) for script, _ in level]
        else:
            nexts = [conversation.follow(script) for script, _ in level]
        deeper = []
        for (script, chances), after in zip(level, nexts, strict=True):
            if after.output is not None:
                sums = found.get(after.output)
                found[after.output] = list(map(add, sums, chances)) if sums else chances
            elif after.asks is None:
                raise Improper("a run on answers ended without an output")
            else:
                deeper += [
                    ((*script, answer), list(map(multiply, chances, own)))
                    for answer, own in answers(after.asks, databases)
                ]
        level = deeper
    conversation.end()
    return found


def answers(event: Event, databases: Databases) -> list[tuple[tuple[int, ...], list[Exact]]]:
    """Every answer with its exact chance under every database."""
    coordinates = event.coordinates(databases)
    listed = []
    for places in itertools.product(*(range(len(one.outcomes)) for one in coordinates)):
        pairs = list(zip(coordinates, places, strict=True))
        answer = tuple(value for one, place in pairs for value in one.outcomes[place])
        chances: list[Exact] = [1] * len(databases.rows)  # type: ignore[list-item]
        for one, place in pairs:
            chances = list(map(multiply, chances, one.exact[place]))
        listed.append((answer, chances))
    return listed
