"""How the process of a program is started, and what keeps it apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from audit.statements.isolation import Isolation
from audit.subjects.box_paths import python_paths
from audit.subjects.confinement import Confinement, require_minimum, start_confined
from synthesizers.errors import InputError

END_SECONDS = 1.0
"""How long a process that was told to end may take before it is killed."""


@dataclass(frozen=True, eq=False)
class Started:
    """A process that reads ``stdin`` and writes ``stdout``; ``end`` ends all of it.

    ``number``: of a copy of this process.
    """

    stdin: IO[bytes]
    stdout: IO[bytes]
    end: Callable[[], object]
    number: int | None = None


class Start(Protocol):
    """What starts a process of a program; of equal ones, the processes are of one program."""

    def __call__(self) -> Started:
        """A new process."""

    def isolation(self) -> Isolation:
        """What keeps such a process apart."""


OWN_ROOT = str(Path(__file__).resolve().parents[2])
"""The folder of our packages."""

OWN_PACKAGES = tuple(os.path.join(OWN_ROOT, name) for name in ("audit", "synthesizers"))
"""Those that run subjects."""

_PYTHON = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
main = importlib.import_module(sys.argv[2]).main
importlib.import_module("audit.subjects.own_sources").make_way(sys.argv[4:])
sys.path.append(sys.path.pop(0))
sys.path[:0] = sys.argv[4:]
main(sys.argv[3])
"""
"""Our own packages first, then they stand last: the user's folders come before everything, and a
module of theirs may have a name of ours."""


def python_command(module: str, word: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    """Starts ``main(word)`` of a module of ours; the user's modules are in ``folders`` first."""
    return (sys.executable, "-P", "-c", _PYTHON, OWN_ROOT, module, word, *folders)


def own_paths() -> tuple[str, ...]:
    """What such a command has to read."""
    return (*python_paths(), OWN_ROOT)


@dataclass(frozen=True)
class ConfinedStart:
    """Starts a command in the best confinement of this machine.

    ``readable``: what it may read beside the system, where it is there; ``hidden``: what it may
    not, wherever it lies.
    """

    command: tuple[str, ...]
    readable: tuple[str, ...]
    hidden: tuple[str, ...] = ()

    def __call__(self) -> Started:
        """A new process."""
        readable = tuple(path for path in self.readable if os.path.exists(path))
        box = Confinement(readable, self.hidden)
        pipe = subprocess.PIPE
        try:
            confined = start_confined(self.command, box, stdin=pipe, stdout=pipe)
        except OSError as error:
            raise InputError(
                f"{self.command[0]} can't be started: {error.strerror or 'an error'}; it must be a "
                "program, or a script that begins with a line such as #!/usr/bin/env python3"
            ) from None
        process = confined.process
        assert process.stdin is not None and process.stdout is not None
        return Started(process.stdin, process.stdout, confined.kill)

    def isolation(self) -> Isolation:
        """What keeps such a process apart, as far as a program that tries to break it found."""
        return require_minimum(self.hidden)


def python_start(
    name: str,
    parameters: Mapping[str, str],
    folders: tuple[str, ...],
    hidden: tuple[str, ...],
) -> ConfinedStart:
    """Starts the process of a ``module:attribute``, which is looked for in ``folders`` first."""
    given = json.dumps({"name": name, "parameters": dict(parameters)})
    command = python_command("audit.subjects.program_child", given, folders)
    return ConfinedStart(command, (*own_paths(), *folders), hidden)
