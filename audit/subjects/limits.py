"""A program run within limits of time, memory and file size; nothing of it keeps running."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import TIMEOUT_MAX

from synthesizers.errors import InputError

FILE_BYTES = 2**30
"""The largest file that a program may write (a choice of this project: far more than the table
that is read of it, and little enough for a disk)."""


@dataclass(frozen=True)
class Limits:
    """What one run may take: seconds on the clock, and megabytes of addresses."""

    seconds: float = 60
    megabytes: int = 4096

    def __post_init__(self) -> None:
        if not 0 < self.seconds < TIMEOUT_MAX or self.megabytes < 1:
            raise InputError("a run needs a limit of more than 0 seconds and at least 1 megabyte")


def run_within(
    limits: Limits, command: Sequence[str], folder: str, environment: Mapping[str, str]
) -> int | None:
    """Run a program in a folder; its exit code, minus the signal it died by, or None: out of time.

    There is no shell. The program has a session of its own, no input, and what it says goes
    nowhere: it may hold private values. Processes that it leaves behind in its group are killed.
    Memory and file sizes are limited on Linux alone. Raises OSError where it can't be started.
    """

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    # Interrupts are for the main thread: none can fall between a program's start and its handle.
    with ThreadPoolExecutor(1) as aside:
        starting = aside.submit(start)
        try:
            process = starting.result()
            limit_process(process.pid, limits)
            aside.submit(_wait, process).result(limits.seconds)
            late = False
        except TimeoutError:
            late = True
        finally:
            process = starting.result()
            kill_group(process.pid)
    code = process.wait()
    return None if late else code


def limit_process(process: int, limits: Limits, runs: int = 1) -> None:
    """Set limits from outside, when a program has just begun that may make so many runs.

    Code between fork and exec isn't safe beside threads, and a further program that sets them
    takes longer to start than many a submission to run.
    """
    if sys.platform == "linux":
        import resource

        # Whatever leaves the group is out of the clock's reach, not out of this one's.
        seconds = math.ceil(limits.seconds) * (os.cpu_count() or 1) * runs
        wanted = {
            resource.RLIMIT_AS: limits.megabytes * 2**20,
            resource.RLIMIT_CPU: seconds,
            resource.RLIMIT_FSIZE: FILE_BYTES,
            resource.RLIMIT_CORE: 0,
        }
        with suppress(ProcessLookupError):
            for kind, most in wanted.items():
                _, allowed = resource.prlimit(process, kind)
                value = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
                resource.prlimit(process, kind, (value, value))


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait until a program ends; on Linux without reaping it.

    Until it is reaped its number can't be given to another process, nor its group's.
    """
    if sys.platform == "linux":
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def kill_group(group: int) -> None:
    """End all processes of a group; nothing happens where there is none."""
    # Where only the ended program itself is left, macOS says that killing it is not permitted.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
