"""What a failing run says: the line, the end of its log, and nothing of confidential data."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.statements.limits import Limits
from audit.subjects.command import CommandBox
from audit.subjects.explaining import (
    LOG_BYTES,
    LOG_LINES,
    Explains,
    Failure,
    LogEnd,
    explain_exception,
    readable,
)
from audit.subjects.function import FunctionBox
from audit.subjects.interpreters import find_interpreter
from audit.subjects.isolated import IsolatedBox, describe
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

pytestmark = pytest.mark.skipif(os.name != "posix", reason="subjects run on POSIX systems")

MODULE = """
import os, sys

def failing(database, rng):
    print("a note", file=sys.stderr)
    return inner(database)

def inner(database):
    return {}["secret 7"]

def fine(database, rng):
    return 1.0

def dying(database, rng):
    print("last words", file=sys.stderr, flush=True)
    os._exit(9)

def through_a_package(database, rng):
    import json
    return json.loads("secret 7")

class Wordless(Exception):
    def __str__(self):
        raise RuntimeError

def failing_without_words(database, rng):
    raise Wordless
"""

SECRET = "secret 7"


def isolated(folder: Path, name: str) -> IsolatedBox:
    (folder / "explained_here.py").write_text(MODULE)
    subject = f"explained_here:{name}"
    return IsolatedBox(subject, subject, "function", folder=str(folder))


@pytest.mark.parametrize(
    ("name", "ending", "place"),
    [
        ("failing", "raised KeyError", "explained_here.py:9"),
        # Its own line, not that of the package in which it ends.
        ("through_a_package", "raised JSONDecodeError", "explained_here.py:20"),
    ],
)
def test_an_exception_of_a_module_names_its_own_line_and_says_the_rest_in_its_log(
    tmp_path: Path, name: str, ending: str, place: str
) -> None:
    found = isolated(tmp_path, name).explain([], 3)
    assert found is not None
    assert (found.phase, found.ending, found.place) == ("run", ending, place)
    assert "Traceback" in found.log
    assert "child.py" not in found.log
    if name == "failing":
        assert found.log.startswith("a note\n")
        assert SECRET in found.message


def test_an_exception_whose_words_can_not_be_had_is_explained_without(tmp_path: Path) -> None:
    class Wordless(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def failing(database: Any, rng: np.random.Generator) -> float:
        raise Wordless

    boxes = (isolated(tmp_path, "failing_without_words"), FunctionBox("f", failing, False))
    for box in boxes:
        found = box.explain([], 3)
        assert found is not None
        assert (found.phase, found.ending, found.message) == ("run", "raised Wordless", "")


def test_a_process_that_dies_leaves_its_last_words(tmp_path: Path) -> None:
    found = isolated(tmp_path, "dying").explain([], 3)
    assert found == Failure("run", "ended (died)", log="last words")


def test_a_run_that_gives_an_output_explains_nothing(tmp_path: Path) -> None:
    assert isolated(tmp_path, "fine").explain([], 3) is None
    assert FunctionBox("f", lambda database, rng: 1, False).explain([], 3) is None


def test_a_function_of_this_process_names_its_line() -> None:
    def failing(database: Any, rng: np.random.Generator) -> float:
        return float(database["age"]) / 0

    found = FunctionBox("f", failing, False).explain({"age": 1}, 3)
    assert found is not None
    line = failing.__code__.co_firstlineno + 1
    assert (found.ending, found.place) == ("raised ZeroDivisionError", f"test_explaining.py:{line}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = x / 0\n", "(ZeroDivisionError at not_loaded.py:2: division by zero)"),
        ("import not_there_at_all\n", "(ModuleNotFoundError at not_loaded.py:1: No module named"),
    ],
)
def test_a_module_that_does_not_load_names_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "not_loaded.py").write_text(text)
    with pytest.raises(InputError) as error:
        describe("not_loaded:f", folder=str(tmp_path))
    assert said in str(error.value)


def test_a_module_that_is_not_there_has_no_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(ModuleNotFoundError: No module named 'absent_one'\)"):
        describe("absent_one:f", folder=str(tmp_path))


def command(folder: Path, text: str, seconds: int = 60) -> CommandBox:
    path = folder / "submission"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    limits = Limits(seconds, 4096)
    return CommandBox(
        str(path), ApproxDP(Fraction(1)), AddRemove(), Domain.from_cells("2"), None, limits
    )


@pytest.mark.parametrize(
    ("text", "phase", "ending"),
    [
        ("echo the end >&2; exit 3", "run", "exit code 3"),
        ("echo the end >&2; kill -9 $$", "run", "died by signal 9"),
        ("echo the end >&2; sleep 1000", "run", "time"),
        ("echo the end >&2", "output", "no output table"),
        ("echo the end >&2; mkdir output.csv", "output", "unreadable output table"),
    ],
)
def test_a_command_that_fails_says_its_phase_its_command_and_the_end_of_its_log(
    tmp_path: Path, text: str, phase: str, ending: str
) -> None:
    found = command(tmp_path, text, 2 if ending == "time" else 60).explain([], 3)
    assert found is not None
    assert (found.phase, found.ending, found.log) == (phase, ending, "the end")
    words = found.command.split()
    assert words[0] == str(tmp_path / "submission")
    # Paths of the folder, which is gone, without it.
    assert words[words.index("--input") + 1] == "input.csv"
    assert words[words.index("--epsilon") + 1] == "1"


def test_a_long_log_blocks_nobody_and_only_its_end_is_kept(tmp_path: Path) -> None:
    # Far more than a pipe holds.
    lines = 'i=0; while [ $i -lt 20000 ]; do echo "line number $i" >&2; i=$((i+1)); done; exit 1'
    found = command(tmp_path, lines).explain([], 3)
    assert found is not None
    assert found.log.splitlines() == [f"line number {i}" for i in range(19980, 20000)]
    assert len(found.log) <= LOG_BYTES
    assert len(found.log.splitlines()) == LOG_LINES


def test_a_log_whose_writer_stays_is_read_to_where_it_is() -> None:
    with LogEnd() as log:
        writer = subprocess.Popen(["sh", "-c", "echo here >&2; exec sleep 1000"], stderr=log.target)
        while not log.text:
            pass
    writer.kill()
    writer.wait()
    assert log.text == "here"


def test_a_log_moves_no_cursor_and_hides_nothing() -> None:
    assert readable("a\x1b[2Jb\u202ec\r\nd\te") == "a?[2Jb?c\nd   e"


def test_every_part_that_may_quote_the_database_is_left_out_unless_it_is_shown() -> None:
    found = Failure("run", "raised KeyError", "f.py:3", SECRET, f"./s --x {SECRET}", SECRET)
    assert found.words(shown=False) == "raised KeyError at f.py:3 in phase run"
    assert found.words(shown=True).count(SECRET) == 3


def test_an_exception_without_a_line_of_anybody_has_none() -> None:
    assert explain_exception(ValueError("x")).place == ""


BOXES: tuple[Callable[[Path], object], ...] = (
    lambda folder: command(folder, "exit 1"),
    lambda folder: isolated(folder, "fine"),
    lambda folder: FunctionBox("f", lambda database, rng: 1, False),
)


@pytest.mark.parametrize("box", BOXES)
def test_every_box_explains_itself(box: Callable[[Path], object], tmp_path: Path) -> None:
    assert isinstance(box(tmp_path), Explains)


def test_a_function_of_another_environment_says_its_end_in_its_log(tmp_path: Path) -> None:
    here = isolated(tmp_path, "failing")
    found = replace(here, python=find_interpreter(sys.executable)).explain([], 3)
    assert found is not None
    assert (found.phase, found.ending) == ("run", "raised KeyError")
    assert found.log.startswith("a note\n")
    assert found.log.endswith(f"KeyError: '{SECRET}'")
