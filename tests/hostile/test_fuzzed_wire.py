"""Both ends of every wire, with a stranger at the other: each ends by an error of ours, in time.

A program's process, the parent of one, and a submission that serves say honest messages that were
changed in a few places, or whatever bytes there are. Their pipes are filled beforehand and closed,
so that nothing waits; what never answers is told by two tests with limits of 0.3 s.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.statements.isolation import Isolation
from audit.statements.limits import Limits
from audit.subjects.lines import Lines
from audit.subjects.outcomes import Ended
from audit.subjects.program_child import HELLO, serve
from audit.subjects.program_process import ProgramProcess
from audit.subjects.server import NAME, SERVING, Server, Serving
from audit.subjects.started import Started
from synthesizers.budget import PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import DPAuditError, ProtocolError
from synthesizers.events import Measure
from synthesizers.neighbours import ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.playing import Play
from synthesizers.queries import Marginal
from synthesizers.questions_json import question_to_json, setting_to_json
from tests.hostile.fuzzing import changed_bytes, mutations_of, taken, text_of

DOMAIN = Domain.from_cells("2")
SETTING = Setting(DOMAIN, ReplaceOne(), 1, 1)
BUDGET = PureBudget(Fraction(2))
ASKED = Measure(Marginal(DOMAIN.names), DiscreteLaplace(Fraction(1)), 0, 3)
QUESTION = json.loads(json.dumps(question_to_json(ASKED)))

Messages = list[Any]

OPENED: Messages = [HELLO, {"budget": BUDGET.to_json(), "ledger": [QUESTION]}]
A_LINE: Messages = [{**HELLO, "scripts": False}, OPENED[1], {"ask": QUESTION, "where": {"line": 3}}]
RUN: Messages = [*A_LINE, {"spent": True}, {"transcript": True}, {"output": {"values": [1, None]}}]
PLAYS: Messages = [
    *OPENED,
    {"questions": [QUESTION], "played": [[[], "asks", 0]]},
    {"questions": [], "played": [[[0], "output", {"records": [[0], [1]]}], [[0], "refused"]]},
]
ORDERS: Messages = [
    {"setting": setting_to_json(SETTING), "parameters": {}},
    {"play": [[], [[1, 2]], [None]]},
    {"begin": 1},
    {"answer": [3, "-4"]},
    {"begin": 2},
    {"refused": "budget"},
    {"begin": 3},
    {"stop": True},
    {"end": True},
]

ANYTHING = list(HealthCheck)
QUICK = settings(max_examples=20, suppress_health_check=ANYTHING)
LONG = settings(max_examples=400, suppress_health_check=ANYTHING)


def lines_of(messages: Any) -> bytes:
    """One message a line, as a stranger may write them."""
    several = messages if isinstance(messages, list) else [messages]
    return b"".join(text_of(message).encode() + b"\n" for message in several)


def spoken(*honest: Messages) -> st.SearchStrategy[bytes]:
    """What is said on a wire: honest messages, changed as messages or as bytes."""
    documents = st.one_of(*map(mutations_of, honest)).map(lines_of)
    return st.one_of(documents, changed_bytes([lines_of(messages) for messages in honest]))


@dataclass(frozen=True)
class Says:
    """Starts a process that has said all that it will, reads nothing, and has closed its end."""

    content: bytes

    def __call__(self) -> Started:
        back, said = os.pipe()
        deaf, to = os.pipe()
        # As much as a pipe holds without a reader.
        os.set_blocking(said, False)
        with suppress(BlockingIOError):
            os.write(said, self.content)
        os.close(said)
        return Started(os.fdopen(to, "wb"), os.fdopen(back, "rb"), lambda: os.close(deaf))

    def isolation(self) -> Isolation:
        return Isolation("plain", "none", "none")


def conversation(content: bytes) -> list[Play]:
    """What the parent makes of all that a process says."""
    program = ProgramProcess("a stranger's", Says(content))
    try:
        player = program.player(SETTING, BUDGET)
        plays = [play for _ in range(2) for play in player.play([(), ((1, 2),)])]
        for play in plays:
            assert all(type(player.question(number)) is Measure for number in play.asked[:1])
        return plays
    finally:
        program.end()


@QUICK
@given(content=spoken(RUN, PLAYS))
def test_a_parent_takes_what_a_process_says_or_refuses_it(content: bytes) -> None:
    taken(conversation, content)


@pytest.mark.slow
@LONG
@given(content=spoken(RUN, PLAYS))
def test_a_parent_takes_much_that_a_process_says_or_refuses_it(content: bytes) -> None:
    taken(conversation, content)


def test_a_parent_takes_an_honest_conversation() -> None:
    two = [(), ((1, 2),)]
    asking = ProgramProcess("mine", Says(lines_of([*RUN, {"output": {"values": []}}])))
    first, second = asking.player(SETTING, BUDGET).play(two)
    assert first.next == 0 and second.output == (1, None)
    plays = [[[], "asks", 0], [[0], "output", {"records": [[0], [1]]}]]
    said = lines_of([*OPENED, {"questions": [QUESTION], "played": plays}])
    playing = ProgramProcess("mine", Says(said))
    assert playing.player(SETTING, BUDGET).play(two)[1] == Play((0,), None, (1, 1))


@QUICK
@given(content=st.one_of(spoken(RUN), st.binary(max_size=200)))
def test_a_line_is_a_message_or_refused(content: bytes) -> None:
    started = Says(content)()
    lines = Lines(started.stdin, started.stdout)
    try:
        for _ in range(20):
            assert type(lines.receive(0.3)) is dict
    except (EOFError, ProtocolError):
        pass
    finally:
        lines.close()
        started.end()


class Silent(Says):
    """The same, whose end stays open: it says no more and does not end."""

    def __call__(self) -> Started:
        started = super().__call__()
        kept, said = os.pipe()
        os.write(said, self.content)
        started.stdout.close()
        return Started(
            started.stdin, os.fdopen(kept, "rb"), lambda: (started.end(), os.close(said))
        )


def test_a_parent_does_not_wait_for_ever() -> None:
    program = ProgramProcess("a silent one", Silent(lines_of(OPENED)), seconds=0.3)
    with pytest.raises(ProtocolError, match=r"wrote nothing for 0\.3 seconds"):
        program.player(SETTING, BUDGET).play([()])


# --- The child's end ------------------------------------------------------------------------------


def sanitizer(curator: Curator) -> tuple[int, ...]:
    try:
        return tuple(map(int, curator.measure(ASKED.query, ASKED.noise, low=0, high=3)))
    except DPAuditError:
        return ()


def answered(content: bytes) -> bytes:
    """What a child says to all that a parent says to it; it must end by itself, with code 0."""
    heard, to = os.pipe()
    back, said = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os.close(to)
        os.close(back)
        try:
            serve(lambda: sanitizer, os.fdopen(heard, "rb"), os.fdopen(said, "wb"))
        finally:
            os._exit(0)
    os.close(heard)
    os.close(said)
    os.set_blocking(to, False)
    with suppress(BlockingIOError, BrokenPipeError):
        os.write(to, content)
    os.close(to)
    with os.fdopen(back, "rb") as file:
        found = file.read()
    _, status = os.waitpid(child, 0)
    assert status == 0
    return found


KEYS = {"protocol", "budget", "error", "questions", "ask", "output", "stopped"}


def require_messages(found: bytes) -> None:
    for line in found.splitlines():
        assert KEYS & json.loads(line).keys()


@settings(max_examples=5, suppress_health_check=ANYTHING)
@given(content=spoken(ORDERS))
def test_a_child_answers_what_a_parent_says_or_ends(content: bytes) -> None:
    require_messages(answered(content))


@pytest.mark.slow
@LONG
@given(content=spoken(ORDERS))
def test_a_child_answers_much_that_a_parent_says_or_ends(content: bytes) -> None:
    require_messages(answered(content))


def test_a_child_answers_an_honest_parent() -> None:
    found = [json.loads(line) for line in answered(lines_of(ORDERS)).splitlines()]
    assert found[0] == json.loads(json.dumps(HELLO)) and "budget" in found[1]
    places = [said.pop("where") for said in found if "ask" in said]
    assert {place["file"] for place in places} == {Path(__file__).name}
    assert [play[1] for play in found[2]["played"]] == ["asks", "outputs"]
    assert found[3:] == [
        *({"ask": QUESTION}, {"output": {"values": [3, -4]}}),
        *({"ask": QUESTION}, {"output": {"values": []}}),
        *({"ask": QUESTION}, {"stopped": True}),
    ]


# --- A submission that serves ---------------------------------------------------------------------

ANSWERS: Messages = [{"protocol": NAME, "version": SERVING, "serve": True}, {"run": 1, "exit": 0}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("served")


def submission(folder: Path, content: bytes, then: str = "") -> str:
    """A program that says some bytes, whatever it is asked."""
    (folder / "said").write_bytes(content)
    path = folder / "submission"
    path.write_text(f"#!/bin/sh\ncat '{folder}/said'\n{then}")
    path.chmod(0o755)
    return str(path)


def asked(folder: Path, content: bytes, then: str = "", seconds: float = 5) -> Any:
    """Whether it serves, and what came of a run where it does."""
    server = Server(submission(folder, content, then), Limits())
    try:
        serving = server.greet() is not Serving.NOT
        return server.run({"epsilon": 1}, seconds) if serving else False
    finally:
        server.end()


@settings(max_examples=5, suppress_health_check=ANYTHING)
@given(content=spoken(ANSWERS))
def test_what_a_submission_says_is_an_outcome_or_refused(folder: Path, content: bytes) -> None:
    found = taken(lambda said: asked(folder, said), content)
    # An answer beside its first line was there before it was asked.
    assert found is not None


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=ANYTHING)
@given(content=spoken(ANSWERS))
def test_much_that_a_submission_says_is_an_outcome_or_refused(folder: Path, content: bytes) -> None:
    assert taken(lambda said: asked(folder, said), content) is not None


def test_a_submission_that_says_no_more_is_not_waited_for(folder: Path) -> None:
    # It says all else in one line, so that the first is its own.
    then = "read line; sleep 30\n"
    found = asked(folder, lines_of(ANSWERS[:1]), then, seconds=0.3)
    assert found == Ended("time")
