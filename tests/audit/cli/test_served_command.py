"""``dp-audit certify command:…`` on submissions that serve: verdicts, and what they rest on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from audit.subjects.confinement import available_isolation
from tests.audit.calls import Command
from tests.audit.processes import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

SCHEMA = json.loads((ROOT / "audit/statements/schema/1/certificate.json").read_text())

PLACE = "--claim epsilon=1 --neighbours add-remove --cells 2 --records 2 --pair a.json b.json"
RUNS = "--runs 100 --seed 3 --jobs 1 --quiet"

SUBMISSION = """#!PYTHON -IS
import json, os, random, sys, time

SHARED = random.SystemRandom()
NOISE = sum(SHARED.random() for _ in range(12))

def write(given, entropy):
    with open(given["input"]) as file:
        records = len(file.readlines()) - 1
    with open(given["output"], "w") as file:
        file.write(f"cell\\n{LAW}\\n")

def geometric(entropy):
    # The odds of neighbouring numbers are e at most.
    found = 0
    while entropy.random() > 0.7:
        found += 1
    return found

if "--serve" in sys.argv:
    print(json.dumps({"protocol": "dp-audit/submission", "version": 2, "serve": True}), flush=True)
    for line in sys.stdin:
        given = json.loads(line)
        child = os.fork()
        if not child:
            FORKED
            write(given, ENTROPY)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps({"run": given["run"], "exit": code}), flush=True)
else:
    given = dict(zip([name[2:] for name in sys.argv[1::2]], sys.argv[2::2]))
    write(given, random.Random(SEED))
"""

FEWER = "--alarm 0.001"
"""The error allowed decides how many processes are started, each of which imports Python."""

HONEST = "records + geometric(entropy) - geometric(entropy)"
EXACT = "records"

Make = Callable[..., str]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A function that writes a submission, and the command that audits it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text("[]")
    (tmp_path / "b.json").write_text('[{"cell": "0"}]')

    def make(law: str, entropy: str = "random.Random(given['seed'])", forked: str = "pass") -> str:
        text = SUBMISSION.replace("PYTHON", sys.executable).replace("LAW", law)
        text = text.replace("ENTROPY", entropy).replace("SEED", "int(given['seed'])")
        path = tmp_path / "submission"
        path.write_text(text.replace("FORKED", forked))
        path.chmod(0o755)
        return f"certify command:./submission {PLACE} {RUNS} --out cert.json"

    return make


def certificate() -> dict[str, Any]:
    document = json.loads(Path("cert.json").read_text())
    jsonschema.validate(document, SCHEMA)
    return dict(document)


def test_an_honest_submission_is_not_refuted_and_verified(made: Make, dp_audit: Command) -> None:
    shown = dp_audit(made(HONEST))
    # So few runs accuse nobody, and see too little to say more.
    assert shown.code == 3, shown.out + shown.err
    document = certificate()
    assert document["verdict"] == "UNDECIDED"
    assert document["evidence"][-1]["finding"].startswith("too few runs")
    assert document["subject"]["serves"] is True
    apart = available_isolation().to_json()
    assert document["isolation"] == {**apart, "trusted": False}
    replay = document["evidence"][-1]["replay"]
    assert (replay["shared_runs"], replay["fresh_runs"]) == (200, 40)
    assert any("served run" in assumption for assumption in document["assumptions"])
    assert "each in a process" not in document["evidence"][-1]["finding"]


def test_a_generator_made_at_import_accuses_nobody(made: Make, dp_audit: Command) -> None:
    """Every fork begins with the same state, and a process of its own with its own."""
    law = "records + geometric(entropy) - geometric(entropy)"
    shared = "random.Random(NOISE)"
    shown = dp_audit(made(law, shared))
    assert shown.code == 3, shown.out + shown.err
    document = certificate()
    assert document["verdict"] == "UNDECIDED"
    assert "a generator made when the program was loaded" in document["evidence"][-1]["finding"]
    assert document["bounds"]["floor"] is None
    assert "generator made when the program was loaded" in " ".join(shown.out.split())


def say_new_processes() -> None:
    """Let the submission say that each run is made in a new process."""
    path = Path("submission")
    path.write_text(path.read_text().replace('"serve": True', '"serve": True, "new_process": True'))


def test_runs_that_are_said_to_be_new_processes_are_neither_compared_nor_repeated(
    made: Make, dp_audit: Command
) -> None:
    call = made(EXACT)
    say_new_processes()
    shown = dp_audit(f"{call} {FEWER}")
    assert shown.code == 1, shown.out + shown.err
    document = certificate()
    assert document["verdict"] == "REFUTED"
    assert document["subject"]["serves"] is document["subject"]["new_process"] is True
    assert "fresh_runs" not in document["evidence"][-1]["replay"]
    assert any("each run is made in a new process" in one for one in document["assumptions"])
    assert not any("served run" in one for one in document["assumptions"])
    checked = dp_audit("verify cert.json")
    assert checked.code == 0, checked.out + checked.err


def test_a_submission_without_noise_is_refuted_by_processes_of_their_own(
    made: Make, dp_audit: Command
) -> None:
    shown = dp_audit(f"{made(EXACT)} {FEWER}")
    assert shown.code == 1, shown.out + shown.err
    document = certificate()
    evidence = document["evidence"][-1]
    assert document["verdict"] == "REFUTED"
    assert evidence["witness"]["runs"] == evidence["replay"]["fresh_runs"] >= 22


def test_too_little_noise_is_refuted_by_a_rule_tested_on_processes_of_their_own(
    made: Make, dp_audit: Command
) -> None:
    # A served run is right with a chance of 0.95 and more, where the claim allows 0.73.
    shown = dp_audit(f"{made('records + (entropy.random() < 0.05)')} {FEWER}")
    assert shown.code == 1, shown.out + shown.err
    evidence = certificate()["evidence"][-1]
    assert evidence["witness"]["test"] == "exact binomial"
    assert evidence["witness"]["runs"] == evidence["replay"]["fresh_runs"]
    assert "each in a process of its own" in evidence["finding"]


def test_a_run_that_ends_its_server_on_one_database_gives_it_away(
    made: Make, dp_audit: Command
) -> None:
    # In the served form and alone alike: it is a violation as any other.
    dies = "records if records == 0 else os.kill(os.getpid(), 9)"
    shown = dp_audit(f"{made(dies)} {FEWER}")
    assert shown.code == 1, shown.out + shown.err


def test_another_version_of_the_served_form_breaks_the_protocol(
    made: Make, dp_audit: Command
) -> None:
    call = made(HONEST)
    path = Path("submission")
    path.write_text(path.read_text().replace('"version": 2', '"version": 3'))
    shown = dp_audit(call)
    assert shown.code == 4
    assert "must say version 2" in " ".join(shown.err.split())
    assert not Path("cert.json").exists()


def test_a_submission_of_version_1_is_audited_as_ever(made: Make, dp_audit: Command) -> None:
    call = made(EXACT)
    path = Path("submission")
    path.write_text(path.read_text().replace('if "--serve" in sys.argv:', "if False:"))
    shown = dp_audit(f"{call.replace('--runs 100', '--runs 20')} {FEWER}")
    assert shown.code == 1, shown.out + shown.err
    document = certificate()
    assert "serves" not in document["subject"]
    assert "fresh_runs" not in document["evidence"][-1]["replay"]
