"""Interpreters of other environments: which one a path is, and where its packages lie."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from audit.subjects.apart import around, isolation_for, limits_of
from audit.subjects.confinement import Confinement, start_confined
from synthesizers.errors import InputError

OLDEST = (3, 9)
"""The oldest Python whose syntax our side of it keeps to."""

START_SECONDS = 60.0
"""How long it may take to say what it is (a tenth of a second, but for cold disks)."""

_MOST_BYTES = 2**20

_VERSION = re.compile(r"[0-9.a-z+]{1,40}")

_WHO = """
import json, platform, sys
print(json.dumps(["dp-audit", platform.python_version(), list(sys.version_info[:2]), sys.path]))
"""


@dataclass(frozen=True)
class Interpreter:
    """The Python at a path; ``folders``: where it looks for packages."""

    path: str
    version: str
    folders: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """What it has to read: its environment, and whatever else lies on its path."""
        places = {os.path.abspath(place) for place in (*around(self.path), *self.folders)}
        return tuple(sorted(place for place in places - {"/"} if os.path.exists(place)))


@functools.cache
def find_interpreter(path: str) -> Interpreter:
    """The Python of another environment, asked in a box; raises InputError where it is none.

    In its box it sees its own environment, and the folders that a ``.pth`` file of that names.
    """
    path = os.path.abspath(path)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise InputError(
            f"--python {path} is no program; give the Python of the subject's environment, such as "
            "venv/bin/python"
        )
    environment = around(path)
    places = {os.path.abspath(one) for one in (*environment, *_list_linked(environment))}
    readable = tuple(sorted(place for place in places - {"/"} if os.path.exists(place)))
    try:
        run = start_confined(
            [path, "-c", _WHO],
            Confinement(readable, limits=limits_of(None)),
            stdout=subprocess.PIPE,
            isolation=isolation_for(readable),
        )
    except OSError:
        raise _no_python(path) from None
    try:
        return _read(path, run.process.communicate(timeout=START_SECONDS)[0])
    except subprocess.TimeoutExpired:
        raise _no_python(path) from None
    finally:
        run.kill()


def _list_linked(environment: Iterable[str]) -> Iterator[str]:
    """The folders that ``.pth`` files add to what is imported, such as those of edited packages."""
    for place in environment:
        for file in Path(place).glob("lib*/python*/site-packages/*.pth"):
            lines = file.read_text("utf-8", "replace").splitlines()
            yield from (line for line in lines if os.path.isabs(line) and os.path.isdir(line))


def _read(path: str, output: bytes) -> Interpreter:
    try:
        name, version, numbers, folders = json.loads(output[:_MOST_BYTES])
    except (ValueError, TypeError):
        raise _no_python(path) from None
    if name != "dp-audit" or not _VERSION.fullmatch(version):
        raise _no_python(path)
    if tuple(numbers) < OLDEST:
        raise InputError(f"--python {path} is Python {version}; 3.9 is the oldest that is run")
    found = (one for one in folders if isinstance(one, str) and Path(one).is_dir() and one)
    return Interpreter(path, version, tuple(found))


def _no_python(path: str) -> InputError:
    return InputError(f"--python {path} does not run as a Python interpreter")
