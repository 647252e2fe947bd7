"""Submissions that serve: what they are asked, what comes back, and what ends them."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.statements.limits import Limits
from audit.subjects import served, server
from audit.subjects.black_box import Starting
from audit.subjects.command import CommandBox
from audit.subjects.outcomes import Ended, Outcomes, Shape
from audit.subjects.pair import Pair
from audit.subjects.served import AloneBox, ServedBox
from audit.subjects.server import Serving, ask_serving
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.neighbours import AddRemove
from tests.audit.subjects.conftest import running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

PAIR = Pair([{"cell": "0"}], [])
LIMITS = Limits()
HELLO = '{"protocol": "dp-audit/submission", "version": 2, "serve": true}'
Make = Callable[[str], str]


@pytest.fixture
def made(tmp_path: Path) -> Make:
    """A function that writes an executable Python script."""

    def make(text: str) -> str:
        path = tmp_path / f"submission-{len(list(tmp_path.iterdir()))}"
        path.write_text(f"#!{sys.executable} -IS\nimport json, os, sys, time\n{text}")
        path.chmod(0o755)
        return str(path)

    return make


def serving(answer: str, hello: str = HELLO) -> str:
    """A submission whose every answer is made by some lines, from ``given`` and its ``number``."""
    indented = answer.replace("\n", "\n        ")
    return f"""
def write(given):
    with open(given["input"]) as file:
        rows = len(file.readlines()) - 1
    with open(given["output"], "w") as file:
        file.write(f"rows,seed\\n{{rows}},{{given['seed']}}\\n")

def say(line):
    os.write(1, line.encode() + b"\\n")

def done(given, code=0):
    return json.dumps({{"run": given["run"], "exit": code}})

if "--serve" in sys.argv:
    say({hello!r})
    for number, line in enumerate(sys.stdin, 1):
        given = json.loads(line)
        {indented}
else:
    write(dict(zip([name[2:] for name in sys.argv[1::2]], sys.argv[2::2])))
