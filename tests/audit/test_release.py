"""Releases: which budget, what is opened when, what is said of errors, whom they take."""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import audit.release as module
from audit.cli.main import main
from audit.release import Wanted, release
from audit.subjects.program_process import Connection
from audit.subjects.synthesizer import program_subject
from synthesizers.errors import InputError
from synthesizers.neighbours import ReplaceOne
from synthesizers.schemas import load_domain
from tests.audit.testing.claims.mechanisms import NoisyHistogram

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are kept apart on Linux")

MODULE = """
import ctypes, os
from fractions import Fraction
from synthesizers.budget import PureBudget
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts, whole_table

CHANGED = os.path.exists("{folder}/flag")

class Generous:
    "It has a budget of 1 and spends half; with the flag it has 100 and spends them."
    def budget(self, setting):
        return PureBudget(Fraction(100 if CHANGED else 1))
    def __call__(self, curator):
        noise = DiscreteLaplace(Fraction(1, 50) if CHANGED else Fraction(4))
        return curator.measure(whole_table(curator.domain), noise, low=0, high=10**6)

def fixed(curator):
    return curator.measure(whole_table(curator.domain), DiscreteLaplace(2), low=0, high=3)

def adaptive(curator):
    first = curator.measure(CellCounts((0,)), DiscreteLaplace(4), low=0, high=1).tolist()
    second = curator.measure(CellCounts((first[0],)), DiscreteLaplace(4), low=0, high=1)
    return first + second.tolist()

def _open(path):
    # Not seen by whoever watches Python's own ways of opening.
    return ctypes.CDLL(None).open(path.encode(), 0) >= 0

def looks(curator):
    curator.measure(whole_table(curator.domain), DiscreteLaplace(2), low=0, high=3)
    paths = ["{folder}/table.csv", "{folder}/link.csv", "{folder}/real/table.csv"]
    return [sum(map(_open, paths)), 0]
"""

QUOTES = """
import json, sys
def hear():
    return json.loads(sys.stdin.readline())
def say(message):
    print(json.dumps(message), flush=True)
noise = {"law": "discrete-laplace", "scale": "1/1000"}
asks = {"event": "measure", "query": {"kind": "cell-counts", "cells": [0, 1]}, "noise": noise,
        "low": 0, "high": 10**6}
say({"protocol": "dp-audit/curator", "version": 1, "runs": "many"})
hear()
say({"budget": {"unlimited": True}, "ledger": None})
hear()
say({"ask": asks})
answer = hear()["answer"]
WORDS
hear()
"""

