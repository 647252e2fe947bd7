"""Copies of the caller's process: tests that are run in one without other threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ALONE = (
    "tests/audit/subjects/forked_alone.py",
    "tests/audit/subjects/copied_alone.py",
    "tests/audit/auditors/data_independence/kept_alone.py",
)


LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere than on Linux nothing is forked"
)


def run_alone(path: str, *options: str) -> None:
    plain = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plain, *options, path]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@LINUX
@pytest.mark.parametrize("path", ALONE)
def test_copies_of_the_callers_process(path: str) -> None:
    run_alone(path)


@LINUX
@pytest.mark.slow
def test_noise_that_is_kept_accuses_nobody_by_many_seeds() -> None:
    run_alone(ALONE[-1], "-m", "slow")
