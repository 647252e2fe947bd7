"""``dp-audit certify`` on what can only be run: flags, files, exit codes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from tests.audit.calls import Command
from tests.audit.processes import ROOT, environment

SCHEMA = ROOT / "audit" / "statements" / "schema" / "1" / "certificate.json"

MODULE = """
import time
import numpy as np

def leaky(database, rng, runs):
    return rng.random(runs) < (0.9 if len(database) else 0.1)

def honest(database, rng, runs):
    return rng.random(runs) < (0.6 if len(database) else 0.4)

def number(database, rng):
    return bool(rng.random() < (0.9 if database else 0.1))

def seeded(database, rng):
    return len(database) + np.random.default_rng(0).laplace()

NOISE = []

def cached(database, rng):
    if len(NOISE) % 8 == 0:
        NOISE.append(rng.laplace())
    else:
        NOISE.append(NOISE[-1])
    return len(database) + NOISE[-1]

def repeating(database, rng, runs):
    return len(database) + np.random.default_rng(0).laplace(size=runs)

def ignoring(database, rng):
    return rng.laplace()

def fixed(database, rng, runs):
    return np.zeros(runs)

def failing(database, rng):
    raise KeyError("a private value")

def slow(database, rng):
    time.sleep(0.002)
    return bool(rng.random() < (0.9 if len(database) else 0.1))

class Everything:
    def __init__(self, random_state=None):
        self.rng = np.random.default_rng(random_state)

    def fit(self, table):
        self.table = table

    def sample(self, rows):
        place = self.rng.integers(0, 4, rows)
        return self.table.iloc[place % max(len(self.table), 1)]

def program(curator):
    raise AssertionError("not run")
"""

SUBMISSION = """#!PYTHON -IS
import csv, random, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
random.seed(int(options["--seed"]))
with open(options["--input"]) as file:
    records = len(list(csv.reader(file))) - 1
with open(options["--output"], "w") as file:
    file.write("cell\\n" + "0\\n" * (2 * records + (random.random() < 0.5)))
