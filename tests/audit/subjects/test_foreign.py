"""Subjects of other environments: run by their own Python, told as plain data."""

from __future__ import annotations

import ast
import pickle
import struct
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.subjects import foreign_child, plain_data
from audit.subjects.foreign import ReceivedValues
from audit.subjects.frames import RAISED, TABLE, TOO_LARGE, VALUE
from audit.subjects.interpreters import OLDEST, Interpreter, find_interpreter
from audit.subjects.isolated import IsolatedBox, describe
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.started import OWN_ROOT
from audit.subjects.writing import write_table, write_value
from synthesizers.errors import InputError, ProtocolError
from tests.audit.subjects.foreign_functions import PACKAGED, PLAIN

FOLDER = str(Path(__file__).parent)
MODULE = "foreign_functions"
COINS = np.array([False, True, True, False])


@dataclass(frozen=True)
class Environments:
    """Environments without dp-audit: one without any package, and one with numpy and pandas."""

    bare: Interpreter
    full: Interpreter


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Environments:
    place = tmp_path_factory.mktemp("environments")
    found = []
    for name in ("bare", "full"):
        command = [sys.executable, "-m", "venv", "--without-pip", str(place / name)]
        subprocess.run(command, check=True)
        if name == "full":
            (packages,) = (place / name).glob("lib/python*/site-packages")
            (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        found.append(find_interpreter(str(place / name / "bin" / "python")))
    return Environments(*found)


def box(function: str, python: Interpreter | None, form: Any = "function") -> IsolatedBox:
    name = f"{MODULE}:{function}"
    return IsolatedBox(name, name, form, folder=FOLDER, python=python, rows=3, megabytes=600)


def codes(box: IsolatedBox, first: Any, second: Any = None, seed: int = 1) -> list[int]:
    found: list[int] = box.draw(Pair(first, second), COINS, seed).codes().tolist()
    return found


@pytest.mark.parametrize("outputs", [PLAIN, PACKAGED], ids=["plain", "packaged"])
def test_every_output_is_told_as_by_our_own_interpreter(
    others: Environments, outputs: dict[str, Any]
) -> None:
    other = others.bare if outputs is PLAIN else others.full
    own, told = (
        {name: codes(box("tell_output", python), name, "whole") for name in outputs}
        for python in (None, other)
    )
    assert own == told


def test_random_numbers_are_numpys_own_where_it_is_and_otherwise_the_standard_librarys(
    others: Environments,
) -> None:
    own, full, bare = (box("noise", python) for python in (None, others.full, others.bare))
    assert codes(full, 0, 1) == codes(own, 0, 1)
    assert codes(bare, 0, 1) == codes(bare, 0, 1)
    assert codes(bare, 0, 1, seed=2) != codes(bare, 0, 1) != codes(own, 0, 1)
    assert len(set(codes(bare, 0, 1))) == len(COINS)


def test_a_batch_form_is_called_once_a_database(others: Environments) -> None:
    own, full = (box("batch", python, "batch") for python in (None, others.full))
    for first in (0, 7):
        assert codes(full, first, 1) == codes(own, first, 1)
    with pytest.raises(ProtocolError, match="a list or an array of 2 outputs"):
        codes(full, 5, 1)


def test_an_estimator_is_fitted_on_a_data_frame_where_pandas_is(others: Environments) -> None:
    for python, kind in ((others.full, "DataFrame"), (others.bare, "list")):
        found = box("Model", python, "estimator").draw(Pair([], [{"x": 1}]), COINS, 1)
        assert plain_data.value(found.blocks[0][0]) == [kind, 3, True]


def test_nothing_of_ours_is_there_but_what_is_named(others: Environments) -> None:
    found = box("see_folders", others.bare).draw(Pair(0, 1), COINS, 1)
    assert plain_data.value(found.blocks[0][0]) == ["", "random", FOLDER]
    assert all(str(OWN_ROOT) != folder for folder in others.bare.folders)


def test_each_run_has_its_database_as_it_was_given(others: Environments) -> None:
    assert len(set(codes(box("changing", others.bare), [1], [1]))) == 1


def test_whatever_a_run_does_is_its_outcome_and_the_next_goes_on(others: Environments) -> None:
    short = replace(box("ending", others.bare), seconds=2)
    for first, told in (
        ("die", "ended: died"),
        ("hang", "ended: time"),
        ("large", "ended: size"),
        ("deep", "other: list"),
    ):
        found = short.draw(Pair(first, "fine"), np.array([True, False, True]), 1)
        assert [found.text(run) for run in range(3)] == ["1.0", told, "1.0"]


def test_what_a_subject_is_is_found_out_by_its_own_interpreter(others: Environments) -> None:
    forms = {"noise": "function", "batch": "batch", "Model": "estimator"}
    for name, form in forms.items():
        assert describe(f"{MODULE}:{name}", {}, FOLDER, others.bare).form == form


@pytest.mark.parametrize(
    ("name", "source", "message"),
    [
        ("absent:f", None, "run from the folder that holds it"),
        ("here:g", "def f(database, rng): ...", "has no attribute 'g'"),
        ("here:f", "import numpy", "needs 'numpy', which .*bare/bin/python does not have"),
        ("here:f", "1 / 0", "ZeroDivisionError"),
        ("here:F", "class F:\n def __init__(s, a): ...\n def __call__(s, d, rng): ...", "'a'"),
    ],
)
def test_what_can_not_be_run_is_refused_in_words(
    others: Environments, tmp_path: Path, name: str, source: str | None, message: str
) -> None:
    if source is not None:
        (tmp_path / "here.py").write_text(source)
    asked = IsolatedBox(name, name, "function", folder=str(tmp_path), python=others.bare)
    with pytest.raises(InputError, match=message):
        asked.check()


def test_a_module_with_the_name_of_ours_is_the_users(others: Environments, tmp_path: Path) -> None:
    (tmp_path / "audit.py").write_text("def f(database, rng):\n    return 'mine'")
    asked = IsolatedBox("a", "audit:f", "function", folder=str(tmp_path), python=others.bare)
    assert asked.draw(Pair(0, 1), COINS, 1).text(0) == "'mine'"


@pytest.mark.parametrize("path", ["/bin/ls", "/bin/cat", "/bin/false", __file__, "absent", "/"])
def test_what_is_no_python_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="--python"):
        find_interpreter(path)


