"""Calls that other processes make; apart, so that these need not import what tests do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from synthesizers.errors import InputError


def slow_square(number: int) -> int:
    # Earlier calls end later.
    time.sleep(0.02 * (3 - number % 4))
    return number * number


def place_and_process(_: int) -> tuple[str, int, str | None, bool]:
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return tempfile.gettempdir(), os.getpid(), os.environ.get("OMP_NUM_THREADS"), blocked


def refuse(number: int) -> int:
    if number == 2:
        raise InputError("number 2 is refused")
    return number


def crash(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def linger(number: int, note: str) -> int:
    """Return at once for 0; otherwise leave a file and a process, and never return."""
    if number:
        tempfile.mkstemp()
        child = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        Path(f"{note}-{number}").write_text(f"{os.getpid()} {child.pid} {tempfile.gettempdir()}\n")
        child.wait()
    return number


_at_once: list[int] = []


def alone(number: int) -> bool:
    """Whether no other call is made in this process meanwhile."""
    _at_once.append(number)
    time.sleep(0.02)
    found = len(_at_once) == 1
    _at_once.remove(number)
    return found


def noted(number: int, folder: str) -> int:
    """Leave a file, and take a while."""
    Path(folder, str(number)).touch()
    time.sleep(0.05)
    return number
