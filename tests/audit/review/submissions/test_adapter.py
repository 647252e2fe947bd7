"""The program that runs command lines and submissions to DeID2: by the protocol, on both sides."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.review.submissions import adapter
from audit.subjects.command import CommandBox
from audit.subjects.pair import Pair
from audit.subjects.served import ServedBox
from audit.subjects.server import Serving, ask_serving
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove
from tests.audit.review.made_submissions import (
    MAIN,
    PARAMETERS,
    TOML,
    prepare_one,
    write_copy,
    write_deid2,
)
from tests.audit.subjects.boxes import NAMESPACES, SYSTEM_PYTHON, require

DEID2_DOMAIN = {
    "name": "d",
    "attributes": [
        {"name": "shift", "values": ["0", "1", "2"], "edges": None},
        {"name": "fare", "values": ["[0, 5)", "[5, 9]"], "edges": ["0", "5", "9"]},
    ],
    "individual": "who",
}
INPUT = 'who,shift,fare\n1,0,"[5, 9]"\n1,2,7\nab,1,0\n'


def write_run(place: Path, table: str, **told: Any) -> dict[str, Any]:
    """What a run is told, in a folder with its files."""
    place.mkdir()
    (place / "input.csv").write_text(table)
    (place / "domain.json").write_text(json.dumps(DEID2_DOMAIN))
    request = {
        "protocol": 1,
        **{name: str(place / f"{name}.csv") for name in ("input", "output")},
        "domain": str(place / "domain.json"),
        "epsilon": 1,
        "delta": 0.000025,
        "neighbours": "add-remove",
        "unit": "person",
        "max_records": 3,
        "seed": 5,
        **told,
    }
    (place / "parameters.json").write_text(json.dumps(request))
    return request


def start(
    folder: Path, place: Path, *words: str, said: str = ""
) -> subprocess.CompletedProcess[str]:
    """The program, started with these words in the folder of a run."""
    command = [str(folder / "dp-audit-run"), *words]
    return subprocess.run(
        command, input=said, capture_output=True, text=True, cwd=place, timeout=60, check=False
    )


def run_once(folder: Path, place: Path) -> subprocess.CompletedProcess[str]:
    return start(folder, place, "--protocol", "1", "--parameters", str(place / "parameters.json"))


TELL = """
import json, os, sys
open("scratch", "w").write("1")
told = {"words": sys.argv[1:], "here": sorted(os.listdir())}
told["home"] = os.environ["HOME"] == os.getcwd()
open(sys.argv[1], "w").write(json.dumps(told))
print("said")
"""


def test_places_are_filled_and_the_run_has_a_folder_of_its_own(tmp_path: Path) -> None:
    toml = TOML.replace(
        "{input} {output}", "{output} {input} {epsilon} {delta} {seed} {max_records} x{unit}y"
    )
    found = prepare_one(write_copy(tmp_path / "x", toml, **{"give.py": TELL, "d/e": ""}), tmp_path)
    write_run(tmp_path / "run", "a\n", epsilon=0.1)
    done = run_once(found.folder, tmp_path / "run")
    assert done.returncode == 0 and done.stdout == "" and done.stderr == "said\n"
    told = json.loads((tmp_path / "run" / "output.csv").read_text())
    assert told["words"][1:] == [
        str(tmp_path / "run" / "input.csv"),
        "0.1",
        "2.5e-05",
        "5",
        "3",
        "xpersony",
    ]
    assert told["here"] == ["d", "domain.toml", "give.py", "scratch"] and told["home"]
    assert not (found.folder / "scratch").exists() and not (tmp_path / "run" / "work").exists()


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", -9)])
def test_endings_are_handed_on(tmp_path: Path, ending: str, code: int) -> None:
    script = f"import os, sys\n{ending}\n"
    found = prepare_one(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    request = write_run(tmp_path / "run", "a\n")
    assert run_once(found.folder, tmp_path / "run").returncode == code
    served = start(
        found.folder, tmp_path, "--protocol", "2", "--serve", said=json.dumps({**request, "run": 4})
    )
    assert json.loads(served.stdout.splitlines()[1]) == {"run": 4, "exit": code}


def test_it_serves_and_starts_the_submission_anew_for_each_run(tmp_path: Path) -> None:
    script = "import os, sys\nopen(sys.argv[2], 'w').write(str(os.getpid()))\nprint('loud')\n"
    found = prepare_one(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    requests = [{**write_run(tmp_path / f"r{n}", "a\n"), "run": n} for n in (1, 2)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    served = start(found.folder, tmp_path, "--protocol", "2", "--serve", said=lines)
    said = [json.loads(line) for line in served.stdout.splitlines()]
    hello = {"protocol": "dp-audit/submission", "version": 2, "serve": True}
    # It was not started in its HOME, so that nothing that runs leave can be told from the rest.
    assert said[0] == {**hello, "new_process": False}
    assert said[1:] == [{"run": 1, "exit": 0}, {"run": 2, "exit": 0}]
    assert len({(tmp_path / f"r{n}" / "output.csv").read_text() for n in (1, 2)}) == 2


LEAVE = """
import os, sys, time
open(sys.argv[2], "w").write("a\\n")
for _ in range(3):
    if not os.fork():
        os.setsid()
        if not os.fork():
            open(sys.argv[2] + ".left", "a").write(f"{os.getpid()}\\n")
            time.sleep(1000)
        os._exit(0)
