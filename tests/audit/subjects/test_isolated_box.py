"""Functions in a process of their own: whatever a run does is its outcome, and the next goes on."""

from __future__ import annotations

import builtins
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit.auditors.attack.independence.probing import probe
from audit.subjects import isolated
from audit.subjects import running as in_processes
from audit.subjects.black_box import Starting
from audit.subjects.function import FunctionBox
from audit.subjects.isolated import IsolatedBox
from audit.subjects.loading import describe, prepare
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from audit.subjects.specs import Spec
from synthesizers.errors import InputError, ProtocolError
from tests.audit.subjects import hostile_functions as hostile
from tests.audit.subjects.conftest import running

FOLDER = str(Path(__file__).parent)
MODULE = "tests.audit.subjects.hostile_functions"
COINS = np.array([False, False, True, False, False])

BOX = IsolatedBox("any", "hostile_functions:any_of", "function", folder=FOLDER, megabytes=600)
"""Its process serves all tests that do not end it: the database names the function."""

BATCH = IsolatedBox("any", "hostile_functions:any_batch", "batch", folder=FOLDER)

HASTY = IsolatedBox("hasty", "hostile_functions:any_of", "function", folder=FOLDER, seconds=2)
"""Two seconds are thousands of times what a run takes that ends."""


def pair(name: str, other: str | None = None) -> Pair:
    """A function's name, with a record and without."""
    return Pair([name, {"a": 1}], [name if other is None else other])


def texts(outcomes: Outcomes) -> list[str]:
    return [outcomes.text(run, 30) for run in range(len(outcomes))]


def shown(name: str, box: IsolatedBox = BOX, coins=COINS) -> list[str]:
    return texts(box.draw(pair(name), coins, 3))


def all_gone(folder: Path) -> bool:
    """Whether no process runs in a folder; waited for, because signals take their time."""
    for _ in range(600):
        if not running(str(folder)):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def alone(tmp_path: Path) -> IsolatedBox:
    """A box in a folder of its own, so that its processes are known from others."""
    (tmp_path / "hostile_functions.py").write_text(Path(hostile.__file__).read_text())
    return replace(BOX, folder=str(tmp_path))


def test_outcomes_are_those_of_the_function_in_this_process():
    coins = np.arange(300) % 3 == 0
    for name in ("noisy", "all_kinds", "raises_on_one", "mutates"):
        here = FunctionBox("f", hostile.any_of, False).draw(pair(name), coins, 7)
        there = BOX.draw(pair(name), coins, 7)
        assert there.codes().tolist() == here.codes().tolist()
        assert set(there.shapes) == set(here.shapes)


def test_batches_are_those_of_the_function_in_this_process():
    coins = np.arange(300) % 3 == 0
    for name in ("noisy_batch", "raises_always", "raises_in_batches", "lists_of_all_lengths"):
        here = FunctionBox("f", hostile.any_batch, True).draw(pair(name), coins, 7)
        there = BATCH.draw(pair(name), coins, 7)
        assert there.codes().tolist() == here.codes().tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("size", ["1.0", "1.0", "0.0", "1.0", "1.0"]),
        ("raises_on_one", ["1.0", "1.0", "raised KeyError", "1.0", "1.0"]),
        ("leaves_python", ["1.0", "1.0", "raised SystemExit", "1.0", "1.0"]),
        ("interrupts", ["raised KeyboardInterrupt"] * 5),
        ("allocates_at_once", ["1.0", "1.0", "raised MemoryError", "1.0", "1.0"]),
        ("allocates", ["1.0", "1.0", "raised MemoryError", "1.0", "1.0"]),
        ("chatters", ["1.0", "1.0", "0.0", "1.0", "1.0"]),
        ("forks", ["1.0", "1.0", "0.0", "1.0", "1.0"]),
        ("forks_and_raises", ["1.0", "1.0", "0.0", "1.0", "1.0"]),
        ("table", ["a table of 2 rows"] * 5),
    ],
)
def test_a_run_that_returns_or_raises_leaves_the_process_running(name, expected):
    before = shown("process")
    assert shown(name) == expected
    assert shown("process") == before


@pytest.mark.parametrize(
    ("name", "other"), [("closes_low", "closes_streams"), ("leaves_a_thread", "leaves_a_thread")]
)
def test_a_run_that_spoils_the_process_for_itself_does_not_spoil_it_for_us(name, other):
    found = BOX.draw_afresh(Pair([name, {"a": 1}], [other, {"a": 1}]), COINS, 1)
    assert texts(found) == ["1.0"] * 5


