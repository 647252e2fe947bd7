"""Black boxes kept apart: what they see of this machine, and the box that shows it to them.

They get the best box there is. No verdict rests on it, for they can only be refuted; so one that
can't be kept apart on this machine is run all the same, and the certificate says how it ran.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from audit.statements.isolation import Isolation
from audit.subjects.box_paths import python_paths
from audit.subjects.confinement import (
    BEST_FIRST,
    ChildLimits,
    available_isolation,
    can_be_built,
    require_minimum,
)

PROCESSES = 1024
"""The processes and threads of a black box (libraries of linear algebra
start one for each core, and packages that fit models some more)."""

KEPT = (
    *("PYTHONPATH", "PYTHONHASHSEED", "LD_LIBRARY_PATH"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
"""The variables of our environment that a module's process has, too."""

_ENVIRONMENTS = ("conda-meta", "pyvenv.cfg")
"""What lies in the folder of a Python environment."""

_PROGRAMS = ("bin", "sbin", "shims")
"""Folders of programs whose libraries lie beside them."""

_PYTHON = re.compile(r"python(3(\.\d+)?)?$")
"""What an interpreter of Python is called."""

_FIRST_LINE, _MOST_LINKS = 4096, 40
"""What Linux follows of them, or more."""


def limits_of(megabytes: int | None) -> ChildLimits:
    """The limits of a black box."""
    return ChildLimits(megabytes, PROCESSES)


def isolation_for(readable: Iterable[str]) -> Isolation:
    """The best isolation in which a process can read these files and folders."""
    return _isolation(all(map(_open_to_others, readable)))


@functools.cache
def _isolation(open_to_others: bool) -> Isolation:
    if open_to_others:
        return available_isolation()
    ours = (isolation for isolation in BEST_FIRST if isolation.process != "other user")
    return next(filter(can_be_built, ours))


def probe_isolation(readable: Iterable[str]) -> Isolation:
    """The same, less what a program that tries to break it can do."""
    isolation = isolation_for(readable)
    return require_minimum(()) if isolation == available_isolation() else isolation


def _open_to_others(path: str) -> bool:
    """Whether a user who is nobody here gets to a path and may read it."""
    place = Path(path).resolve()
    try:
        modes = [folder.stat().st_mode for folder in place.parents]
        own = place.stat().st_mode
    except OSError:
        return False
    wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(own) else 0)
    return all(mode & stat.S_IXOTH for mode in modes) and own & wanted == wanted


def module_paths(folder: str) -> tuple[str, ...]:
    """What a module in a folder may read: the folder, and all that can be imported here."""
    places = [*python_paths(), *sys.path, *_editable()]
    places += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    found = {os.path.abspath(place) for place in places if place and os.path.exists(place)}
    return tuple(sorted({*found, folder} - {"/"}))


def _editable() -> Iterable[str]:
    """Where packages lie that were installed to be edited, and that a finder looks for."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("__editable__"):
            yield from getattr(module, "MAPPING", {}).values()


def module_environment(foreign: bool = False) -> dict[str, str]:
    """The variables of a module's process, beside those of every box.

    ``foreign``: of one of another environment, whose packages lie elsewhere than ours.
    """
    ours = {"PYTHONPATH"} if foreign else set()
    return {name: os.environ[name] for name in KEPT if name in os.environ and name not in ours}


def program_paths(path: str) -> tuple[str, ...]:
    """What the program at a path may read beside the system.

    Its folder, the interpreter that its first line names with what lies beside that, Python's
    environments on PATH, and /opt.
    """
    places = [os.path.dirname(path), os.path.dirname(os.path.realpath(path)), "/opt"]
    for folder in os.environ.get("PATH", "").split(":"):
        if any(os.path.exists(os.path.join(folder, "..", name)) for name in _ENVIRONMENTS):
            places += around(os.path.join(folder, "python"))
    interpreter = _interpreter(path)
    if interpreter is not None:
        places += around(interpreter)
    found = {os.path.abspath(place) for place in places if os.path.exists(place)}
    return tuple(sorted(found - {"/"}))


def python_of(path: str) -> tuple[str, ...] | None:
    """The words that start the Python of a script, as the system does; None for anything else."""
    found = _interpreter(path)
    if found is None or not _PYTHON.match(os.path.basename(found)):
        return None
    # The system splits a first line once.
    return tuple(_first_line(path).strip().split(None, 1))


def _first_line(path: str) -> str:
    """What follows #! in a script; raises OSError or ValueError."""
    with open(path, "rb") as file:
        line = file.readline(_FIRST_LINE)
    return line[2:].decode() if line.startswith(b"#!") else ""


def _interpreter(path: str) -> str | None:
    """The program that runs a script; None where its first line names none that is there."""
    try:
        words = shlex.split(_first_line(path))
    except (OSError, ValueError):
        return None
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return shutil.which(words[0]) if words else None


def around(program: str) -> list[str]:
    """The folders of a program, and of those that its links lead to, with their libraries."""
    places = []
    for _ in range(40):
        folder = os.path.dirname(os.path.abspath(program))
        around = os.path.dirname(folder)
        home = os.path.expanduser("~") + "/"
        own = os.path.basename(folder) in _PROGRAMS and not home.startswith(
            around.rstrip("/") + "/"
        )
        places.append(around if own else folder)
        if own:
            places += _base(around)
        if not os.path.islink(program):
            break
        program = os.path.join(folder, os.readlink(program))
    return places


def _base(environment: str) -> list[str]:
    """Where the Python lies that an environment was made of."""
    try:
        lines = Path(environment, "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []
    settings = dict(line.replace(" ", "").split("=", 1) for line in lines if "=" in line)
    home = settings.get("home")
    return [os.path.dirname(home)] if home and os.path.basename(home) in _PROGRAMS else []


def program_environment(folder: str | None) -> Mapping[str, str]:
    """All that a submission's environment holds; ``folder`` is its home."""
    own = {} if folder is None else {"HOME": folder, "TMPDIR": folder}
    return {"PATH": os.environ.get("PATH", os.defpath), **own}
