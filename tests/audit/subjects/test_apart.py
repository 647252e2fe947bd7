"""Black boxes kept apart: what they reach of this machine, in every box that it can build."""

from __future__ import annotations

import os
import sys
import venv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.statements.isolation import PLAIN, Isolation
from audit.subjects import apart, command, process, server
from audit.subjects.apart import isolation_for, program_paths
from audit.subjects.command import CommandBox
from audit.subjects.confinement import BEST_FIRST, available_isolation, can_be_built
from audit.subjects.isolated import IsolatedBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.served import ServedBox
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.neighbours import AddRemove

pytestmark = pytest.mark.skipif(os.name != "posix", reason="black boxes run on POSIX systems")

PAIR = Pair([], [])
ONE = np.zeros(1, np.bool_)

PYTHON = next(filter(os.path.exists, ("/usr/bin/python3", sys.executable)))
"""One that other users may run, where there is one."""

TRIES = """
import os, socket, tempfile

def tried(work):
    try:
        work()
    except OSError:
        return "refused"
    return "done"

def touch(folder):
    open(os.path.join(folder, "touched"), "w").close()

def connect():
    socket.socket().connect(("127.0.0.1", 9))

TRIED = [
    lambda: open(os.path.join(HERE, "beside.txt")).close(),
    lambda: touch(tempfile.mkdtemp()),
    lambda: touch(HERE),
    lambda: open(SECRET).close(),
    lambda: socket.socket(),
]
"""
"""What a black box may do, and then what it may not."""

FUNCTION = "def f(database, rng):\n    return ','.join(map(tried, TRIED))\n"

SUBMISSION = """
import json, sys
def write(path):
    with open(path, "w") as file:
        file.write("saw\\n" + ";".join(map(tried, TRIED)) + "\\n")
if "--serve" in sys.argv:
    print('{"protocol": "dp-audit/submission", "version": 2, "serve": true}', flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        write(request["output"])
        print(json.dumps({"run": request["run"], "exit": 0}), flush=True)
else:
    write(sys.argv[sys.argv.index("--output") + 1])
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder for a black box, that other users get to, beside a file that is none of its."""
    (tmp_path / "secret.txt").write_text("private")
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "beside.txt").write_text("public")
    for above in (folder, *folder.parents):
        if above.stat().st_uid == os.getuid() and "pytest-" in str(above):
            above.chmod(0o755)
    tries = f"HERE, SECRET = {str(folder)!r}, {str(tmp_path / 'secret.txt')!r}\n{TRIES}"
    (folder / "tries.py").write_text(tries + FUNCTION)
    submission = folder / "submission"
    submission.write_text(f"#!{PYTHON} -IS\n{tries}{SUBMISSION}")
    submission.chmod(0o755)
    return folder


def submission(path: str | Path) -> CommandBox:
    return CommandBox(str(path), ApproxDP(Fraction(1)), AddRemove(), Domain.from_cells("2"))


def saw(found: Outcomes) -> str:
    if found.shapes[0].kind == "table":
        return str(found.blocks[0][0]["saw"][0]).replace(";", ",")
    return str(found.blocks[0][0])


def runs(place: Path) -> list[Callable[[], Outcomes]]:
    function = IsolatedBox("f", "tries:f", "function", folder=str(place))
    alone = submission(place / "submission")
    return [
        lambda: function.draw_afresh(PAIR, ONE, 1),
        lambda: alone.draw(PAIR, ONE, 1),
        lambda: ServedBox(alone).draw_afresh(PAIR, ONE, 1),
    ]


@pytest.mark.parametrize("kind", range(3), ids=["function", "command", "served"])
@pytest.mark.parametrize("isolation", BEST_FIRST, ids=lambda i: " ".join(i.to_json().values()))
def test_a_black_box_runs_in_every_box_and_is_refused_what_the_box_refuses(
    place: Path, isolation: Isolation, kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_be_built(isolation):
        pytest.skip("this machine can't build it")
    for module in (command, process, server):
        monkeypatch.setattr(module, "isolation_for", lambda paths: isolation)
    paths = process.paths_of(str(place)) if kind == 0 else program_paths(str(place / "submission"))
    if isolation.process == "other user" and not all(map(apart._open_to_others, paths)):
        pytest.skip("other users can't read the Python that runs the tests")
    seen = saw(runs(place)[kind]()).split(",")
    assert seen[:2] == ["done", "done"]
    if isolation.filesystem != "none":
        assert seen[2] == "refused"
    if isolation.filesystem in ("own root", "landlock"):
        assert seen[3] == "refused"
    if isolation.network == "seccomp":
        assert seen[4] == "refused"


def test_paths_that_other_users_do_not_reach_are_read_by_processes_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    other = Isolation("other user", "landlock", "seccomp")
    monkeypatch.setattr(apart, "available_isolation", lambda: other)
    monkeypatch.setattr(apart, "can_be_built", lambda isolation: isolation == PLAIN)
    apart._isolation.cache_clear()
    try:
        assert isolation_for(["/usr"]) == other
        assert isolation_for(["/usr", str(closed)]) == PLAIN
        assert isolation_for(["/usr", str(tmp_path / "absent")]) == PLAIN
    finally:
        apart._isolation.cache_clear()


NEEDS_BOX = pytest.mark.skipif(
    available_isolation().filesystem != "own root", reason="this machine can't build a root"
)


@NEEDS_BOX
@pytest.mark.parametrize("line", ["{env}/bin/python", "/usr/bin/env python"])
def test_a_submission_finds_the_interpreter_of_its_first_line(
    place: Path, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = tmp_path / "env"
    venv.create(environment, symlinks=True)
    monkeypatch.setenv("PATH", f"{environment}/bin:{os.environ['PATH']}")
    path = place / "elsewhere"
    text = f"#!{line.format(env=environment)}\nimport sys\n"
    path.write_text(text + "open(sys.argv[8], 'w').write(f'saw\\n{sys.prefix}\\n')\n")
    path.chmod(0o755)
    assert saw(submission(path).draw(PAIR, ONE, 1)) == str(environment)


def test_a_home_is_not_given_away_for_the_programs_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in ("bin", ".local/bin", "own"):
        (tmp_path / folder).mkdir(parents=True)
    for folder, seen in (("bin", "bin"), (".local/bin", ".local")):
        program = tmp_path / folder / "program"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        script = tmp_path / "own" / "script"
        script.write_text(f"#!{program}\n")
        found = program_paths(str(script))
        assert str(tmp_path / seen) in found
        assert str(tmp_path) not in found


@NEEDS_BOX
def test_an_interpreter_that_the_box_does_not_show_is_an_error_that_says_what_to_do(
    place: Path, tmp_path: Path
) -> None:
    hidden = tmp_path / "interpreter"
    hidden.write_text("#!/bin/sh\n")
    path = place / "binary"
    path.write_text(f"#!{hidden}-absent\n")
    path.chmod(0o755)
    with pytest.raises(ProtocolError, match="put what else it needs into its folder"):
        submission(path).draw(PAIR, ONE, 1)


@NEEDS_BOX
def test_a_module_finds_what_lies_on_the_path_of_python(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "of_ours.py").write_text("number = 7\n")
    (place / "uses.py").write_text("import of_ours\ndef f(database, rng): return of_ours.number\n")
    monkeypatch.setenv("PYTHONPATH", str(library))
    monkeypatch.setattr(sys, "path", [*sys.path, str(library)])
    box = IsolatedBox("f", "uses:f", "function", folder=str(place))
    assert box.draw_afresh(PAIR, ONE, 1).text(0) == "7.0"
