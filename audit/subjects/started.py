"""How the process of a program is started: confined, or forked from the caller's."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from audit.subjects.isolation import PLAIN, Isolation


@dataclass(frozen=True, eq=False)
class Started:
    """A process that reads ``stdin`` and writes ``stdout``; ``end`` ends all of it."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    end: Callable[[], object]


class Start(Protocol):
    """What starts a process of a program; of equal ones, the processes are of one program."""

    def __call__(self) -> Started:
        """A new process."""

    def isolation(self) -> Isolation:
        """What keeps such a process apart."""


_ROOT = str(Path(__file__).resolve().parents[2])

_PYTHON = """
import sys
sys.path.insert(0, sys.argv[1])
from audit.subjects.program_child import main
sys.path.append(sys.path.pop(0))
sys.path[:0] = sys.argv[3:]
main(sys.argv[2])
"""
"""Our own packages first, then they stand last: the user's folders come before everything."""


@dataclass(frozen=True)
class ConfinedStart:
    """Starts a command in the best confinement of this machine.

    ``readable``: what it may read beside the system; ``hidden``: what it may not, wherever it
    lies.
    """

    command: tuple[str, ...]
    readable: tuple[str, ...]
    hidden: tuple[str, ...] = ()

    def __call__(self) -> Started:
        """A new process."""
        process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdin is not None and process.stdout is not None
        started = Started(process.stdin, process.stdout, lambda: None)
        object.__setattr__(started, "end", weakref.finalize(started, _kill, process))
        return started

    def isolation(self) -> Isolation:
        """What keeps such a process apart."""
        return PLAIN


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, 9)
    process.wait()


def python_start(name: str, folders: tuple[str, ...], hidden: tuple[str, ...]) -> ConfinedStart:
    """Starts the process of a ``module:attribute``, which is looked for in ``folders`` first."""
    command = (sys.executable, "-P", "-c", _PYTHON, _ROOT, name, *folders)
    return ConfinedStart(command, (*folders, _ROOT), hidden)