ABOUT = ["--neighbours", "replace-one", "--domain", "domain.toml", "--quiet"]
OUT = ["--data", "table.csv", "--out", "synthetic.csv"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("releases.py").write_text(MODULE.format(folder=tmp_path))
    Path("domain.toml").write_text('[attributes]\ncell = { values = ["a", "b"] }\n')
    Path("table.csv").write_text("cell\na\nb\nb\n")
    return tmp_path


def certify(program: str, claim: str = "epsilon=1") -> int:
    made = ["--claim", claim, "--records", "3", "--out", "cert.json"]
    return main(["certify", program, *ABOUT, *made])


def test_a_release_is_refused_where_the_program_declares_another_budget_today(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert certify("releases:Generous") == 0
    kept = ["--certificate", "cert.json"]
    assert main(["release", "releases:Generous", *ABOUT, *OUT, *kept]) == 0
    Path("synthetic.csv").unlink()
    Path("flag").touch()
    assert main(["release", "releases:Generous", *ABOUT, *OUT, *kept]) == 2
    assert "another budget than the certified one" in capsys.readouterr().err
    assert not Path("synthetic.csv").exists()


def test_without_a_certificate_the_budget_is_stated_and_no_smaller_figure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spoken = [word for word in ABOUT if word != "--quiet"]
    assert main(["release", "releases:Generous", *spoken, *OUT]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "by the program's budget: epsilon = 1"
    assert main(["release", "releases:fixed", *spoken, *OUT]) == 0
    assert "no guarantee" in capsys.readouterr().err


def wanted(program: str, data: str = "table.csv", **more: Any) -> Wanted:
    return Wanted(program, data, load_domain("domain.toml"), ReplaceOne(), **more)


@pytest.mark.parametrize("place", ["table.csv", "link.csv"])
def test_the_program_cannot_open_the_table(place: str, folder: Path) -> None:
    if place == "link.csv":
        (folder / "real").mkdir()
        (folder / "table.csv").rename(folder / "real" / "table.csv")
        (folder / "link.csv").symlink_to(folder / "real" / "table.csv")
    if not program_subject("releases:looks", {}, [place]).isolation.sufficient:
        pytest.skip("nothing on this machine keeps programs apart")
    assert release(wanted("releases:looks", place)).table.records == 0


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was started and opened, in order."""
    noted: list[str] = []
    begin, read = Connection.__init__, module.read_table

    def starts(self: Connection, *given: Any) -> None:
        noted.append("start")
        begin(self, *given)

    def opens(*given: Any, **named: Any) -> Any:
        noted.append("open")
        return read(*given, **named)

    monkeypatch.setattr(Connection, "__init__", starts)
    monkeypatch.setattr(module, "read_table", opens)
    return noted


@pytest.mark.parametrize("program", ["fixed", "adaptive"])
@pytest.mark.parametrize("certified", [False, True])
def test_no_process_starts_once_the_table_is_open(
    program: str, certified: bool, log: list[str]
) -> None:
    name = f"releases:{program}"
    if certified:
        assert certify(name) == 0
        log.clear()
    release(wanted(name, certificate="cert.json" if certified else None))
    assert log[0] == "start" and log[-1] == "open"


def test_a_program_of_one_run_a_process_starts_before_the_table_is_open_too(
    log: list[str],
) -> None:
    source = Path(__file__).parents[2] / "docs" / "examples" / "curator" / "geometric.py"
    text = source.read_text().replace('"runs": "many", "scripts": True', '"runs": "one"')
    assert text != source.read_text()
    Path("one.py").write_text(text)
    release(wanted(f"command:{sys.executable} one.py", parameters={"epsilon": "1"}))
    assert log == ["start", "open"]


@pytest.mark.parametrize(
    "words",
    [
        'say({"error": f"PRIVATE {answer}"})',
        'say({"error": f"PRIVATE {answer}", "about": "setting"})',
        'say({"ask": {"event": f"PRIVATE {answer}"}})',
        'say({"ask": {**asks, "noise": {"law": "PRIVATE"}}})',
        'say({"ask": asks, "PRIVATE": answer})',
        'say({"output": {"values": [f"PRIVATE {answer}", 1.5]}})',
        'print(f"PRIVATE {answer}", flush=True)',
    ],
)
def test_what_a_program_says_of_an_error_on_real_data_is_withheld(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("quotes.py").write_text(QUOTES.replace("WORDS", words))
    name = f"command:{sys.executable} quotes.py"
    assert main(["release", name, *ABOUT, *OUT, "--as", "program"]) == 4
    told = capsys.readouterr()
    assert "PRIVATE" not in told.err + told.out and not Path("synthetic.csv").exists()


def local(curator: Any) -> Any:
    """A program of this module."""


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (lambda curator: curator, r"save it in mechanism.py and say release\('mechanism:program'"),
        (local, r": say release\('[\w.]*test_release:local', …\)"),
        (NoisyHistogram(Fraction(1)), r"say release\('tests.*mechanisms:NoisyHistogram', …\)"),
        (partial(local, 1), "say release"),
    ],
)
def test_a_live_object_is_refused_with_the_line_that_releases_it(program: Any, line: str) -> None:
    with pytest.raises(InputError, match=line):
        release(wanted(program))
