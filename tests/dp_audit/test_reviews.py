"""A review from files to pages: it goes on where it stopped, and can be shared out."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dp_audit import merge, review
from synthesizers.errors import InputError
from tests.audit.processes import ROOT, run

CHALLENGE = """\
name = "tiny"
data = "data.csv"
metrics = ["total-variation"]
[claim]
epsilons = [{epsilons}]
neighbours = "replace-one"
[domain]
file = "domain.toml"
"""

DOMAIN = """\
name = "tiny"
[attributes]
sex = { values = ["a", "b"] }
"""

SUBMISSION = """\
[run]
module = "synth:Counts"
[parameters]
epsilon = "{epsilon}"
"""

PROGRAM = """\
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synthesizers.budget import PureBudget
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.parameters import parameter, rational
from synthesizers.queries import CellCounts


@dataclass(frozen=True)
class Counts:
    epsilon: Fraction = parameter(rational)

    def budget(self, setting):
        return PureBudget(self.epsilon)

    def __call__(self, curator):
        records = curator.setting.records
        noise = DiscreteLaplace(1 / self.epsilon)
        (first,) = curator.measure(CellCounts((0,)), noise, low=0, high=records)
        return np.array([first, records - first])
"""

DOUBLE = PROGRAM.replace("PureBudget(self.epsilon)", "PureBudget(2 * self.epsilon)").replace(
    "DiscreteLaplace(1 / self.epsilon)", "DiscreteLaplace(1 / (2 * self.epsilon))"
)
"""The same with half the noise."""


def make_challenge(folder: Path, *programs: str, epsilons: str = "1") -> Path:
    """A folder of submissions that are proved or refuted in a second."""
    folder.mkdir()
    (folder / "challenge.toml").write_text(CHALLENGE.replace("{epsilons}", epsilons))
    (folder / "domain.toml").write_text(DOMAIN)
    (folder / "data.csv").write_text("sex\n" + "a\nb\n" * 20)
    for number, text in enumerate(programs):
        place = folder / f"team-{number}"
        place.mkdir()
        (place / "submission.toml").write_text(SUBMISSION)
        (place / "synth.py").write_text(text)
    return folder


def read(folder: Path) -> dict[str, Any]:
    """The review of a folder without what was measured by a clock."""
    document: dict[str, Any] = json.loads((folder / "review.json").read_text())
    del document["seconds"], document["plan"]
    for one in document["submissions"]:
        del one["seconds"], one["megabytes"]
    return document


def list_pieces(folder: Path) -> dict[str, float]:
    """The finished pieces, and when each was written."""
    return {path.name: path.stat().st_mtime for path in (folder / "pieces").glob("*.json")}


def test_a_review_writes_its_verdicts_and_its_pages(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM, DOUBLE)
    out = tmp_path / "r"
    result = review(source, out=out, seed=1)
    assert result.verdicts == {"team-0": "PROVED", "team-1": "REFUTED"}
    assert result.exit_code == 0
    schema = json.loads((ROOT / "audit/statements/schema/1/review.json").read_text())
    document = json.loads((out / "review.json").read_text())
    Draft202012Validator(schema).validate(document)
    assert document == result.to_json()
    for path in ("index.html", "submissions/team-0.html", "submissions/team-1.json"):
        assert (out / path).is_file()
    links = [
        file for one in document["submissions"] for c in one["claims"] for file in c["certificates"]
    ]
    assert len(links) == 2
    assert all((out / link).is_file() for link in links)
    assert "REFUTED" in (out / "index.html").read_text()
    # What was handed in stays as it was.
    assert sorted(path.name for path in (source / "team-0").iterdir()) == [
        "submission.toml",
        "synth.py",
    ]


def test_the_same_command_goes_on_with_its_seed(tmp_path: Path) -> None:
    make_challenge(tmp_path / "c", PROGRAM)
    line = ("review", "c", "--out", "r", "--plan", "--seed")
    assert run(*line, "7", cwd=tmp_path).returncode == 0
    assert run(*line, "7", cwd=tmp_path).returncode == 0
    other = run(*line, "8", cwd=tmp_path)
    assert other.returncode == 2 and "another seed" in other.stderr


def test_what_is_finished_is_not_done_again_and_what_changed_is(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM, PROGRAM)
    out = tmp_path / "r"
    review(source, out=out)
    first = list_pieces(out)
    review(source, out=out)
    assert list_pieces(out) == first
    (source / "team-1" / "synth.py").write_text(DOUBLE)
    result = review(source, out=out)
    assert result.verdicts == {"team-0": "PROVED", "team-1": "REFUTED"}
    more = set(list_pieces(out)) - set(first)
    assert len(more) == len(first) // 2
    assert {name: list_pieces(out)[name] for name in first} == first
    # The final stage goes on from the prescreen.
    before = list_pieces(out)
    review(source, out=out, stage="final", releases=1)
    assert {name: list_pieces(out)[name] for name in before} == before


def test_shares_are_joined_to_the_same_review(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM, DOUBLE, epsilons="1, 2")
    whole = review(source, out=tmp_path / "whole", seed=3, stage="final", releases=1)
    shares = [tmp_path / f"share-{number}" for number in (1, 2)]
    for number, folder in enumerate(shares, 1):
        done = review(source, out=folder, seed=3, stage="final", releases=1, shard=f"{number}/2")
        assert done.exit_code == 3
        assert len(list_pieces(folder)) < len(list_pieces(tmp_path / "whole"))
    joined = merge(shares, out=tmp_path / "joined")
    assert joined.exit_code == 0
    assert joined.verdicts == whole.verdicts
    mine, theirs = read(tmp_path / "joined"), read(tmp_path / "whole")
    # Releases of programs are drawn from the system's entropy: scores and what follows differ.
    for one in (*mine["submissions"], *theirs["submissions"]):
        del one["utility"], one["flags"]
    del mine["references"], theirs["references"]
    assert mine == theirs


@pytest.mark.skipif(sys.platform != "linux", reason="processes end with their parent on Linux")
@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_review_that_is_killed_goes_on_to_the_same_end(tmp_path: Path, kills: int) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM, DOUBLE)
    whole = review(source, out=tmp_path / "whole", seed=5)
    out = tmp_path / "killed"
    line = [sys.executable, "-m", "dp_audit", "review", str(source), "--out", str(out)]
    # Seeded points of the work.
    rng = random.Random(10)
    for _ in range(kills):
        process = subprocess.Popen(
            [*line, "--seed", "5", "--quiet"], cwd=ROOT, stdout=subprocess.DEVNULL
        )
        wait_for_pieces(out, len(list_pieces(out)) + rng.choice([0, 0, 1]), rng.random() * 1.5)
        process.kill()
        process.wait()
        for path in (out / "pieces").glob("*.json") if out.exists() else ():
            json.loads(path.read_text())
    again = review(source, out=out, seed=5)
    assert again.verdicts == whole.verdicts
    assert set(list_pieces(out)) == set(list_pieces(tmp_path / "whole"))
    assert not list(out.rglob(".scratch*"))


def wait_for_pieces(folder: Path, number: int, more: float) -> None:
    """Until so many pieces are finished, and some seconds."""
    end = time.monotonic() + 60
    while time.monotonic() < end and len(list_pieces(folder)) < number:
        time.sleep(0.02)
    time.sleep(more)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_review_leaves_pages_that_say_so(tmp_path: Path, number: int) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM, PROGRAM)
    out = tmp_path / "r"
    line = [sys.executable, "-m", "dp_audit", "review", str(source), "--out", str(out)]
    process = subprocess.Popen(
        [*line, "--jobs", "1"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for_pieces(out, 1, 0.3)
    # As `timeout` does it, and whoever is impatient.
    os.kill(process.pid, number)
    time.sleep(0.05)
    os.kill(process.pid, number)
    _, talk = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"goes on from here" in talk
    assert json.loads((out / "review.json").read_text())["partial"]
    assert "partial" in (out / "index.html").read_text()
    assert review(source, out=out).verdicts == {"team-0": "PROVED", "team-1": "PROVED"}


def test_files_of_a_submission_are_not_imported_in_place_of_ours(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", DOUBLE)
    for name in ("json", "runpy", "dp_audit", "numpy", "audit", "sitecustomize"):
        text = "import os\nos.environ['STOLEN'] = '1'\nopen('/tmp/stolen', 'w').close()\n1 / 0\n"
        (source / "team-0" / f"{name}.py").write_text(text)
    result = review(source, out=tmp_path / "r")
    assert result.verdicts["team-0"] in ("REFUTED", "NOT RUN")
    assert not Path("/tmp/stolen").exists()


def test_two_reviews_of_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM)
    out = tmp_path / "r"
    line = [sys.executable, "-m", "dp_audit", "review", str(source), "--out", str(out)]
    processes = [
        subprocess.Popen([*line, "--seed", "1", "--quiet"], cwd=ROOT, stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert read(out)["submissions"][0]["verdict"] == "PROVED"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"stage": "last"}, "--stage is prescreen or final"),
        ({"budget": "2"}, "--budget reads a time"),
        ({"shard": "3/2"}, "--shard reads i/n"),
        ({"shard": "1/2"}, "--shard needs --seed"),
        ({"shard": "1/2", "seed": 1, "budget": "1h"}, "make the plan without --shard"),
        ({"detect": 1}, "more than 1"),
        ({"releases": 0}, "--releases"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_written(
    tmp_path: Path, named: dict[str, Any], message: str
) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM)
    with pytest.raises(InputError, match=message):
        review(source, out=tmp_path / "r", **named)
    assert not (tmp_path / "r").exists()


def test_a_plan_that_was_fitted_to_a_budget_stays_when_it_goes_on(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM)
    out = tmp_path / "r"
    first = review(source, out=out, budget="1h", plan=True)
    assert first.exit_code == 0
    assert first.to_json()["plan"]["others"] > 0
    order = json.loads((out / "order.json").read_text())
    (out / "order.json").write_text(json.dumps({**order, "scale": 0.5}))
    assert review(source, out=out, budget="1h", plan=True).review.order.scale == 0.5
    assert review(source, out=out, plan=True, shard="1/2").review.order.scale == 0.5
    assert review(source, out=out, plan=True).review.order.scale == 1
    with pytest.raises(InputError, match="--budget is too little"):
        review(source, out=out, budget="1s", plan=True)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM)
    other = make_challenge(tmp_path / "other", PROGRAM)
    with pytest.raises(InputError, match="no folder of a review"):
        review(source, out=other)
    with pytest.raises(InputError, match="one in the other"):
        review(source, out=source)
    with pytest.raises(InputError, match="it has no order"):
        merge([source])


def test_shards_of_other_submissions_are_not_joined(tmp_path: Path) -> None:
    for name, text in (("a", PROGRAM), ("b", DOUBLE)):
        review(make_challenge(tmp_path / name, text), out=tmp_path / f"r{name}", plan=True, seed=1)
    with pytest.raises(InputError, match="different submissions"):
        merge([tmp_path / "ra", tmp_path / "rb"])


def test_a_folder_can_be_moved_and_joined_elsewhere(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM)
    first = review(source, out=tmp_path / "r")
    shutil.move(tmp_path / "r", tmp_path / "elsewhere")
    assert merge([tmp_path / "elsewhere"]).verdicts == first.verdicts
