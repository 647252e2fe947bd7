"""Boxes for tests: started, run to their end, and seen from outside."""

from __future__ import annotations

import functools
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from audit.subjects.confinement import BEST_FIRST, Confinement, start_confined
from audit.subjects.isolation import PLAIN, Isolation
from synthesizers.errors import InputError

NAMESPACES, OTHER_USER, BY_PERMISSIONS, *PLAIN_ONES = BEST_FIRST
EMPTY = Confinement(())
SECONDS = 60.0
"""For what ends in milliseconds, on a machine that is busy."""

SYSTEM_PYTHON = "/usr/bin/python3"


@functools.cache
def can_be_built(isolation: Isolation) -> bool:
    if isolation == PLAIN:
        return True
    try:
        return run(["/bin/true"], isolation=isolation)[0] == 0
    except (OSError, InputError):
        return False


def require(isolation: Isolation) -> Isolation:
    if not can_be_built(isolation):
        pytest.skip(f"this machine or user can't have {isolation.describe()}")
    return isolation


def run(
    command: Sequence[str], confinement: Confinement = EMPTY, given: bytes = b"", **words: Any
) -> tuple[int, str]:
    """A command's exit code, and what it printed."""
    confined = start_confined(
        command,
        confinement,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **words,
    )
    try:
        output = confined.process.communicate(given, SECONDS)[0]
        return confined.process.returncode, output.decode()
    finally:
        confined.kill()


def processes_with(marker: str) -> list[int]:
    """The processes of this machine in whose command line a text stands, and which run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if marker.encode() in words and state not in "ZX":
                found.append(int(entry.name))
    return found


def await_that(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
