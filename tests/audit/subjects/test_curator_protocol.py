"""The published protocol: its examples speak it, and have the channel of our own sanitizer."""

from __future__ import annotations

import os
import shutil
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.channels.enumerate import channel_of, instance
from audit.subjects.box_paths import python_paths
from audit.subjects.program_process import ProgramProcess
from audit.subjects.started import ConfinedStart
from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Program, Setting
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import ProtocolError
from synthesizers.events import Measure
from synthesizers.exact import compare
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.histogram_sanitizer import histogram_query
from synthesizers.queries import CellCounts

pytest.importorskip("jsonschema")

from tests.audit.subjects.curator_conformance import (
    Conversation,
    Improper,
    Next,
    channel,
    follow_one,
)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the examples run on POSIX systems")

FOLDER = Path(__file__).parents[3] / "docs" / "examples" / "curator"
TWO = Domain.from_cells("2")
ODD = Domain(
    "odd",
    (
        Attribute('a "b], {: }', ("u, v", 'w"values": [1]'), missing=True),
        Attribute("values", ("\\", "Köln", "missing")),
    ),
)
"""Names and values that whoever takes JSON for lines of words stumbles over."""

EXAMPLES = {
    "python": [sys.executable, "-I", str(FOLDER / "geometric.py")],
    "sh": ["/bin/sh", str(FOLDER / "geometric.sh")],
    "R": ["Rscript", "--vanilla", str(FOLDER / "geometric.R")],
}


@pytest.fixture(params=EXAMPLES)
def command(request: pytest.FixtureRequest) -> list[str]:
    found: list[str] = EXAMPLES[request.param]
    if shutil.which(found[0]) is None:
        pytest.skip(f"needs {found[0]}; this machine has none (r-base-core brings Rscript)")
    return found


def program_channel(program: Program, setting: Setting, size: int) -> Any:
    return channel_of(program, setting, exact=True, size=size).channel


def ours(setting: Setting, size: int, epsilon: Fraction) -> Any:
    return program_channel(GeometricSanitizer(epsilon, rescale=False), setting, size)


INSTANCES = {
    "two cells, n public": (Setting.of(TWO, ReplaceOne(), 3), 3),
    "two cells, n private": (Setting.of(TWO, AddRemove(), 3), 3),
    "three cells, n public": (Setting.of(Domain.from_cells("3"), ReplaceOne(), 2), 2),
    "two cells of persons": (Setting.of(TWO, ReplaceOne(Unit("person", 2)), 2), 2),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_an_example_has_exactly_the_channel_of_our_geometric_sanitizer(
    command: list[str], name: str
) -> None:
    setting, size = INSTANCES[name]
    expected = ours(setting, size, Fraction(2))
    databases = instance(setting, size)
    assert (databases.rows == expected.databases).all()
    found = channel(command, setting, {"epsilon": "2"}, databases)
    assert found.keys() == set(expected.outputs)
    for column, output in enumerate(expected.outputs):
        for row, chance in enumerate(found[output]):
            assert compare(chance, expected.exact[row, column]) == 0


def test_our_own_curator_finds_the_same_channel_in_an_example(command: list[str]) -> None:
    setting, size = INSTANCES["two cells, n public"]
    path = shutil.which(command[0])
    assert path is not None
    start = ConfinedStart((path, *command[1:]), (str(FOLDER), *python_paths()))
    program = ProgramProcess("the example", start, (("epsilon", "2"),))
    found, expected = program_channel(program, setting, size), ours(setting, size, Fraction(2))
    program.end()
    assert found.outputs == expected.outputs
    for one, other in zip(found.exact.ravel(), expected.exact.ravel(), strict=True):
        assert compare(one, other) == 0


def test_scripts_give_the_same_channel_as_runs() -> None:
    setting, size = INSTANCES["three cells, n public"]
    databases = instance(setting, size)
    one, other = (
        channel(EXAMPLES["python"], setting, {"epsilon": "2"}, databases, scripts)
        for scripts in (False, True)
    )
    assert one.keys() == other.keys()
    assert all(compare(a, b) == 0 for o in one for a, b in zip(one[o], other[o], strict=True))


PLAYS_WRONGLY = """
import json
print('{"protocol": "dp-audit/curator", "version": 1, "runs": "many", "scripts": true}', flush=True)
input()
print('{"budget": {"unlimited": true}, "ledger": null}', flush=True)
while True:
    if "play" in json.loads(input()):
        print(json.dumps(ANSWER), flush=True)
"""


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"outputs": [{"values": [1]}], "played": [[[], "outputs", [0, 0]]]}, "another number"),
        ({"outputs": [{"values": [1]}], "played": [[[], "outputs", []]]}, "another number"),
        ({"outputs": [], "played": [[[], "outputs", [0]]]}, "no play"),
        ({"outputs": {}, "played": [[[], "outputs", []]]}, "something else"),
        ({"outputs": [], "played": [], "note": 1}, "something else"),
    ],
    ids=str,
)
def test_who_plays_otherwise_than_asked_ends_the_audit(
    answer: dict[str, Any], words: str, tmp_path: Path
) -> None:
    file = tmp_path / "plays.py"
    file.write_text(PLAYS_WRONGLY.replace("ANSWER", repr({"questions": [], **answer})))
    start = ConfinedStart((sys.executable, "-S", str(file)), (str(tmp_path), *python_paths()))
    program = ProgramProcess("theirs", start)
    player = program.player(Setting.of(TWO, ReplaceOne(), 3), UnlimitedBudget())
    with pytest.raises(ProtocolError, match=words):
        player.play([()])
    program.end()