def test_an_output_beyond_the_limit_is_an_end():
    found = BOX.draw(pair("huge"), np.array([False, True]), 1)
    assert [shape.kind for shape in found.shapes] == ["text", "ended"]
    assert len(found.blocks[0][0]) == 10**6
    assert found.text(1) == "ended: size"


def test_things_that_only_the_users_module_knows_are_told_by_the_name_of_their_type():
    found = BOX.draw(pair("table"), np.array([True]), 1)
    assert found.blocks[0][0]["c"].tolist() == ["Mine", 1]
    assert "tests.audit" not in type(found.blocks[0][0]).__module__


def test_a_fixed_seed_of_the_functions_own_shows_in_new_processes_too():
    values = {*shown("fixed_seed"), *texts(BOX.draw_afresh(pair("fixed_seed"), COINS, 9))}
    assert len(values) == 1


def test_global_random_numbers_are_not_seeded_by_us():
    assert len({*shown("global_random"), *shown("global_random")}) == 2 * len(COINS)


def test_a_new_process_is_another_one_and_ends_with_the_call(alone: IsolatedBox):
    numbers = set(texts(alone.draw_afresh(pair("process"), COINS, 1)))
    assert all_gone(Path(alone.folder))
    assert len(numbers) == 1
    assert numbers.isdisjoint(shown("process", alone))


@pytest.mark.parametrize(
    "name",
    [
        "ends_process",
        "closes_all",
        pytest.param("crashes", marks=pytest.mark.slow),
        pytest.param("writes_everywhere", marks=pytest.mark.slow),
    ],
)
def test_a_run_that_ends_the_process_died_and_the_rest_runs_in_a_new_one(name):
    assert shown(name) == ["1.0", "1.0", "ended: died", "1.0", "1.0"]


@pytest.mark.parametrize(
    "name", ["sleeps", "loops", pytest.param("stops_itself", marks=pytest.mark.slow)]
)
def test_a_run_that_never_ends_is_ended_and_the_rest_runs_in_a_new_process(name):
    assert shown(name, HASTY) == ["1.0", "1.0", "ended: time", "1.0", "1.0"]


@pytest.fixture
def untouched():
    """Fails where code that came over the wire was run in this process."""
    yield
    assert not vars(builtins).pop("intruded", False)


@pytest.mark.parametrize("number", [-4, -3, -2, -1, 0, 1])
def test_what_a_function_pickles_for_us_is_never_unpickled(number, untouched):
    found = BOX.draw(Pair(["pickles", number], ["pickles"]), COINS[1:4], 1)
    assert texts(found) == ["ended: died", "1.0", "ended: died"]


def test_a_table_that_is_a_pickle_is_never_unpickled(untouched):
    assert texts(BOX.draw(pair("pickles_a_table"), COINS[1:3], 1)) == ["ended: died", "1.0"]


def test_a_batch_that_is_a_pickle_is_never_unpickled(untouched):
    with pytest.raises(ProtocolError, match="was ended \\(died"):
        BATCH.draw(pair("pickles_in_batches"), COINS, 1)


def test_a_module_that_pickles_as_it_is_imported_is_never_unpickled(tmp_path: Path, untouched):
    source = Path(hostile.__file__).read_text()
    (tmp_path / "at_import.py").write_text(f"{source}\n_to_every_socket(_frame_of_intruder(-3))\n")
    with pytest.raises(InputError, match="did not say what it is"):
        isolated.describe("at_import:size", folder=str(tmp_path))


@pytest.mark.parametrize("name", ["trickles", "endless_shapes"])
def test_what_is_written_without_an_end_ends_with_the_time_of_the_run(name):
    box = IsolatedBox("f", BOX.subject, "function", folder=FOLDER, seconds=0.3)
    assert shown(name, box, COINS[1:3])[0] in ("ended: time", "ended: died")


def test_a_run_after_an_end_has_random_numbers_of_its_own():
    coins = np.array([False, True, False])
    found = BOX.draw(Pair(["noisy"], ["ends_process"]), coins, 1)
    assert found.text(1) == "ended: died"
    assert found.text(0) != found.text(2)


