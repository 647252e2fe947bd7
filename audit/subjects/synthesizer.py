"""Programs as subjects: built-in ones, those of a module or a command, and the caller's own."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from audit.subject import ProgramSubject
from audit.subjects.box_paths import python_paths
from audit.subjects.confinement import search_path
from audit.subjects.forked import ForkedStart
from audit.subjects.program_process import ProgramProcess
from audit.subjects.started import ConfinedStart, python_start
from synthesizers.curator import Program
from synthesizers.errors import CannotFork, InputError
from synthesizers.programs import PROGRAMS, build

COMMAND = "command:"


def program_subject(
    name: str, values: Mapping[str, str], hidden: Sequence[str] = ()
) -> ProgramSubject:
    """The subject of a built-in name, ``module:attribute`` or ``command:…``; raises InputError.

    ``hidden``: files that a program of a module may not read, those of private data.
    """
    if name in PROGRAMS:
        return ProgramSubject(name, build(name, values), True, {"parameters": dict(values)})
    if name.startswith(COMMAND):
        return _of_command(name, values, hidden)
    if ":" not in name:
        raise InputError(
            f"no subject {name!r}: give a built-in program ({', '.join(PROGRAMS)}), "
            "module:attribute, or a channel file (.csv or .parquet)"
        )
    return _from_module(name, values, hidden)


def live_subject(name: str, program: Program) -> ProgramSubject:
    """The subject of an object that the caller holds; `ProgramSubject.end` ends its process.

    It runs in a copy of the caller's process, or, where that can't be copied, in the process
    itself; its isolation says which.
    """
    forked = ProgramProcess(name, ForkedStart(program))
    try:
        forked.check()
    except CannotFork:
        return ProgramSubject(name, program, False)
    return ProgramSubject(name, forked, False)


def source_sha256(name: str) -> str | None:
    """The digest of the file of ``module:attribute``, found without running anything of it."""
    parts = name.partition(":")[0].split(".")
    places, spec = list(_folders()), None
    # importlib.util.find_spec would import the packages around the module, in this process.
    try:
        for end in range(1, len(parts) + 1):
            spec = PathFinder.find_spec(".".join(parts[:end]), places)
            if spec is None:
                return None
            places = list(spec.submodule_search_locations or ())
    except Exception:
        return None
    return None if spec is None or not spec.has_location else _file_sha256(spec.origin)


def _file_sha256(path: str | None) -> str | None:
    if path is None or not Path(path).is_file():
        return None
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _folders() -> tuple[str, ...]:
    """Where a program's process looks for modules: beside the user as `python -m` would.

    This process does not, or a file of the user's folder could stand for a module of its own.
    """
    beside = [] if os.getcwd() in sys.path or "" in sys.path else [os.getcwd()]
    return tuple(dict.fromkeys(os.path.abspath(folder) for folder in (*beside, *sys.path)))


def command_words(name: str) -> tuple[str, ...]:
    """The words of ``command:PATH`` or ``command:"prog args"``, its files by their full paths.

    Raises InputError where there is no such program.
    """
    text = name.removeprefix(COMMAND)
    try:
        words = [text] if Path(text).is_file() else shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise InputError(f"{name} names no program: write command:PATH or command:'prog args'")
    program = words[0]
    if Path(program).is_file():
        program = os.path.abspath(program)
    elif shutil.which(program, path=search_path()) is None:
        raise InputError(f"{program} is neither a file here nor a program of {search_path()}")
    rest = [os.path.abspath(word) if Path(word).is_file() else word for word in words[1:]]
    return (program, *rest)


def _of_command(name: str, values: Mapping[str, str], hidden: Sequence[str]) -> ProgramSubject:
    """A program in any language that speaks the curator protocol on its standard streams."""
    words = command_words(name)
    files = [word for word in words if os.path.isabs(word) and Path(word).is_file()]
    # What a submission is made of lies beside its files.
    beside = [os.path.dirname(file) for file in files]
    readable = (*python_paths(), *files, *beside)
    start = ConfinedStart(words, readable, tuple(map(os.path.abspath, hidden)))
    program = ProgramProcess(name, start, tuple(values.items()))
    program.check()
    identity: dict[str, Any] = {
        "form": "program",
        "parameters": dict(values),
        "source_sha256": _files_sha256(files),
    }
    return ProgramSubject(name, program, False, identity, "command")


def _files_sha256(files: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(Path(file).read_bytes()).digest())
    return digest.hexdigest()


def _from_module(name: str, values: Mapping[str, str], hidden: Sequence[str]) -> ProgramSubject:
    """The program in a process of its own; nothing of it is imported here."""
    start = python_start(name, values, _folders(), tuple(map(os.path.abspath, hidden)))
    program = ProgramProcess(name, start, tuple(values.items()))
    program.check()
    identity: dict[str, Any] = {"parameters": dict(values)}
    digest = source_sha256(name)
    if digest is not None:
        identity["source_sha256"] = digest
    return ProgramSubject(name, program, False, identity)
