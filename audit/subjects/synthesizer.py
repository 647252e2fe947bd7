"""Programs as subjects: built-in ones, those of a module or a command, and the caller's own."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.subjects.box_paths import python_paths
from audit.subjects.confinement import search_path
from audit.subjects.digests import command_source, module_folders, module_source
from audit.subjects.forked import ForkedStart
from audit.subjects.program_process import ProgramProcess
from audit.subjects.started import ConfinedStart, python_start
from audit.subjects.subject import ProgramSubject
from synthesizers.curator import Program
from synthesizers.errors import CannotFork, InputError
from synthesizers.programs import PROGRAMS, build
from synthesizers.suggestions import suggest

COMMAND, OUTPUTS = "command:", "outputs:"
"""How a name begins that is that of a command, or of two files of outputs."""


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
        raise InputError(_unknown(name))
    return _from_module(name, values, hidden)


def _unknown(name: str) -> str:
    """What a name without a colon may have been meant for."""
    path = Path(name)
    if path.is_file() or path.suffix == ".py" or len(path.parts) > 1:
        function = f", or {path.stem}:NAME for a function of it" if path.suffix == ".py" else ""
        return f"no subject {name!r}: to run a file, write command:{name}{function}"
    return (
        f"no subject {name!r}; expected a built-in program (see: dp-audit list programs), "
        f"module:attribute, command:PATH, or a channel file{suggest(name, PROGRAMS)}"
    )


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


def files_among(words: Sequence[str]) -> list[str]:
    """Those of a command's words that are files."""
    return [word for word in words if os.path.isabs(word) and Path(word).is_file()]


def _of_command(name: str, values: Mapping[str, str], hidden: Sequence[str]) -> ProgramSubject:
    """A program in any language that speaks the curator protocol on its standard streams."""
    words = command_words(name)
    files = files_among(words)
    # What a submission is made of lies beside its files.
    beside = [os.path.dirname(file) for file in files]
    readable = (*python_paths(), *files, *beside)
    start = ConfinedStart(words, readable, tuple(map(os.path.abspath, hidden)))
    program = ProgramProcess(name, start, tuple(values.items()))
    program.check()
    identity: dict[str, Any] = {
        "form": "program",
        "parameters": dict(values),
        **command_source(files).identity(),
    }
    return ProgramSubject(name, program, False, identity, "command")


def _from_module(name: str, values: Mapping[str, str], hidden: Sequence[str]) -> ProgramSubject:
    """The program in a process of its own; nothing of it is imported here."""
    folders = tuple(module_folders())
    start = python_start(name, values, folders, tuple(map(os.path.abspath, hidden)))
    program = ProgramProcess(name, start, tuple(values.items()))
    program.check()
    source = module_source(name)
    identity = {"parameters": dict(values), **({} if source is None else source.identity())}
    return ProgramSubject(name, program, False, identity)
