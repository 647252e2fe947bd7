"""The callers of shares: each makes the one review that `dp-audit review` makes by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dp_audit import review
from tests.audit.processes import ROOT, environment
from tests.dp_audit.test_reviews import DOUBLE, PROGRAM, make_challenge
from tests.dp_audit.test_reviews import read as read_review

SHARDS = ROOT / "examples" / "shards"
SEED = 11


def call(words: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A caller, to its end; ``dp-audit`` is that of these tests."""
    commands = folder / "bin"
    commands.mkdir(exist_ok=True)
    command = commands / "dp-audit"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dp_audit "$@"\n')
    command.chmod(0o755)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        words,
        cwd=folder,
        env=environment({"PATH": path, **more}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def read(folder: Path) -> Any:
    """A review, but for what follows from releases, which draw from the system's entropy."""
    document = read_review(folder)
    for one in document["submissions"]:
        del one["utility"], one["flags"]
    del document["references"]
    return document


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The one review that `dp-audit review` makes by itself."""
    place = tmp_path_factory.mktemp("alone")
    source = make_challenge(place / "c", PROGRAM, DOUBLE)
    result = review(source, out=place / "r", seed=SEED)
    assert result.verdicts == {"team-0": "PROVED", "team-1": "REFUTED"}
    return read(place / "r")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_joins_its_shares_and_does_nothing_twice(tmp_path: Path, alone: Any) -> None:
    make_challenge(tmp_path / "c", PROGRAM, DOUBLE)
    line = ["make", "-f", str(SHARDS / "Makefile"), "-j", "2", "CHALLENGE=c", "OUT=r"]
    refused = call(line, tmp_path)
    assert refused.returncode == 2 and "state the seed" in refused.stderr
    made = call([*line, f"SEED={SEED}"], tmp_path)
    assert made.returncode == 0, made.stderr
    assert read(tmp_path / "r") == alone
    again = call([*line, f"SEED={SEED}"], tmp_path)
    assert again.returncode == 0 and "review" not in again.stdout.replace("r.shares", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_tasks_of_an_array_are_joined(tmp_path: Path, alone: Any) -> None:
    make_challenge(tmp_path / "c", PROGRAM, DOUBLE)
    script = str(SHARDS / "slurm.sh")
    array = {"SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "2"}
    for number in ("1", "2"):
        done = call(["sh", script, "c", str(SEED)], tmp_path, SLURM_ARRAY_TASK_ID=number, **array)
        assert done.returncode == 0, done.stderr
    joined = call(["sh", script, "join", "2"], tmp_path)
    assert joined.returncode == 0, joined.stderr
    assert read(tmp_path / "review") == alone


@pytest.mark.slow
def test_the_steps_of_the_workflow_are_joined(tmp_path: Path, alone: Any) -> None:
    make_challenge(tmp_path / "c", PROGRAM, DOUBLE)
    jobs = yaml.safe_load((SHARDS / "github.yml").read_text("utf-8"))["jobs"]
    numbers = jobs["share"]["strategy"]["matrix"]["number"]
    assert numbers == list(range(1, len(numbers) + 1))
    (line,) = (s["run"] for s in jobs["share"]["steps"] if "review" in s.get("run", ""))
    shares = 2
    for number in range(1, shares + 1):
        here = line.replace("examples/challenge", "c")
        here = here.replace("${{ matrix.number }}", str(number))
        here = here.replace("${{ strategy.job-total }}", str(shares))
        assert "${{" not in here
        done = call(["sh", "-ec", here], tmp_path, SEED=str(SEED))
        assert done.returncode == 0, done.stderr
    (tmp_path / "shares").mkdir()
    for number in range(1, shares + 1):
        # As the artifacts are named, and downloaded.
        (tmp_path / f"share-{number}").rename(tmp_path / "shares" / f"share-{number}")
    (join,) = (s["run"] for s in jobs["join"]["steps"] if "merge" in s.get("run", ""))
    joined = call(["sh", "-ec", join], tmp_path)
    assert joined.returncode == 0, joined.stderr
    assert read(tmp_path / "review") == alone


@pytest.mark.slow
def test_workers_of_dask_make_the_same_review(tmp_path: Path, alone: Any) -> None:
    pytest.importorskip("distributed", reason="needs dask[distributed]")
    source = make_challenge(tmp_path / "c", PROGRAM, DOUBLE)
    words = [str(SHARDS / "on_dask.py"), str(source), "--out", str(tmp_path / "r")]
    done = call([sys.executable, *words, "--seed", str(SEED)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "r") == alone


def test_every_caller_is_named_where_reviewers_read() -> None:
    page = (ROOT / "docs" / "how-to" / "review-submissions.md").read_text("utf-8")
    for caller in sorted(path for path in SHARDS.iterdir() if path.is_file()):
        assert f"../examples/shards/{caller.name}" in page