NAME = sys.argv[2] + ".left"
while not os.path.exists(NAME) or len(open(NAME).readlines()) < 3:
    time.sleep(0.01)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process adopt others")
def test_files_of_a_run_are_gone_before_the_next(tmp_path: Path) -> None:
    script = (
        "import os, sys\nhome = os.environ['OUTSIDE']\nleft = sorted(os.listdir(home))\n"
        "os.makedirs(home + '/a/b')\nos.symlink('/', home + '/c')\nopen(home + '/d', 'w').close()\n"
        "open(sys.argv[2], 'w').write(f'{left}')\n"
    )
    found = prepare_one(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    requests = [{**write_run(tmp_path / f"r{n}", "a\n"), "run": n} for n in (1, 2)]
    for mode, fresh in ((0o700, True), (0o755, False)):
        home = tmp_path / oct(mode)
        home.mkdir(mode)
        served = subprocess.run(
            [str(found.folder / "dp-audit-run"), "--protocol", "2", "--serve"],
            input="".join(json.dumps(request) + "\n" for request in requests),
            capture_output=True,
            text=True,
            cwd=home,
            env={**os.environ, "HOME": str(home), "TMPDIR": str(home), "OUTSIDE": str(home)},
            timeout=60,
            check=False,
        )
        said = [json.loads(line) for line in served.stdout.splitlines()]
        assert said[0]["new_process"] is fresh
        # A folder that others may enter is not its own, and left alone.
        assert [one["exit"] for one in said[1:]] == ([0, 0] if fresh else [0, 1])
        assert sorted(os.listdir(home)) == ([] if fresh else ["a", "c", "d"])
    assert {(tmp_path / f"r{n}" / "output.csv").read_text() for n in (1, 2)} == {"[]"}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process adopt others")
def test_whoever_starts_it_by_hand_keeps_what_is_there(tmp_path: Path) -> None:
    """In an empty HOME that is nobody else's, with the runs' folders and other things in it."""
    found = prepare_one(
        write_copy(tmp_path / "x", **{"give.py": "import sys\nopen(sys.argv[2], 'w').close()\n"}),
        tmp_path,
    )
    for variables, alone in (({}, False), ({"TMPDIR": "home"}, True)):
        home = tmp_path / f"home-{alone}"
        home.mkdir(0o700)
        environment = {**os.environ, "HOME": str(home)} | dict.fromkeys(variables, str(home))
        with subprocess.Popen(
            [str(found.folder / "dp-audit-run"), "--protocol", "2", "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=home,
            env=environment,
        ) as served:
            assert json.loads(served.stdout.readline())["new_process"] is alone
            (home / "letters").mkdir()
            request = {**write_run(home / "run", "a\n"), "run": 1}
            served.stdin.write(json.dumps(request) + "\n")
            served.stdin.flush()
            assert json.loads(served.stdout.readline()) == {"run": 1, "exit": 0}
            served.stdin.close()
        assert (home / "letters").is_dir() and (home / "run" / "output.csv").is_file()


LEAVE_MUCH = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
home = os.readlink(f"/proc/{os.getppid()}/cwd")
new = []
for place in (home, "/dev/shm"):
    new.append(not os.listdir(place))
    for name, mode in (("none", 0), ("read", 0o500)):
        os.makedirs(f"{place}/{name}/below")
        open(f"{place}/{name}/below/file", "w").close()
        os.chmod(f"{place}/{name}/below", mode)
        os.chmod(f"{place}/{name}", mode)
    os.chdir(place)
    for _ in range(1100):
        os.mkdir("d")
        os.chdir("d")
for get in (lambda f: libc.shmget(7, 9, f), lambda f: libc.semget(7, 1, f),
            lambda f: libc.msgget(7, f)):
    new.append(get(0) < 0)
    get(0o1000)
open(sys.argv[2], "w").write("cell\\n" + "\\n".join(map(str, new)) + "\\n")
"""


def test_a_box_has_nothing_of_a_run_in_the_next(tmp_path: Path) -> None:
    """Folders that are closed, read only or deep, and memory that outlives its processes."""
    require(NAMESPACES)
    toml = TOML.replace("python give.py", f"{SYSTEM_PYTHON} give.py")
    found = prepare_one(write_copy(tmp_path / "x", toml, **{"give.py": LEAVE_MUCH}), tmp_path)
    one = ApproxDP(Fraction(1))
    command = CommandBox(
        str(found.folder / "dp-audit-run"), one, AddRemove(), Domain.from_cells("2")
    )
    box = ServedBox(command, ask_serving(command.path, command.limits))
    assert box.offer is Serving.ALONE
    runs = box.draw_afresh(Pair([], []), np.zeros(3, np.bool_), 1)
    tables = [runs.blocks[int(runs.of[run])] for run in range(3)]
    assert {str(value) for block in tables for table in block for value in table["cell"]} == {
        "True"
    }


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process adopt others")
@pytest.mark.parametrize("left", ["stopped", "forking"])
def test_processes_that_do_not_hold_still_end_too(tmp_path: Path, left: str) -> None:
    script = {
        "stopped": "if not os.fork():\n os.setsid()\n os.kill(os.getpid(), signal.SIGSTOP)\n",
        # Each leaves at once, with a child in its place.
        "forking": "if not os.fork():\n os.setsid()\n while not os.fork(): pass\n os._exit(0)\n",
    }[left]
    script = "import os, signal, sys\nopen(sys.argv[2], 'w').close()\n" + script
    found = prepare_one(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    requests = [{**write_run(tmp_path / f"r{n}", "a\n"), "run": n} for n in (1, 2)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    served = start(found.folder, tmp_path, "--protocol", "2", "--serve", said=lines)
    assert [json.loads(line)["exit"] for line in served.stdout.splitlines()[1:]] == [0, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process adopt others")
def test_processes_that_left_their_session_end_with_their_run(tmp_path: Path) -> None:
    found = prepare_one(write_copy(tmp_path / "x", **{"give.py": LEAVE}), tmp_path)
    request = {**write_run(tmp_path / "run", "a\n"), "run": 1}
    program = [str(found.folder / "dp-audit-run"), "--protocol", "2", "--serve"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as served:
        served.stdout.readline()
        served.stdin.write(json.dumps(request) + "\n")
        served.stdin.flush()
        assert json.loads(served.stdout.readline()) == {"run": 1, "exit": 0}
        left = (tmp_path / "run" / "output.csv.left").read_text().split()
        assert len(left) == 3
        assert not any(Path("/proc", process).exists() for process in left)
        served.stdin.close()


def test_a_command_that_is_not_there_says_so(tmp_path: Path) -> None:
    found = prepare_one(
        write_copy(tmp_path / "x", TOML.replace("python give.py", "./absent")), tmp_path
    )
    write_run(tmp_path / "run", "a\n")
    done = run_once(found.folder, tmp_path / "run")
    assert done.returncode == 127 and "./absent cannot be started" in done.stderr


def test_what_a_run_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "left = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(sys.argv[2], 'w').write(str(left.pid))\n"
    )
    found = prepare_one(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    write_run(tmp_path / "run", "a\n")
    assert run_once(found.folder, tmp_path / "run").returncode == 0
    left = int((tmp_path / "run" / "output.csv").read_text())
    stat = Path(f"/proc/{left}/stat")
    assert not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_a_submission_to_deid2_reads_and_writes_what_it_is_used_to(tmp_path: Path) -> None:
    keep = MAIN + "\nimport shutil\nshutil.copytree('data', open('place.txt').read())\n"
    folder = write_deid2(tmp_path / "x", keep)
    (folder / "place.txt").write_text(str(tmp_path / "kept"))
    (folder / "submission.csv").write_text("an old one")
    found = prepare_one(folder, tmp_path)
    write_run(tmp_path / "run", INPUT)
    done = run_once(found.folder, tmp_path / "run")
    assert done.returncode == 0, done.stderr
    kept = tmp_path / "kept"
    truth = list(csv.reader(io.StringIO((kept / "ground_truth.csv").read_text())))
    assert truth[0] == ["who", "shift", "fare"]
    assert [row[1:] for row in truth[1:]] == [["0", "5"], ["2", "7"], ["1", "0"]]
    ids = [int(row[0]) for row in truth[1:]]
    assert ids[:2] == [1001, 1001] and 1000 <= ids[2] <= 9999 and ids[2] != 1001
    told = json.loads((kept / "parameters.json").read_text())
    assert told["schema"] == PARAMETERS["schema"]
    assert told["runs"] == [
        {"epsilon": 1.0, "delta": 2.5e-05, "max_records": 9, "max_records_per_individual": 3}
    ]
    assert (kept / "submission_format.csv").read_text() == "epsilon,who,shift,fare\n"
    output = list(csv.reader(io.StringIO((tmp_path / "run" / "output.csv").read_text())))
    assert output == truth


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("epsilon,a\n1.0,x\n10,y\n1,z\n", "a\nx\nz\n"),
        ("a,epsilon\nx,1.0\n", "a\nx\n"),
        ("epsilon,a\n", "a\n"),
        ("epsilon,a\n1.0,x\n10,y\n1.5,z\n", "epsilon,a\n1.0,x\n1.5,z\n"),
        ("epsilon,a\n1.0,x\nsecret,y\n", "epsilon,a\n1.0,x\nsecret,y\n"),
        ("epsilon,a\n1.0,x\n1.0\n", "epsilon,a\n1.0,x\n1.0\n"),
        ("a,b\n1.0,x\n", "a,b\n1.0,x\n"),
        ("", ""),
        (None, None),
    ],
)
def test_no_part_of_an_output_is_hidden_but_other_epsilons(
    tmp_path: Path, written: str | None, expected: str | None
) -> None:
    path, output = tmp_path / "submission.csv", tmp_path / "output.csv"
    if written is not None:
        path.write_text(written)
    told = {"epsilon": "1", "output": str(output)}
    adapter.read_output({"epsilons": ["1.0", "10.0"]}, told, str(path))
    assert (output.read_text() if output.exists() else None) == expected


def test_large_files_are_links_and_small_ones_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "COPIED_BYTES", 3)
    source = tmp_path / "s"
    (source / "d").mkdir(parents=True)
    (source / "d" / "small").write_text("1")
    (source / "large").write_text("12345")
    (source / "ours").write_text("")
    adapter.lay_out(str(source), str(tmp_path / "t"), ["ours"])
    assert (tmp_path / "t" / "large").is_symlink() and not (tmp_path / "t" / "ours").exists()
    assert not (tmp_path / "t" / "d" / "small").is_symlink()


def test_it_imports_the_standard_library_alone() -> None:
    source = Path(adapter.__file__).read_text()
    imports = {
        line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))
    }
    assert {name.split(".")[0] for name in imports} <= set(sys.stdlib_module_names)
