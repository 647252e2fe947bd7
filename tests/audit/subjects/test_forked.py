"""Copies of the caller's process, in one without other threads: `forked_alone`, `copied_alone`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere than on Linux nothing is forked")
@pytest.mark.parametrize("name", ["forked_alone.py", "copied_alone.py"])
def test_copies_of_the_callers_process(name: str) -> None:
    options = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    path = Path(__file__).with_name(name)
    command = [sys.executable, "-m", "pytest", *options, str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
