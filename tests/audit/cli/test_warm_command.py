"""``dp-audit certify command:… --warm``: what it finds, and what that rests on."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import dp_audit
from audit.statements.certificate_json import decode
from audit.statements.reproduce import contradiction

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

SCRIPT = """#!PYTHON -IS
import random, sys
given = dict(zip((name[2:] for name in sys.argv[1::2]), sys.argv[2::2]))
noise = NOISE
with open(given["input"]) as file:
    records = len(file.readlines()) - 1
with open(given["output"], "w") as file:
    file.write(f"count\\n{LAW}\\n")
"""

HONEST = {"NOISE": "random.Random(int(given['seed'])).choice([0, 1])", "LAW": "noise"}
LEAKING = {"NOISE": "0", "LAW": "records"}
# Copies share the seed of hashes, which processes of their own do not.
SHARING = {"NOISE": "hash('noise') % 1000", "LAW": "records + noise"}


@pytest.fixture
def submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "submission"


def certify(path: Path, law: dict[str, str], **words: Any) -> dict[str, Any]:
    text = SCRIPT.replace("PYTHON -IS", f"{sys.executable} {words.pop('line', '-IS')}".strip())
    for name, value in law.items():
        text = text.replace(name, value)
    path.write_text(text)
    path.chmod(0o755)
    given = {"neighbours": "add-remove", "cells": 2, "records": 2, "jobs": 1, "seed": 3, "rows": 1}
    given |= {"pair": ([], [{"cell": "1"}]), "runs": 60, "alarm": "0.001", "warm": True}
    result = dp_audit.certify("command:./submission", "epsilon=1", **(given | words))
    found: dict[str, Any] = json.loads(result.json_text())
    return found


def test_an_honest_script_is_not_refuted_and_the_certificate_says_how_it_ran(
    submission: Path,
) -> None:
    document = certify(submission, HONEST, runs=20)
    # So few runs accuse nobody, and see too little to say more.
    assert document["verdict"] == "UNDECIDED" and document["subject"]["warm"] is True
    replay = document["evidence"][0]["replay"]
    assert replay["fresh_runs"] == 40 and replay["repeatable"] is True
    assert "--warm" in document["reproduce"].split()
    assert contradiction(decode(document)) == ""
    subject = {key: value for key, value in document["subject"].items() if key != "warm"}
    assert "the subject" in contradiction(decode({**document, "subject": subject}))


@pytest.mark.slow
def test_a_leak_is_confirmed_by_runs_in_processes_of_their_own(submission: Path) -> None:
    document = certify(submission, LEAKING)
    assert document["verdict"] == "REFUTED"
    assert document["evidence"][0]["replay"]["fresh_runs"] >= 20


def test_what_copies_share_is_not_held_against_a_script(submission: Path) -> None:
    document = certify(submission, SHARING, line="")
    assert document["verdict"] == "UNDECIDED"
    assert "processes of their own" in document["evidence"][0]["finding"]


def test_what_can_not_be_warm_is_refused(submission: Path) -> None:
    for subject, words, message in (
        ("m:f", {"form": "function"}, "goes with a command"),
        ("subsample", {"cells": 2}, "goes with a command"),
        (len, {"form": "function"}, "leave out python and warm"),
    ):
        with pytest.raises(ValueError, match=message):
            dp_audit.certify(subject, "epsilon=1", neighbours="add-remove", warm=True, **words)