SETTINGS = {
    "odd names, n private": Setting.of(ODD, AddRemove(), 4),
    "odd names, n public": Setting.of(ODD, ReplaceOne(), 100_000),
    "persons added": Setting.of(ODD, AddRemove(Unit("person", 3)), 5),
    "persons replaced": Setting.of(TWO, ReplaceOne(Unit("person", 3)), 5),
    "one cell, n private": Setting.of(Domain.from_cells("1"), AddRemove(), 5),
    "one cell of persons": Setting.of(Domain.from_cells("1"), ReplaceOne(Unit("person", 2)), 5),
    "a large table": Setting.of(Domain.from_cells("100x20"), ReplaceOne(), 7),
}
EPSILONS = {"2": Fraction(2), "0.05": Fraction(1, 20), "3/7": Fraction(3, 7), "10": Fraction(10)}


@pytest.mark.parametrize("name", SETTINGS)
def test_an_example_calibrates_its_noise_as_ours_does(command: list[str], name: str) -> None:
    setting = SETTINGS[name]
    for text, epsilon in EPSILONS.items():
        event = follow_one(command, setting, {"epsilon": text, "note": "a, b]}"}, ()).asks
        assert isinstance(event, Measure)
        query = histogram_query(setting)
        moved = query.sensitivity(setting.domain, setting.neighbours)
        assert event.query.sensitivity(setting.domain, setting.neighbours) == moved
        assert event.query == CellCounts(tuple(range(query.size(setting.domain))))
        assert event.noise.scale == moved.l1 / epsilon  # type: ignore[attr-defined]
        assert (event.low, event.high) == (0, setting.rows)


def test_an_example_of_a_table_that_is_known_asks_nothing(command: list[str]) -> None:
    setting = Setting.of(Domain.from_cells("1"), ReplaceOne(), 5)
    assert follow_one(command, setting, {"epsilon": "2"}, ()) == Next(output=(5,))


def test_an_example_states_its_budget(command: list[str]) -> None:
    for text, epsilon in EPSILONS.items():
        conversation = Conversation(command, SETTINGS["persons added"], {"epsilon": text})
        assert conversation.budget.epsilon == epsilon  # type: ignore[union-attr]
        assert conversation.ledger is None
        conversation.end()


def test_a_script_that_is_refused_ends_the_run_there() -> None:
    setting, _ = INSTANCES["three cells, n public"]
    conversation = Conversation(EXAMPLES["python"], setting, {"epsilon": "2"})
    asked, refused, answered = conversation.play([(), (None,), ((2, 0, 1),)])
    assert asked.asks is not None
    assert (refused, answered) == (Next(), Next(output=(2, 0, 1)))
    conversation.end()


def test_an_example_reads_json_without_a_space(command: list[str]) -> None:
    for begun in (0, 1):
        conversation = Conversation(
            command, SETTINGS["odd names, n public"], {"epsilon": "2"}, begun
        )
        event = conversation.follow(()).asks
        assert isinstance(event, Measure) and event.high == 100_000
        conversation.end()


def test_a_run_of_an_example_depends_on_nothing_before_it(command: list[str]) -> None:
    """Stopped, refused and finished runs leave nothing behind, and numbers say nothing."""
    setting, _ = INSTANCES["three cells, n public"]
    conversation = Conversation(command, setting, {"epsilon": "2"})
    asked = conversation.follow(()).asks
    assert conversation.follow(((2, 0, 1),)) == Next(output=(2, 0, 1))
    assert conversation.follow((None,)) == Next()
    conversation.begun = 40
    assert conversation.follow(()).asks == asked
    assert conversation.follow(((0, 2, 2),)) == Next(output=(0, 2, 2))
    conversation.end()


def test_an_example_ends_where_its_input_ends(command: list[str]) -> None:
    conversation = Conversation(command, SETTINGS["persons added"], {"epsilon": "2"})
    conversation.close_input()