def test_processes_that_a_run_leaves_behind_end_with_its_own(alone: IsolatedBox):
    folder = Path(alone.folder)
    assert shown("leaves_another_behind", alone) == ["1.0", "1.0", "0.0", "1.0", "1.0"]
    assert len(running(str(folder))) == 6
    isolated._kept.processes.end()
    assert all_gone(folder)


def test_a_process_that_ends_between_two_blocks_is_no_outcome(alone: IsolatedBox):
    before = shown("process", alone)
    (process,) = running(alone.folder)
    os.kill(process, signal.SIGKILL)
    assert all_gone(Path(alone.folder))
    after = shown("process", alone)
    assert len(set(after)) == 1
    assert after != before


def test_runs_that_never_end_on_either_database_break_the_protocol(monkeypatch):
    monkeypatch.setattr(in_processes, "UNENDED", 3)
    with pytest.raises(ProtocolError, match="all of 3 runs failed"):
        BOX.draw(Pair(["ends_process"], ["ends_process"]), COINS, 1)


def test_runs_that_never_end_on_one_database_are_outcomes(monkeypatch):
    monkeypatch.setattr(in_processes, "UNENDED", 1)
    coins = np.array([True, True, False])
    found = BOX.draw(Pair(["size"], ["ends_process"]), coins, 1)
    assert texts(found) == ["ended: died", "ended: died", "0.0"]


@pytest.mark.parametrize(
    ("name", "said"), [("hangs_in_batches", "time"), ("dies_in_batches", "died")]
)
def test_a_batch_that_does_not_end_breaks_the_protocol(name, said):
    box = IsolatedBox("b", BATCH.subject, "batch", folder=FOLDER, seconds=2)
    with pytest.raises(ProtocolError, match=f"was ended \\({said};.*f\\(database, rng\\)"):
        box.draw(pair(name), COINS, 1)


def test_a_batch_of_another_length_breaks_the_protocol():
    with pytest.raises(ProtocolError, match="4 outputs, one a run; found 3 items"):
        BATCH.draw(pair("too_few"), COINS, 1)


START = """
import os, signal, sys, threading, time
import numpy as np
from audit.subjects.isolated import IsolatedBox
from audit.subjects.pair import Pair

box = IsolatedBox('f', 'hostile_functions:any_of', 'function', folder=sys.argv[1])

def drawn(name):
    return box.draw(Pair([name], [name]), np.zeros(1, np.bool_), 1)

def number():
    return int(np.asarray(drawn('process').blocks[0])[0, 0])
"""

INTERRUPTED = """
before = number()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    drawn('never_ends')
except KeyboardInterrupt:
    print(before, number(), flush=True)
"""

LEAVES = """
def busy():
    print(number(), flush=True)
    running.set()
    drawn('never_ends')

before = number()
forked = os.fork()
if forked == 0:
    print(number(), flush=True)
    sys.exit()
os.waitpid(forked, 0)
print(before, number(), flush=True)
running = threading.Event()
threading.Thread(target=busy).start()
running.wait()
# By now the run has begun; if not, there is less to see.
time.sleep(0.3)
os._exit(0)
"""
"""A process that forks after its first draw, and in the end leaves in the middle of one."""


def outcome_of(script: str, box: IsolatedBox) -> list[int]:
    """The numbers that a process says which uses a box; whatever it does to itself ends there."""
    ended = subprocess.run(
        [sys.executable, "-c", START + script, box.folder],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    return list(map(int, ended.stdout.split()))


def test_ctrl_c_ends_the_process_in_the_middle_of_its_run(alone: IsolatedBox):
    before, after = outcome_of(INTERRUPTED, alone)
    assert before != after
    assert all_gone(Path(alone.folder))


def test_processes_end_with_the_ones_that_started_them_and_are_not_shared(alone: IsolatedBox):
    in_fork, before, after, _busy = outcome_of(LEAVES, alone)
    assert before == after != in_fork
    assert all_gone(Path(alone.folder))


def test_threads_have_processes_of_their_own_that_end_with_them(alone: IsolatedBox):
    numbers: list[str] = []
    thread = threading.Thread(target=lambda: numbers.extend(shown("process", alone)))
    thread.start()
    thread.join()
    assert all_gone(Path(alone.folder))
    assert len(set(numbers)) == 1
    assert set(numbers).isdisjoint(shown("process", alone))


def test_what_a_subject_is_is_found_out_without_importing_it_here(tmp_path: Path):
    source = "import sys\nprint('said')\ndef f(database, rng, runs):\n    return [0] * runs\n"
    (tmp_path / "only_there.py").write_text(source)
    found = isolated.describe("only_there:f", folder=str(tmp_path))
    assert found.form == "batch"
    assert "only_there" not in sys.modules


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise ValueError('broken')", "could not be imported .ValueError at broken.py:1: broken"),
        ("import os; os._exit(0)", "ended while it imported"),
    ],
)
def test_a_module_that_can_not_be_imported_is_an_input_error(tmp_path: Path, source, said):
    (tmp_path / "broken.py").write_text(source)
    with pytest.raises(InputError, match=said):
        IsolatedBox("f", "broken:f", "function", folder=str(tmp_path)).check()