"""

PLACE = "--claim epsilon=1 --neighbours add-remove --cells 2 --records 2 --seed 3 --jobs 1 --quiet"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "boxes_here.py").write_text(MODULE)
    submission = tmp_path / "submission"
    # The interpreter that runs the tests, and nothing of its packages: each run starts it.
    submission.write_text(SUBMISSION.replace("PYTHON", sys.executable))
    submission.chmod(0o755)
    (tmp_path / "a.json").write_text("[]")
    (tmp_path / "b.json").write_text('[{"cell": "0"}]')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def certificate(path: Path) -> dict[str, object]:
    document = json.loads(path.read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    return dict(document)


@pytest.mark.parametrize(
    ("subject", "more", "code", "verdict", "kind", "again"),
    [
        ("boxes_here:leaky", "--runs 1000 --seed 4", 1, "REFUTED", "function", True),
        ("boxes_here:leaky", "--runs 1000 --until-decided", 1, "REFUTED", "function", True),
        ("boxes_here:honest", "--runs 1000", 0, "NOT REFUTED", "function", False),
        ("boxes_here:honest", "--runs 40", 3, "UNDECIDED", "function", False),
        ("boxes_here:honest", "--runs 1000 --detect 1.1", 3, "UNDECIDED", "function", False),
        ("boxes_here:seeded", "--runs 200", 1, "REFUTED", "function", False),
        ("boxes_here:cached", "--runs 500", 3, "UNDECIDED", "function", False),
        ("boxes_here:repeating", "--runs 500", 1, "REFUTED", "function", False),
        ("boxes_here:Everything", "--runs 100 --rows 3", 1, "REFUTED", "estimator", True),
        (
            "command:./submission",
            "--runs 20 --alarm 0.001 --pair a.json b.json",
            1,
            "REFUTED",
            "command",
            True,
        ),
        # Pairs are searched: some hundred processes.
        pytest.param(
            *("command:./submission", "--runs 60", 1, "REFUTED", "command", False),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_black_box_gets_a_certificate_that_fits_the_schema(
    folder: Path,
    dp_audit: Command,
    monkeypatch: pytest.MonkeyPatch,
    subject: str,
    more: str,
    code: int,
    verdict: str,
    kind: str,
    again: bool,
) -> None:
    """``again``: whether the same is found again: of each kind of subject, and of bets, once."""
    # Each is a process of its own that imports the suite.
    monkeypatch.setattr("audit.auditors.attack.finding.confirming.FEWEST", 5)
    shown = dp_audit(f"certify {subject} {PLACE} {more} --out cert.json --html report.html")
    assert shown.code == code, shown.err
    document = certificate(folder / "cert.json")
    assert document["verdict"] == verdict
    assert document["subject"]["kind"] == kind
    assert verdict in shown.out
    assert verdict in (folder / "report.html").read_text()
    if verdict == "INVALID RUN":
        assert "ε ≥" not in shown.out
    if not again:
        return
    words = document["reproduce"].removeprefix("dp-audit ")
    assert dp_audit(f"{words} --out again.json --quiet").code == code
    evidence = [certificate(folder / "again.json")["evidence"], document["evidence"]]
    for one in (one for several in evidence for one in several if "power" in one):
        # By the clock, which is no part of what is found again.
        assert one["power"].pop("seconds") >= 0
    assert evidence[0] == evidence[1]


def test_a_given_pair_is_handed_over_as_parsed_and_taken_on_trust(
    folder: Path, dp_audit: Command
) -> None:
    (folder / "a.json").write_text("0")
    (folder / "b.json").write_text("1")
    shown = dp_audit(
        "certify boxes_here:number --claim epsilon=1 --neighbours add-remove --pair a.json b.json "
        "--runs 500 --seed 1 --jobs 1 --quiet --out cert.json"
    )
    assert shown.code == 1, shown.err
    document = certificate(folder / "cert.json")
    assert document["domain"] is None
    assert any("on trust" in line for line in document["assumptions"])


def test_a_pair_that_is_no_pair_of_neighbours_is_refused_and_nothing_written(
    folder: Path, dp_audit: Command
) -> None:
    (folder / "a.json").write_text('[{"secret": 17}]')
    (folder / "b.json").write_text('[{"secret": 17}, {"secret": 18}, {"secret": 19}]')
    shown = dp_audit(
        "certify boxes_here:leaky --claim epsilon=1 --neighbours add-remove --pair a.json b.json "
        "--runs 100 --out cert.json"
    )
    assert shown.code == 2
    assert "add-remove" in shown.err
    assert "17" not in shown.err
    assert not (folder / "cert.json").exists()


def test_outputs_drawn_before_are_audited(folder: Path, dp_audit: Command) -> None:
    random = np.random.default_rng(1)
    for name, chance in (("a.csv", 0.1), ("b.csv", 0.9)):
        drawn = (random.random(1000) < chance).astype(int)
        (folder / name).write_text("\n".join(["answer", *map(str, drawn)]) + "\n")
    shown = dp_audit(
        "certify outputs:a.csv,b.csv --claim epsilon=1 --neighbours add-remove --seed 1 --quiet "
        "--out cert.json"
    )
    assert shown.code == 1, shown.err
    assert certificate(folder / "cert.json")["subject"]["kind"] == "outputs"


FAILING_LINE = MODULE.splitlines().index('    raise KeyError("a private value")') + 1


@pytest.mark.parametrize(
    ("more", "shows"),
    [("", True), ("--pair a.json b.json", False), ("--pair a.json b.json --data-is-public", True)],
)
def test_a_subject_that_always_fails_ends_with_exit_code_4_and_says_why(
    folder: Path, dp_audit: Command, more: str, shows: bool
) -> None:
    """What it says is shown where the databases are made up, or said to be public."""
    shown = dp_audit(f"certify boxes_here:failing {PLACE} --runs 5000 {more} --out cert.json")
    assert shown.code == 4
    assert "all of 5 runs failed: 5 raised KeyError" in shown.err
    assert f"raised KeyError at boxes_here.py:{FAILING_LINE} in phase run" in shown.err
    assert ("private" in shown.err) == shows
    assert ("the end of its log" in shown.err) == shows
    assert not (folder / "cert.json").exists()


def test_a_command_that_always_fails_shows_its_command_and_the_end_of_its_log(
    folder: Path, dp_audit: Command
) -> None:
    """280 runs of such a command took a minute and a half, and nothing said why they failed."""
    text = f"#!{sys.executable} -IS\nimport sys\nsys.exit('no model in ' + sys.argv[4])\n"
    (folder / "submission").write_text(text)
    shown = dp_audit(f"certify command:./submission {PLACE} --runs 280")
    assert shown.code == 4
    assert "all of 5 runs failed: 5 ended (exit code 1)" in shown.err
    assert "exit code 1 in phase run; command: " in shown.err
    assert "--input input.csv" in shown.err
    assert "the end of its log:\n  | no model in /" in shown.err


@pytest.mark.parametrize("subject", ["boxes_here:ignoring", "boxes_here:fixed"])
def test_a_subject_that_ignores_its_input_is_undecided(
    folder: Path, dp_audit: Command, subject: str
) -> None:
    words = PLACE.replace("--records 2", "--records 50").replace("--quiet", "")
    shown = dp_audit(f"certify {subject} {words} --runs 200 --out cert.json --html report.html")
    assert shown.code == 3, shown.err
    document = certificate(folder / "cert.json")
    assert document["verdict"] == "UNDECIDED"
    for text in (" ".join(shown.out.split()), (folder / "report.html").read_text()):
        assert "seems to ignore its input" in text
    assert "plan: at most 400 runs" in shown.err
    if subject.endswith("fixed"):
        return
    assert dp_audit("verify cert.json").code == 0
    # Without it, the verdict is another, and it is found missing.
    document["evidence"].pop()  # type: ignore[attr-defined]
    document["verdict"] = "NOT REFUTED"
    (folder / "cert.json").write_text(json.dumps(document))
    assert dp_audit("verify cert.json").code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"certify boxes_here:leaky {PLACE} --runs 0", "--runs must be a whole number from 1"),
        (f"certify boxes_here:leaky {PLACE} --confidence 1", "between 0 and 1"),
        (f"certify boxes_here:leaky {PLACE} --alarm 0", "between 0 and 1"),
        (f"certify boxes_here:absent {PLACE}", "no attribute"),
        (f"certify not_here:absent {PLACE}", "could not be imported"),
        (f"certify command:./absent {PLACE}", "not a file"),
        (f"certify outputs:a.csv {PLACE}", "two files"),
        (f"certify boxes_here:Everything {PLACE} --runs 9 --as function", "called"),
        (f"certify boxes_here:leaky {PLACE} --pair c.json b.json", "c.json"),
        (f"certify geometric-sanitizer --set epsilon=1 {PLACE} --until-decided", "--runs"),
        (f"certify geometric-sanitizer --set epsilon=1 {PLACE} --as function", "module:attribute"),
        (f"certify boxes_here:leaky {PLACE} --data a.csv", "--data"),
        (
            "certify boxes_here:leaky --claim epsilon=1 --neighbours add-remove --runs 9",
            "--pair",
        ),
        (
            "certify command:./submission --claim epsilon=1 --neighbours add-remove --runs 9",
            "--domain",
        ),
        (f"certify boxes_here:leaky {PLACE} --claim nonsense", "a claim reads"),
    ],
)
def test_bad_input_is_said_before_anything_runs(
    folder: Path, dp_audit: Command, words: str, said: str
) -> None:
    shown = dp_audit(words)
    assert shown.code == 2, shown.err
    assert said in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_program_is_attacked_beside_its_exact_value(folder: Path, dp_audit: Command) -> None:
    shown = dp_audit(
        "certify geometric-sanitizer --set epsilon=1 --claim epsilon=1 --neighbours replace-one "
        "--cells 2 --records 2 --runs 300 --seed 1 --jobs 1 --quiet --out cert.json"
    )
    assert shown.code == 0, shown.err
    document = certificate(folder / "cert.json")
    assert document["verdict"] == "PROVED"
    floor, exact = (document["bounds"][side]["epsilon"]["lower"] for side in ("floor", "exact"))
    assert 0 < float(floor) <= float(exact)


def interrupt(
    folder: Path, more: str, send: Callable[[subprocess.Popen[str]], None], **kept: str
) -> str:
    """What an attack said that was sent a signal as it ran; it left a certificate.

    ``kept``: variables of its environment. It leads a group of processes of its own.
    """
    words = "certify boxes_here:slow --claim epsilon=5 --neighbours add-remove --cells 2"
    words += f" --records 2 --seed 3 --runs 1000000 --out cert.json {more}"
    with subprocess.Popen(
        [sys.executable, "-m", "dp_audit", *words.split()],
        cwd=folder,
        env=environment(kept),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        try:
            while "attacking" not in process.stderr.readline():
                assert process.poll() is None
            time.sleep(3)
            send(process)
            out, err = process.communicate(timeout=120)
        finally:
            # Where the test itself is interrupted, or fails: nobody else would end it.
            process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    # By then few runs were made, or enough: interrupted it is either way.
    assert certificate(folder / "cert.json")["verdict"] in ("NOT REFUTED", "UNDECIDED")
    return out


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
@pytest.mark.parametrize(
    ("mode", "sent"),
    [
        ("", signal.SIGINT),
        pytest.param("--until-decided", signal.SIGINT, marks=pytest.mark.slow),
        ("", signal.SIGTERM),
        pytest.param("--until-decided", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_or_sigterm_gives_the_report_of_what_was_found_so_far(
    folder: Path, mode: str, sent: signal.Signals
) -> None:
    out = interrupt(folder, f"--jobs 1 {mode}", lambda process: process.send_signal(sent))
    document = certificate(folder / "cert.json")
    assert document["evidence"][-1]["replay"]["partial"] is True
    assert "interrupted" in out


def test_a_leak_that_the_claim_allows_is_refused_before_anything_is_written(
    folder: Path, dp_audit: Command
) -> None:
    shown = dp_audit(
        "certify boxes_here:honest --claim epsilon=1 --neighbours add-remove --cells 2 --records 2 "
        "--runs 100 --detect 1 --out cert.json"
    )
    assert shown.code == 2 and not Path("cert.json").exists()
    assert "--detect is a leak beyond the claim, so more than epsilon=1; found 1" in shown.err


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.parametrize(
    "sent", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
def test_a_signal_to_the_whole_group_leaves_a_report_and_no_process(
    folder: Path, sent: signal.Signals
) -> None:
    """As `timeout` and schedulers send it: the processes that make the runs get it, too."""

    def send(process: subprocess.Popen[str]) -> None:
        os.killpg(process.pid, sent)

    interrupt(folder, "--jobs 2", send, TMPDIR=str(folder))
    assert processes_of(str(folder)) == []


def processes_of(folder: str) -> list[str]:
    """The commands of processes that work in a folder or have its name in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            about = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
            if folder.encode() in about and int(place.name) != os.getpid():
                found.append((place / "cmdline").read_text())
    return found


@pytest.mark.slow
def test_on_a_cluster_sigterm_leaves_a_report_too(folder: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as workers:
        place = f"--cluster {workers.scheduler_address}"
        interrupt(folder, place, lambda process: process.send_signal(signal.SIGTERM))
