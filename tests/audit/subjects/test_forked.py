"""Copies of the caller's process, in one that has no other threads: see `forked_alone.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere than on Linux nothing is forked")
def test_copies_of_the_callers_process() -> None:
    options = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    path = Path(__file__).with_name("forked_alone.py")
    command = [sys.executable, "-m", "pytest", *options, str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
