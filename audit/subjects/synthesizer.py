"""Programs as subjects: built-in ones by name, a user's by ``module:attribute``."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.subject import ProgramSubject
from audit.subjects.program_process import ProgramProcess
from audit.subjects.started import python_start
from synthesizers.errors import InputError
from synthesizers.programs import PROGRAMS, build


def program_subject(
    name: str, values: Mapping[str, str], hidden: Sequence[str] = ()
) -> ProgramSubject:
    """The subject of a built-in name or of ``module:attribute``; raises InputError.

    ``hidden``: files that a program of a module may not read, those of private data.
    """
    if name in PROGRAMS:
        return ProgramSubject(name, build(name, values), True, {"parameters": dict(values)})
    if ":" not in name:
        raise InputError(
            f"no subject {name!r}: give a built-in program ({', '.join(PROGRAMS)}), "
            "module:attribute, or a channel file (.csv or .parquet)"
        )
    return _from_module(name, values, hidden)


def source_sha256(name: str) -> str | None:
    """The digest of the file of ``module:attribute``, found without running the module."""
    _look_beside_the_user()
    try:
        spec = importlib.util.find_spec(name.partition(":")[0])
    except Exception:
        return None
    return None if spec is None or not spec.has_location else _file_sha256(spec.origin)


def _file_sha256(path: str | None) -> str | None:
    if path is None or not Path(path).is_file():
        return None
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _look_beside_the_user() -> None:
    """A module beside the user is found as `python -m` would find it."""
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())


def _from_module(name: str, values: Mapping[str, str], hidden: Sequence[str]) -> ProgramSubject:
    """The program in a process of its own; nothing of it is imported here."""
    _look_beside_the_user()
    folders = tuple(dict.fromkeys(os.path.abspath(folder) for folder in sys.path))
    start = python_start(name, values, folders, tuple(map(os.path.abspath, hidden)))
    program = ProgramProcess(name, start, tuple(values.items()))
    program.check()
    identity: dict[str, Any] = {"parameters": dict(values)}
    digest = source_sha256(name)
    if digest is not None:
        identity["source_sha256"] = digest
    return ProgramSubject(name, program, False, identity)