@pytest.mark.parametrize("text", ["", "x", "$(id)", "2;", "*", '"'])
def test_an_example_refuses_an_epsilon_that_it_does_not_read(command: list[str], text: str) -> None:
    with pytest.raises(Improper):
        Conversation(command, SETTINGS["persons added"], {"epsilon": text})


EVERYTHING = """
import json, random, sys

def say(message):
    print(json.dumps(message), flush=True)

def hear():
    return json.loads(sys.stdin.readline() or '{"end": true}')

say({"protocol": "dp-audit/curator", "version": 1, "runs": RUNS})
setting = hear()["setting"]
COUNT = {"event": "measure", "query": {"kind": "total"},
         "noise": {"law": "discrete-laplace", "scale": "1"}, "low": 0, "high": str(2**60)}
SEED = {"event": "draw", "law": {"law": "seed", "bits": 62}}
say({"budget": {"epsilon": "1"}, "ledger": [COUNT, SEED]})
while "end" not in hear():
    say({"ask": COUNT, "where": {"file": "paper.tex", "line": 3, "step": "2a"}})
    reply = hear()
    if "stop" in reply:
        say({"stopped": True})
        continue
    if "refused" in reply:
        say({"output": {"values": ["refused", None, {"whole": str(2**80)}]}})
        continue
    count = int(reply["answer"][0])
    say({"transcript": True})
    assert hear()["transcript"] == [{"ask": COUNT, "answer": reply["answer"]}]
    say({"spent": True})
    assert hear()["spent"] == {"epsilon": "1", "rho": "1/2"}
    say({"ask": SEED})
    reply = hear()
    if "stop" in reply:
        say({"stopped": True})
        continue
    rng = random.Random(int(reply["answer"][0]))
    say({"output": {"records": [[rng.randrange(2)] for _ in range(count)]}})
    if RUNS == "one":
        break
"""


@pytest.mark.parametrize("runs", ["many", "one"])
def test_a_program_that_uses_every_message_is_understood(tmp_path: Path, runs: str) -> None:
    path = tmp_path / "everything.py"
    path.write_text(EVERYTHING.replace("RUNS", repr(runs)))
    told = [sys.executable, "-I", str(path)], Setting.of(TWO, AddRemove(), 3), {}
    first, seed = follow_one(*told, ()), follow_one(*told, ((3,),))
    assert first.asks is not None and first.asks.to_json(TWO, AddRemove())["high"] == 2**60
    assert seed.asks is not None and seed.asks.kind == "draw"
    for number in (5, 2**62 - 1):
        (same,) = {follow_one(*told, ((3,), (number,))).output for _ in range(2)}
        assert same is not None and len(same) == 2 and sum(same) == 3
    assert follow_one(*told, (None,)).output == ("refused", None, 2**80)
    conversation = Conversation(*told)
    assert conversation.ledger == [first.asks, seed.asks]
    assert conversation.runs == runs and not conversation.scripts
    conversation.end()


START = 'say({"protocol": "dp-audit/curator", "version": 1, "runs": "many"}); hear(); '
PROMISE = START + 'say({"budget": {"unlimited": True}, "ledger": None}); hear(); '
BROKEN = {
    "nothing": "",
    "words": "print('hello', flush=True)",
    "another version": 'say({"protocol": "dp-audit/curator", "version": 2, "runs": "many"})',
    "a key more": 'say({"protocol": "dp-audit/curator", "version": 1, "runs": "many", "x": 1})',
    "no ledger": START + 'say({"budget": {"epsilon": "1"}})',
    "a float": START + 'say({"budget": {"epsilon": 1.0}, "ledger": None})',
    "a strange kind": PROMISE + 'say({"ask": {"event": "guess"}})',
    "an unknown attribute": PROMISE + 'say({"ask": {"event": "select", "scores": {"kind": '
    '"marginal", "attributes": ["age"]}, "noise": {"law": "exponential", "rate": "1"}}})',
    "a true count": PROMISE + 'say({"output": {"values": [True]}})',
    "a wrong code": PROMISE + 'say({"output": {"records": [[2]]}})',
    "an output unasked": START + 'say({"output": {"values": [1]}})',
    "two outputs": PROMISE + 'say({"output": {"values": [1]}}); say({"output": {"values": [1]}})',
    "an exit code": PROMISE + 'say({"output": {"values": [1]}}); sys.exit(3)',
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_the_protocol_is_found(tmp_path: Path, name: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(EVERYTHING.split("say({")[0] + BROKEN[name])
    with pytest.raises(Improper):
        follow_one([sys.executable, "-I", str(path)], Setting.of(TWO, AddRemove(), 3), {}, ())
