"""One run of a submission: each way of running gives its output, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.report.trial import trial_json, trial_lines
from audit.review.submissions.trial_data import make_up
from audit.review.submissions.trying import Trial, run_once
from synthesizers.neighbours import Unit
from synthesizers.schemas import load_domain
from tests.audit.review.made_submissions import (
    CLAIM,
    TOML,
    prepare_one,
    write_copy,
    write_deid2,
)

MODULE = """
import pandas as pd
from fractions import Fraction
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table

def table(database, rng):
    return pd.DataFrame(database)

def listed(database, rng):
    return list(database)

def number(database, rng):
    return len(database)

def fails(database, rng):
    raise ValueError("of age " + str(database[0]["age"]))

class Asks:
    def __init__(self, epsilon):
        self.scale = 1 / Fraction(str(epsilon))

    def __call__(self, curator):
        noise = DiscreteLaplace(self.scale)
        return curator.measure(whole_table(curator.domain), noise, low=0, high=99)

def asks_too_much(curator):
    return curator.look()
"""


def try_folder(folder: Path, place: Path, epsilon: str = "1") -> Trial:
    prepared = prepare_one(folder, place)
    claim = prepared.submission.claim
    domain = load_domain(prepared.submission.domain)
    data = make_up(domain, Unit(claim.unit, claim.max_records), 5)
    here = Path.cwd()
    trial = run_once(prepared, epsilon, data, 7)
    assert Path.cwd() == here
    return trial


def try_module(name: str, place: Path, form: str = "function") -> Trial:
    toml = f'[run]\nmodule = "give:{name}"\nform = "{form}"\n{CLAIM}'
    return try_folder(write_copy(place / "x", toml, **{"give.py": MODULE}), place)


def test_a_command_line(tmp_path: Path) -> None:
    trial = try_folder(write_copy(tmp_path / "x"), tmp_path, "0.1")
    assert trial.run.failure is None and trial.problem is None
    assert trial.run.output is not None and len(trial.run.output) == len(trial.data.records)
    assert trial.run.output["sex"].tolist() == [record["sex"] for record in trial.data.records]
    assert "--epsilon 0.1 " in trial.run.command and "--seed 7" in trial.run.command
    assert (
        trial.run.command.startswith("./dp-audit-run ") and str(tmp_path) not in trial.run.command
    )
    assert trial.claim == "epsilon=0.1" and trial.run.seconds > 0
    told = trial_json(trial)
    assert told["output"]["rows"] == len(trial.data.records) and told["output"]["of_the_domain"]
    assert "which starts: python give.py {input} {output}" in trial_lines(trial)


def test_a_submission_to_deid2(tmp_path: Path) -> None:
    trial = try_folder(write_deid2(tmp_path / "x"), tmp_path, "10.0")
    assert trial.run.failure is None and trial.problem is None
    assert trial.run.output is not None
    assert list(trial.run.output) == ["who", "shift", "fare"]
    assert len(trial.run.output) == len(trial.data.records)


@pytest.mark.parametrize("name", ["table", "listed"])
def test_a_function_that_gives_a_table(tmp_path: Path, name: str) -> None:
    trial = try_module(name, tmp_path)
    assert trial.run.failure is None and trial.problem is None
    assert trial.run.output is not None
    ages = [record["age"] for record in trial.data.records]
    assert trial.run.output["age"].tolist() == ages


def test_a_function_that_gives_no_table(tmp_path: Path) -> None:
    trial = try_module("number", tmp_path)
    assert trial.run.failure is None and trial.run.output is None
    assert float(trial.run.words) == len(trial.data.records)
    assert f"output: no table, but {trial.run.words}" in trial_lines(trial)
    assert trial_json(trial)["output"]["rows"] is None


def test_a_function_that_fails_says_where_and_why(tmp_path: Path) -> None:
    trial = try_module("fails", tmp_path)
    failure = trial.run.failure
    assert failure is not None and failure.ending == "raised ValueError"
    assert failure.place == "give.py:17" and failure.message.startswith("of age ")
    assert "ValueError" in trial.run.log and trial_json(trial)["output"] is None


def test_a_program_of_the_curator(tmp_path: Path) -> None:
    run = '[run]\nmodule = "give:Asks"\nrows = 4\n'
    toml = f'{run}{CLAIM}[parameters]\nepsilon = "{{epsilon}}"\n'
    trial = try_folder(write_copy(tmp_path / "x", toml, **{"give.py": MODULE}), tmp_path)
    assert trial.run.failure is None and trial.problem is None
    assert trial.run.output is not None and list(trial.run.output) == ["sex", "age"]


def test_a_program_that_breaks_its_protocol(tmp_path: Path) -> None:
    trial = try_module("asks_too_much", tmp_path, "program")
    assert trial.run.failure is not None and trial.run.output is None


@pytest.mark.parametrize(
    ("script", "phase", "ending", "log"),
    [
        ("import sys\nsys.exit('bad \\x1b[2J')", "run", "exit code 1", "bad ?[2J"),
        ("pass", "output", "no output table", ""),
        ("import sys\nopen(sys.argv[2], 'w').write('a,a\\n')", "output", "unreadable output", ""),
        ("while True: pass", "run", "time", ""),
    ],
)
def test_a_command_line_that_gives_nothing_says_why(
    tmp_path: Path, script: str, phase: str, ending: str, log: str
) -> None:
    toml = TOML.replace("[claim]", "seconds = 1\n[claim]")
    trial = try_folder(write_copy(tmp_path / "x", toml, **{"give.py": script}), tmp_path)
    failure = trial.run.failure
    assert failure is not None and failure.phase == phase and ending in failure.ending
    assert log in trial.run.log
    assert trial.run.output is None and "\x1b" not in "".join(trial_lines(trial))


def test_a_program_that_can_not_be_started_says_so(tmp_path: Path) -> None:
    toml = f'[run]\nprogram = "give.py"\n{CLAIM}'
    trial = try_folder(write_copy(tmp_path / "x", toml), tmp_path)
    failure = trial.run.failure
    assert failure is not None and failure.phase == "start"
    assert "it sees its own folder" in failure.ending


def test_no_log_says_where_the_folder_of_a_run_lies(tmp_path: Path) -> None:
    script = "import os, sys\nprint('in', os.getcwd() + '/x', sys.argv[1])\nraise ValueError\n"
    trial = try_folder(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    assert "in x input.csv" in trial.run.log
    assert "dp-audit-" not in trial.run.log.replace("dp-audit-run", "")


def test_an_output_beside_the_domain_is_told(tmp_path: Path) -> None:
    script = "import sys\nopen(sys.argv[2], 'w').write('sex\\nmale\\n')"
    trial = try_folder(write_copy(tmp_path / "x", **{"give.py": script}), tmp_path)
    assert trial.run.failure is None and trial.problem is not None and "age" in trial.problem
    assert trial_json(trial)["output"]["of_the_domain"] is False