def test_a_script_that_is_no_python_is_refused(tmp_path: Path) -> None:
    for number, said in enumerate(('["dp-audit", "3", [3, 11], []', "[]", '["x", 1, 2, 3]', "")):
        path = tmp_path / f"python{number}"
        path.write_text(f"#!/bin/sh\necho '{said}'\n")
        path.chmod(0o755)
        with pytest.raises(InputError, match="does not run as a Python interpreter"):
            find_interpreter(str(path))
    old = tmp_path / "old"
    old.write_text("""#!/bin/sh\necho '["dp-audit", "2.7.18", [2, 7], []]'\n""")
    old.chmod(0o755)
    with pytest.raises(InputError, match=r"is Python 2\.7\.18; 3\.9 is the oldest"):
        find_interpreter(str(old))


def test_our_side_of_another_interpreter_keeps_to_its_syntax_and_to_the_standard_library() -> None:
    said = (
        "import sys; sys.path.append(sys.argv[1]); import audit.subjects.foreign_child; "
        "print(*(m.__file__ for n, m in sys.modules.items() "
        "if n.partition('.')[0] in ('audit', 'synthesizers')), sep='\\n')"
    )
    command = [sys.executable, "-I", "-S", "-c", said, OWN_ROOT]
    files = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert str(Path(foreign_child.__file__)) in files and len(files) > 10
    for file in files:
        ast.parse(Path(file).read_text("utf-8"), feature_version=OLDEST)


def received(number: int, content: bytes, most: int = 0) -> ReceivedValues:
    found = ReceivedValues("subject")
    found.take(number, content, most)
    return found


def test_frames_of_outputs_are_read() -> None:
    for number, content, output in (
        (VALUE, write_value([1, "a"]), [1, "a"]),
        (TABLE, write_table(pd.DataFrame({"a": [1]})), pd.DataFrame({"a": [1]})),
        (RAISED, b"KeyError", Raised("KeyError")),
        (TOO_LARGE, b"", Ended("size")),
    ):
        found = received(number, content).outcomes()
        assert found.codes() == Outcomes.of_outputs([output]).codes()
    assert len(received(VALUE, write_value([1.0, 2.0]), 2)) == 2


@pytest.mark.parametrize(
    ("number", "content"),
    [
        (VALUE, pickle.dumps(print)),
        (VALUE, b""),
        (VALUE, b"[1]"),
        (VALUE, b'{"other": "a\\nb"}'),
        (VALUE, b'{"other": "' + b"a" * 501 + b'"}'),
        (VALUE, b'{"items": ["V", [1], [1]]}'),
        (VALUE, b'{"items": ["U", [2], ["a"]]}'),
        (VALUE, b'{"items": ["U", [1], [1]]}'),
        (VALUE, b'{"items": ["O", [-1, 5], ["a"]]}'),
        (VALUE, b'{"list": ' * 5000 + b"[]" + b"}" * 5000),
        (VALUE, b'{"module": "os"}'),
        (TABLE, b""),
        (TABLE, pickle.dumps(pd.DataFrame({"a": [1]}))),
        (RAISED, b"\xff"),
        (TOO_LARGE, b"x"),
        (0, b"1"),
        (-1, b"[]"),
        (-99, b"1"),
    ],
)
def test_a_strange_frame_is_no_outcome(number: int, content: bytes) -> None:
    with pytest.raises((ValueError, TypeError, RecursionError, struct.error)):
        received(number, content).outcomes()


def test_words_of_a_stranger_are_printable() -> None:
    assert received(RAISED, b"a\x1b[2J").outcomes().text(0) == "raised a?[2J"
