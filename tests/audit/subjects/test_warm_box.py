"""Warm runs: a script runs as it would in a new process, in a copy that has its packages."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.auditors.attack.independence.first_runs import shares
from audit.statements.limits import Limits
from audit.subjects.black_box import Starting
from audit.subjects.command import CommandBox
from audit.subjects.interpreters import OLDEST
from audit.subjects.pair import Pair
from audit.subjects.server import Server
from audit.subjects.warm import WarmBox
from audit.subjects.warm_child import __file__ as warm_child
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

PAIR = Pair([{"cell": "0"}], [])
COINS = np.array([False, True, False])
Make = Callable[[str], WarmBox]

OPTIONS = "dict(zip((name[2:] for name in sys.argv[1::2]), sys.argv[2::2]))"
WRITE = """
def write(*values):
    with open(given["output"], "w") as file:
        file.write(",".join(f"c{n}" for n in range(len(values))) + "\\n")
        file.write(",".join(map(str, values)) + "\\n")
"""


@pytest.fixture
def make_box(tmp_path: Path) -> Make:
    """A function that makes the box of a Python script of some lines."""

    def make(text: str, line: str = f"#!{sys.executable}") -> WarmBox:
        path = tmp_path / "submission"
        path.write_text(f"{line}\nimport os, random, sys\ngiven = {OPTIONS}\n{WRITE}\n{text}")
        path.chmod(0o755)
        claim, domain = ApproxDP(Fraction(1)), Domain.from_cells("2")
        return WarmBox(CommandBox(str(path), claim, AddRemove(), domain, 3, Limits(seconds=20)))

    return make


SCRIPTS = {
    "what it is told": "write(*sorted(name for name in given), given['protocol'], given['seed'])",
    "its files": "write(*sorted(os.listdir('.')))",
    "its home": "here = os.path.dirname(given['input'])\n"
    "write(os.getcwd() == here, os.environ['HOME'] == here, os.environ['TMPDIR'] == here)",
    "its parameters": "import json\nwrite(json.load(open(given['parameters']))['protocol'])",
    "its name": "write(__name__, os.path.basename(__file__), os.path.basename(sys.argv[0]))",
    "its input": "write(repr(sys.stdin.read()), open(given['input']).read().count('0'))",
    "its folder": "write(sys.path[0] == os.path.dirname(os.path.realpath(__file__)))",
    "its randomness": "random.seed(int(given['seed']))\nwrite(random.random())",
    "a class of its own": "import pickle\nclass A: pass\nwrite(pickle.loads(pickle.dumps(A)))",
    "numpy": "import numpy as np\nwrite(np.random.default_rng(int(given['seed'])).normal())",
    "at its end": "import atexit\natexit.register(write, 'late')",
    "an exit code": "sys.exit(3)",
    "words at its end": "sys.exit('no')",
    "an exception": "1 / 0",
    "a signal": "os.kill(os.getpid(), 9)",
    "nothing": "",
    "left to the collector": "open(given['output'], 'w').write('x\\n1\\n')",
    "a child": "import subprocess\nwrite(subprocess.check_output(['echo', 'hi']))",
    "processes": "import multiprocessing as m\nif __name__ == '__main__':\n"
    " write(*m.get_context('fork').Pool(2).map(abs, [-1, 2]))",
}


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_does_what_it_does_in_a_new_process(make_box: Make, text: str) -> None:
    box = make_box(text)
    warm, cold = (draw(PAIR, COINS, 5) for draw in (box.draw_afresh, box.draw_first))
    assert [warm.text(run) for run in range(3)] == [cold.text(run) for run in range(3)]
    assert warm.codes().tolist() == cold.codes().tolist()


OWN_ENTROPY = {
    "random": "write(random.random())",
    "numpy": "import numpy as np\nwrite(np.random.rand())",
    "numpy.random": "import numpy.random\nwrite(numpy.random.rand())",
    "the system": "write(os.urandom(8).hex())",
}


@pytest.mark.parametrize("text", OWN_ENTROPY.values(), ids=OWN_ENTROPY)
def test_a_script_that_ignores_its_seed_has_fresh_noise_in_every_run(
    make_box: Make, text: str
) -> None:
    found = make_box(text).draw_afresh(PAIR, np.zeros(6, np.bool_), 5)
    assert len(set(found.codes().tolist())) == 6


def test_nothing_beside_the_script_is_imported_before_a_run(make_box: Make, tmp_path: Path) -> None:
    # Noise that is drawn where a module of the script's own is loaded is drawn in each run.
    (tmp_path / "mine.py").write_text("import colorsys\nNOISE = __import__('random').random()")
    box = make_box("import mine\nwrite(mine.NOISE, 'colorsys' in sys.modules)")
    found = box.draw_afresh(PAIR, np.zeros(4, np.bool_), 5)
    assert len(set(found.codes().tolist())) == 4


def test_what_its_modules_import_is_imported_once(make_box: Make, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import colorsys\n")
    text = "loaded = 'colorsys' in sys.modules\nimport mine\nwrite(loaded, 'mine' in sys.modules)"
    assert "True" in str(make_box(text).draw_afresh(PAIR, COINS, 5).blocks[0][0])
    assert "False" in str(make_box(text).draw_first(PAIR, COINS, 5).blocks[0][0]["c0"])


def test_one_process_makes_all_runs_of_a_thread(
    make_box: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[str] = []
    monkeypatch.setattr(Server, "__init__", counted(Server.__init__, starts))
    box = make_box("write(1)")
    for seed in range(3):
        replace(box).draw(PAIR, COINS, seed)
        replace(box).draw(Pair([], [{"cell": "1"}]), COINS, seed)
    assert len(starts) == 1


def counted(function: Callable[..., None], calls: list[str]) -> Callable[..., None]:
    def start(*words: object, **more: object) -> None:
        calls.append(str(words))
        function(*words, **more)

    return start


def test_what_warm_runs_show_is_confirmed_by_runs_in_processes_of_their_own(make_box: Make) -> None:
    box = make_box("write(1)")
    assert isinstance(box, Starting) and shares(box, True) and box.serves


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        ("#!/bin/sh", "", "goes with a Python script"),
        ("", "", "goes with a Python script"),
        (None, "import threads_here", "starts threads"),
        (None, "import ends_here", "starts threads, or ends"),
    ],
)
def test_what_can_not_be_copied_is_refused(
    make_box: Make, tmp_path: Path, line: str | None, text: str, message: str
) -> None:
    place = tmp_path / "venv"
    if line is None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
        (packages,) = place.glob("lib/python*/site-packages")
        (packages / "threads_here.py").write_text(
            "import threading, time\n"
            "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
        )
        (packages / "ends_here.py").write_text("import os\nos._exit(0)")
        line = f"#!{place}/bin/python"
    with pytest.raises(InputError, match=message):
        make_box(text, line).check()


def test_it_needs_the_standard_library_alone() -> None:
    tree = ast.parse(Path(warm_child).read_text("utf-8"), feature_version=OLDEST)
    nodes = list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names | {"__future__"}
