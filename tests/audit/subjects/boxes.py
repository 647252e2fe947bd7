"""Boxes for tests: started, run to their end, and seen from outside."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from audit.statements.isolation import Isolation
from audit.subjects import landlock
from audit.subjects.confinement import BEST_FIRST, Confinement, start_confined

NAMESPACES, OTHER_USER, BY_PERMISSIONS, *PLAIN_ONES = BEST_FIRST
EMPTY = Confinement(())
SECONDS = 60.0
"""For what ends in milliseconds, on a machine that is busy."""

SYSTEM_PYTHON = "/usr/bin/python3"


@functools.cache
def machine_has(isolation: Isolation) -> bool:
    """Whether it can be built here, found without the code that builds it."""
    if "landlock" in isolation.filesystem and not landlock.version():
        return False
    if isolation.network == "seccomp" and os.uname().machine not in ("x86_64", "aarch64"):
        return False
    if isolation.process == "other user":
        return os.getuid() == 0 and succeeds(["true"], user=61234, group=61234, extra_groups=[])
    if isolation.process == "namespaces":
        kernel = tuple(int(word) for word in re.findall(r"\d+", os.uname().release)[:2])
        flags = ["--map-root-user", "--pid", "--fork", "--net", "--ipc", "--uts", "--mount-proc"]
        return kernel >= (5, 12) and succeeds(["unshare", "--user", *flags, "true"])
    return True


def succeeds(command: Sequence[str], **words: Any) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False, **words).returncode == 0
    except OSError:
        return False


def require(isolation: Isolation) -> Isolation:
    if not machine_has(isolation):
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
