"""Commands that ask a curator, in all four readings: each worked example is our own sanitizer."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from audit.cli.main import main
from audit.subjects.synthesizer import program_subject

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "curator"
ABOUT = ["--neighbours", "replace-one", "--cells", "2", "--records", "3", "--set", "epsilon=1"]
OURS = "geometric-sanitizer"
COMMANDS = {
    "python": f"command:{sys.executable} -I {EXAMPLES / 'geometric.py'}",
    "sh": f"command:{EXAMPLES / 'geometric.sh'}",
    "R": f"command:{EXAMPLES / 'geometric.R'}",
}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the examples run on POSIX systems")


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "R" and shutil.which("Rscript") is None:
        pytest.skip("needs Rscript; this machine has none (r-base-core brings it)")
    monkeypatch.chdir(tmp_path)
    return COMMANDS[request.param]


def channel(program: str, *more: str) -> dict[str, Any]:
    words = ["channel", program, *ABOUT, "--exact", "--json", "channel.json", "--quiet", *more]
    assert main(words) == 0
    document: dict[str, Any] = json.loads(Path("channel.json").read_text())
    return document


def certify(command: str, *more: str) -> dict[str, Any]:
    made = ["--as", "program", "--claim", "epsilon=1", "--out", "cert.json", "--quiet", *more]
    trust = [] if program_subject(command, {}).isolation.sufficient else ["--trust-subject"]
    assert main(["certify", command, *ABOUT, *made, *trust]) == 0
    document: dict[str, Any] = json.loads(Path("cert.json").read_text())
    return document


def test_it_has_the_channel_of_our_own(command: str) -> None:
    theirs, ours = channel(command, "--as", "program"), channel(OURS)
    assert theirs["outputs"] == ours["outputs"]
    assert theirs["probabilities"] == ours["probabilities"]


def test_it_is_proved_and_exact_and_attacked(command: str) -> None:
    document = certify(command, "--runs", "60", "--seed", "1")
    assert document["verdict"] == "PROVED" and document["subject"]["kind"] == "command"
    assert document["bounds"]["exact"]["epsilon"] == {"lower": "1", "upper": "1"}
    assert {entry["auditor"] for entry in document["evidence"]} == {
        *("exhaustive", "factorised", "proof", "attack")
    }
    decisions = {entry["auditor"]: entry["decision"] for entry in document["evidence"]}
    assert decisions["exhaustive"] == "holds" and decisions["attack"] != "violated"


def test_it_is_released_under_its_certificate(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    certify(command)
    Path("domain.toml").write_text('name = "cells"\n[attributes]\ncell = { values = ["0", "1"] }\n')
    Path("table.csv").write_text("cell\n0\n1\n1\n")
    words = ["--data", "table.csv", "--domain", "domain.toml", "--out", "synthetic.csv"]
    trust = [] if program_subject(command, {}).isolation.sufficient else ["--trust-subject"]
    made = ["--set", "epsilon=1", "--certificate", "cert.json", "--as", "program", *trust]
    assert main(["release", command, *words, *made]) == 0
    assert "it keeps to the certificate: PROVED, epsilon=1" in capsys.readouterr().err
    assert len(Path("synthetic.csv").read_text().splitlines()) == 4


def test_without_a_word_a_command_is_a_submission_that_can_only_be_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "submission"
    path.write_text("#!/bin/sh\nexit 3\n")
    path.chmod(0o755)
    words = ["--claim", "epsilon=1", "--runs", "20", "--quiet"]
    about = [word for word in ABOUT if word not in ("--set", "epsilon=1")]
    assert main(["certify", f"command:{path}", *about, *words]) != 0
    assert "curator protocol" not in capsys.readouterr().err


GUESSES = """
import json, sys

def say(message):
    print(json.dumps(message), flush=True)

say({"protocol": "dp-audit/curator", "version": 1, "runs": "one"})
sys.stdin.readline()
say({"budget": {"epsilon": "1"}, "ledger": None})
sys.stdin.readline()
say({"ask": {"event": "guess"}, "where": {"file": "paper.tex", "line": 3}})
"""


def test_an_error_about_a_question_says_where_the_submission_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("guesses.py").write_text(GUESSES)
    command = f"command:{sys.executable} -I guesses.py"
    about = ["--neighbours", "replace-one", "--cells", "2", "--records", "3"]
    assert main(["channel", command, "--as", "program", *about]) == 4
    assert "by its own word at paper.tex, line 3" in capsys.readouterr().err