"""


HONEST = serving("write(given)\nsay(done(given))")


def box(path: str, limits: Limits = LIMITS) -> ServedBox:
    claim = ApproxDP(Fraction(1))
    return ServedBox(CommandBox(path, claim, AddRemove(), Domain.from_cells("2"), 3, limits))


def drawn(subject: ServedBox, runs: int, seed: int = 1) -> Outcomes:
    return subject.draw_afresh(PAIR, np.arange(runs) % 2 == 1, seed)


def shapes(outcomes: Outcomes) -> list[Shape]:
    return [outcomes.shapes[place] for place in outcomes.of]


def ended(reason: str) -> Shape:
    return Outcomes.of_outputs([Ended(reason)]).shapes[0]


def kinds(outcomes: Outcomes) -> list[str]:
    """Of each run, whether it gave a table, or why not."""
    return [shape.detail if shape.kind == "ended" else shape.kind for shape in shapes(outcomes)]


def test_a_served_run_gives_what_a_run_in_a_process_of_its_own_gives(made: Make) -> None:
    subject = box(made(HONEST))
    coins = np.array([True, False, False, True, False])
    together = subject.draw(PAIR, coins, 5)
    alone = subject.draw_first(PAIR, coins, 5)
    assert np.array_equal(together.codes(), alone.codes())
    assert [int(table["rows"][0]) for table in together.blocks[0]] == [0, 1, 1, 0, 1]
    assert len({int(table["seed"][0]) for table in together.blocks[0]}) == 5
    assert isinstance(subject, Starting) and subject.serves
    assert not isinstance(subject.command, Starting)


def test_a_request_says_what_parameters_json_says_and_the_number_of_the_run(
    made: Make, notes: Path
) -> None:
    seen = notes / "seen.jsonl"
    look = (
        f"print(json.dumps([given, json.load(open(os.path.dirname(given['output']) + "
        "'/parameters.json')), sys.argv[1:], os.getcwd(), dict(os.environ), os.listdir('.')]), "
        f"file=open({str(seen)!r}, 'a'))\nwrite(given)\nsay(done(given))"
    )
    assert kinds(drawn(box(made(serving(look))), 2)) == ["table", "table"]
    for number, line in enumerate(seen.read_text().splitlines(), 1):
        request, parameters, argv, folder, environment, files = json.loads(line)
        assert argv == ["--protocol", "2", "--serve"]
        assert request == {**parameters, "run": number}
        assert (request["protocol"], request["epsilon"], request["rows"]) == (2, 1, 3)
        assert list(parameters) == [
            *("protocol", "input", "domain", "output", "epsilon", "delta"),
            *("neighbours", "unit", "max_records", "rows", "seed"),
        ]
        assert environment["HOME"] == environment["TMPDIR"] == folder
        assert files == []
        assert folder != os.path.dirname(request["output"])
        assert not os.path.exists(folder) and not os.path.exists(request["output"])


def test_a_server_makes_many_runs_and_a_new_one_has_made_none(
    made: Make, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = f"open({str(notes / 'starts')!r}, 'a').write('x' if number == 1 else '.')\n"
    subject = box(made(serving(f"{note}write(given)\nsay(done(given))")))
    starts = notes / "starts"
    subject.draw(PAIR, np.zeros(3, np.bool_), 1)
    subject.draw(PAIR, np.zeros(2, np.bool_), 2)
    assert starts.read_text() == "x...."
    drawn(subject, 3)
    assert starts.read_text() == "x....x.."
    monkeypatch.setattr(server, "SERVER_RUNS", 2)
    drawn(subject, 5)
    assert starts.read_text() == "x....x..x.x.x"


def test_a_server_that_dies_on_the_third_request_is_started_again(made: Make) -> None:
    subject = box(made(serving("number == 3 and os._exit(7)\nwrite(given)\nsay(done(given))")))
    expected = ["table", "table", "exit code 7", "table", "table", "exit code 7", "table"]
    assert kinds(drawn(subject, 7)) == expected
    killed = box(made(serving(f"os.kill(os.getpid(), {int(signal.SIGKILL)})")))
    assert kinds(drawn(killed, 2)) == [f"died by signal {int(signal.SIGKILL)}"] * 2
    silent = box(made(serving("sys.exit(0)")))
    assert kinds(drawn(silent, 2)) == ["no answer"] * 2


def test_a_server_that_answers_two_lines_has_answered_nothing(made: Make) -> None:
    # Both are written at once, so that they are read at once.
    twice = "write(given)\nsay(done(given) + '\\n' + done(given) if number == 2 else done(given))"
    assert kinds(drawn(box(made(serving(twice))), 3)) == ["table", "unreadable answer", "table"]


def test_a_second_line_that_comes_late_is_no_answer_to_the_next_request(made: Make) -> None:
    late = "write(given)\nsay(done(given))\nsay(done(given))"
    found = kinds(drawn(box(made(serving(late))), 6))
    # Whether it is seen with the first answer, or before the second, is a matter of time.
    assert set(found) <= {"table", "unreadable answer"}
    assert "unreadable answer" in found


def test_a_server_that_never_answers_is_out_of_time(made: Make) -> None:
    path = made(serving("time.sleep(1000)"))
    assert kinds(drawn(box(path, Limits(seconds=0.3)), 1)) == ["time"]
    assert running(path) == []


@pytest.mark.parametrize(
    "answer",
    [
        "say('done')",
        "say('[]')",
        "say('null')",
        "say('')",
        "say('[' * 4000)",
        "say(json.dumps({'run': given['run']}))",
        "say(json.dumps({'exit': 0}))",
        "say(json.dumps({'run': given['run'] + 1, 'exit': 0}))",
        "say(json.dumps({'run': str(given['run']), 'exit': 0}))",
        "say(json.dumps({'run': given['run'] == number, 'exit': 0}))",
        "say(json.dumps({'run': given['run'], 'exit': False}))",
        "say(json.dumps({'run': given['run'], 'exit': '0'}))",
        "say(json.dumps({'run': given['run'], 'exit': 0.0}))",
        "say(json.dumps({'run': given['run'], 'exit': 256}))",
        "say(json.dumps({'run': given['run'], 'exit': 0, 'more': 'x' * 5000}))",
        "os.write(1, b'x' * 5000)",
        "os.write(1, b'\\xff\\n')",
    ],
)
def test_an_answer_that_cannot_be_read_is_the_outcome_of_its_run(made: Make, answer: str) -> None:
    subject = box(made(serving(f"write(given)\n{answer}")))
    assert kinds(drawn(subject, 2)) == ["unreadable answer"] * 2


@pytest.mark.parametrize(
    ("code", "reason"), [(3, "exit code 3"), (-9, "died by signal 9"), (0, "no output table")]
)
def test_a_run_that_fails_ends_as_one_in_a_process_of_its_own(
    made: Make, code: int, reason: str
) -> None:
    subject = box(made(serving(f"say(done(given, {code}))")))
    assert shapes(drawn(subject, 2)) == [ended(reason)] * 2


def test_forks_of_one_server_share_what_it_drew_when_it_was_loaded(made: Make) -> None:
    text = serving("write({**given, 'seed': NOISE})\nsay(done(given))")
    text = text.replace("def write", "NOISE = int.from_bytes(os.urandom(7), 'big')\ndef write")
    subject = box(made(text))
    assert len(np.unique(subject.draw_afresh(PAIR, np.zeros(4, np.bool_), 1).codes())) == 1
    two = [subject.draw_afresh(PAIR, np.zeros(1, np.bool_), 1).codes()[0] for _ in range(2)]
    assert two[0] != two[1]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_the_memory_of_a_server_is_limited(made: Make) -> None:
    greed = "try: bytearray(2**29)\nexcept MemoryError: code = 9\nelse: code = 0\n"
    subject = made(serving(f"{greed}write(given)\nsay(done(given, code))"))
    assert kinds(drawn(box(subject, Limits(megabytes=256)), 1)) == ["exit code 9"]
    assert kinds(drawn(box(subject), 1)) == ["table"]


def test_what_is_said_to_serve_serves(made: Make) -> None:
    assert ask_serving(made(HONEST), LIMITS) is Serving.SHARING


def test_a_program_that_is_asked_has_an_empty_input(made: Make) -> None:
    path = made(f"sys.stdin.read()\nprint({HELLO!r})")
    assert ask_serving(path, LIMITS) is Serving.SHARING


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in Linux's /proc")
def test_what_runs_leave_behind_ends_with_their_server(made: Make) -> None:
    fork = "os.fork() or time.sleep(1000)\nwrite(given)\nsay(done(given))"
    path = made(serving(fork))
    subject = box(path)
    assert kinds(subject.draw(PAIR, np.zeros(2, np.bool_), 1)) == ["table"] * 2
    assert len(running(path)) == 3
    served._kept.server.end()
    assert running(path) == []


ALONE = HELLO.replace("}", ', "new_process": true}')


def alone(path: str) -> AloneBox:
    return AloneBox(ServedBox(box(path).command, Serving.ALONE))


def test_a_server_of_new_processes_is_a_box_as_its_command(made: Make) -> None:
    path = made(serving("write(given)\nsay(done(given))", ALONE))
    assert ask_serving(path, LIMITS) is Serving.ALONE
    subject = alone(path)
    assert not isinstance(subject, Starting)
    coins = np.array([True, False, True])
    own = subject.served.command.draw(PAIR, coins, 5)
    assert np.array_equal(subject.draw(PAIR, coins, 5).codes(), own.codes())


@pytest.mark.parametrize("said", ["false", "1", '"true"', "null"])
def test_new_processes_are_said_by_true_alone(made: Make, said: str) -> None:
    hello = ALONE.replace('process": true', f'process": {said}')
    assert hello != ALONE
    path = made(serving("write(given)\nsay(done(given))", hello))
    assert ask_serving(path, LIMITS) is Serving.SHARING


def test_a_server_that_does_not_say_it_is_no_server_of_new_processes(made: Make) -> None:
    with pytest.raises(ProtocolError, match="said that it serves, and now ends"):
        alone(made(HONEST)).draw(PAIR, np.zeros(1, np.bool_), 1)


def test_files_of_a_run_are_gone_before_the_next_where_processes_are_new(made: Make) -> None:
    leave = (
        "place = os.path.dirname(os.path.dirname(given['output']))\n"
        "assert len(os.listdir(place)) == 1\n"
        "os.makedirs(place + '/left/deep')\nopen(place + '/file', 'w').close()\n"
        "os.symlink('/', place + '/link')\nwrite(given)\nsay(done(given))"
    )
    subject = alone(made(serving(leave, ALONE)))
    assert kinds(subject.draw(PAIR, np.zeros(3, np.bool_), 1)) == ["table"] * 3
    # Whoever says nothing of its processes may keep files.
    assert kinds(drawn(box(made(serving(leave))), 2)) == ["table", "exit code 1"]


NOT_SERVING = {
    "nothing": "pass",
    "an error": "sys.exit(2)",
    "its options": "print(*sys.argv)",
    "much": "os.write(1, b'x' * 100_000)",
    "much, line by line": "os.write(1, b'x\\n' * 50_000)",
    "the sentence later": f"print('loading'); print({HELLO!r})",
    "the sentence and more": f"os.write(1, ({HELLO!r} + chr(10) + 'ready' + chr(10)).encode())",
    "the sentence without its end": f"os.write(1, {HELLO!r}.encode())",
    "that it does not": f"print({HELLO.replace('true', 'false')!r})",
    "one for true": f"print({HELLO.replace('true', '1')!r})",
    "another protocol": f"print({HELLO.replace('submission', 'curator')!r})",
    "what it reads": "print(sys.stdin.read())",
    "a list": "print('[]')",
}


@pytest.mark.parametrize("said", NOT_SERVING)
def test_a_program_that_says_anything_else_is_started_once_and_taken_for_version_1(
    made: Make, notes: Path, said: str
) -> None:
    starts = notes / "starts"
    path = made(f"open({str(starts)!r}, 'a').write('x')\n{NOT_SERVING[said]}")
    assert ask_serving(path, LIMITS) is Serving.NOT
    assert starts.read_text() == "x"


def test_a_program_that_says_nothing_is_waited_for_no_longer_than_is_stated(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HELLO_SECONDS", 0.2)
    assert ask_serving(made("time.sleep(1000)"), LIMITS) is Serving.NOT


def test_a_path_that_is_no_program_serves_nothing(tmp_path: Path) -> None:
    assert ask_serving(str(tmp_path / "absent"), LIMITS) is Serving.NOT


@pytest.mark.parametrize("version", ["3", "1", "true", '"2"', "2.0", "null"])
def test_another_version_of_the_served_form_breaks_the_protocol(made: Make, version: str) -> None:
    hello = HELLO.replace("2", version)
    with pytest.raises(ProtocolError, match="must say version 2"):
        ask_serving(made(f"print({hello!r})"), LIMITS)


def test_a_submission_that_serves_no_more_ends_the_audit(made: Make, notes: Path) -> None:
    mark = notes / "served"
    once = f"if os.path.exists({str(mark)!r}): sys.exit(1)\nopen({str(mark)!r}, 'w')\n"
    path = made(once + HONEST)
    assert ask_serving(path, LIMITS) is Serving.SHARING
    with pytest.raises(ProtocolError, match="said that it serves, and now ends"):
        drawn(box(path), 1)


def test_a_program_that_cannot_be_started_to_serve_ends_the_audit(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="cannot be run"):
        drawn(box(str(tmp_path / "absent")), 1)


def test_a_served_box_pickles(made: Make) -> None:
    subject = box(made(HONEST))
    sent = pickle.loads(pickle.dumps(subject))
    assert sent == subject and sent.name == subject.name and sent.block == subject.block
    found = [one.draw(PAIR, np.zeros(2, np.bool_), 3).codes() for one in (subject, sent)]
    assert np.array_equal(*found)