@pytest.mark.parametrize(
    ("subject", "parameters", "form"),
    [
        ("program", {}, "program"),
        ("size", {}, "function"),
        ("too_few", {}, "batch"),
        ("Counter", {"epsilon": "1"}, "function"),
        ("Counter", {}, "function"),
        ("four", {"more": "1"}, "batch"),
    ],
)
def test_the_form_of_a_subject_counts_parameters_that_are_set(subject, parameters, form):
    assert describe(Spec(f"{MODULE}:{subject}", None, parameters)).form == form


@pytest.mark.parametrize(
    ("subject", "form", "parameters"),
    [
        ("nothing", "function", {}),
        ("size.more", "function", {}),
        ("", "function", {}),
        ("not_callable", "function", {}),
        ("program", "function", {}),
        ("too_few", "function", {}),
        ("size", "batch", {}),
        ("size", "function", {"factor": "1"}),
        ("Counter", "function", {}),
        ("Mine", "function", {}),
        ("size", "estimator", {}),
    ],
)
def test_what_is_not_there_or_takes_something_else_is_an_input_error(subject, form, parameters):
    with pytest.raises(InputError):
        prepare(Spec(f"{MODULE}:{subject}", form, parameters, rows=1))
    if form == "function":
        with pytest.raises(InputError):
            prepare(Spec(f"no_such_module:{subject}", form, parameters))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("0.5", 0.5),
        ("1/4", 0.25),
        ("True", True),
        ("None", None),
        ("[1, 2]", [1, 2]),
        ("a text", "a text"),
        ("'3'", "3"),
        ("1/0", "1/0"),
        ("__import__('os')", "__import__('os')"),
    ],
)
def test_parameters_are_read_as_python_writes_them(text, value):
    function: Callable = prepare(Spec(f"{MODULE}:scaled", "function", {"factor": text}))
    assert function([], None) == [type(value).__name__, value, "none", 0]


def test_a_class_is_made_once_with_its_parameters():
    function = prepare(Spec(f"{MODULE}:Counter", "function", {"epsilon": "2"}))
    assert function([1], None) == [2, 1]


def test_boxes_pickle_and_name_their_folder_in_full():
    box = IsolatedBox("f", "m:f", "function", {"a": "1"}, ".", 3, None)
    assert pickle.loads(pickle.dumps(box)) == box
    assert box.folder == os.getcwd()
    blocks = [IsolatedBox("f", "m:f", form).block for form in ("function", "batch", "estimator")]
    assert blocks == [500, 50_000, 20]


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"seconds": float("inf")}, {"megabytes": 0}])
def test_limits_are_positive(limits):
    with pytest.raises(InputError, match="a run needs"):
        IsolatedBox("f", "m:f", "function", **limits)


def test_a_folder_that_is_not_there_is_an_input_error(tmp_path: Path):
    with pytest.raises(InputError, match="no folder"):
        IsolatedBox("f", "m:f", "function", folder=str(tmp_path / "none")).check()


def test_each_first_run_is_the_only_one_of_its_process():
    assert isinstance(BOX, Starting) and not BOX.serves
    assert len(set(texts(BOX.draw_first(pair("process"), COINS[:3], 1)))) == 3
    again = BOX.draw_first(pair("noisy"), COINS[:2], 1)
    assert texts(again) == texts(BOX.draw_first(pair("noisy"), COINS[:2], 1))
    assert len(set(texts(again))) == 2


@pytest.mark.parametrize(("name", "expected"), [("noisy", True), ("of_import", False)])
def test_a_function_is_repeatable_if_new_processes_give_its_outputs_again(name, expected):
    learned = Runs(BOX.draw(pair(name), COINS, 2), COINS)
    assert probe(BOX, pair(name), learned, 1).repeatable is expected
