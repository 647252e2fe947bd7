"""Programs as subjects: built-in ones by name, a user's by ``module:attribute``."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from audit.subject import ProgramSubject
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.programs import PROGRAMS, build


def program_subject(name: str, values: Mapping[str, str]) -> ProgramSubject:
    """The subject of a built-in name or of ``module:attribute``; raises InputError."""
    if name in PROGRAMS:
        return ProgramSubject(name, build(name, values), True, {"parameters": dict(values)})
    if ":" not in name:
        raise InputError(
            f"no subject {name!r}: give a built-in program ({', '.join(PROGRAMS)}), "
            "module:attribute, or a channel file (.csv or .parquet)"
        )
    return _from_module(name, values)


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


def _from_module(name: str, values: Mapping[str, str]) -> ProgramSubject:
    module_name, _, attribute = name.partition(":")
    _look_beside_the_user()
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise InputError(
            f"the module {module_name!r} could not be imported ({type(error).__name__}: {error}); "
            "run from the folder that holds it, or install it"
        ) from error
    found: Any = module
    for part in attribute.split("."):
        if not part or not hasattr(found, part):
            raise InputError(f"the module {module_name!r} has no attribute {attribute!r}")
        found = getattr(found, part)
    program = _built(found, name, values)
    _require_program(program, name)
    identity: dict[str, Any] = {"parameters": dict(values)}
    digest = _file_sha256(getattr(module, "__file__", None))
    if digest is not None:
        identity["source_sha256"] = digest
    return ProgramSubject(name, program, False, identity)


def _built(found: Any, name: str, values: Mapping[str, str]) -> Any:
    """An instance of a class; a function is taken as it is."""
    if not isinstance(found, type):
        if values:
            raise InputError(f"{name} takes no parameters: --set goes with a class, not a function")
        return found
    # Checked before anything is made: the name may come from someone else's certificate.
    if not inspect.isfunction(inspect.getattr_static(found, "__call__", None)):
        raise InputError(f"{name} is a class without __call__; a program takes a curator")
    given = {key.replace("-", "_"): _value(text) for key, text in values.items()}
    try:
        return found(**given)
    except TypeError as error:
        raise InputError(f"{name} could not be made with these parameters: {error}") from error


def _value(text: str) -> Fraction | str:
    try:
        return parse_rational(text, "parameter")
    except InputError:
        return text


def _require_program(program: Any, name: str) -> None:
    if not callable(program):
        raise InputError(f"{name} is not callable; a program is a function of a curator")
    try:
        parameters = list(inspect.signature(program).parameters.values())
    except (TypeError, ValueError):
        return
    required = [p for p in parameters if p.default is p.empty and p.kind not in (2, 4)]
    if len(required) != 1:
        names = ", ".join(p.name for p in required) or "none"
        raise InputError(
            f"{name} is not a program: a program takes one argument, a curator; this takes "
            f"{names}; a function of a database and an rng is attacked with --as function"
        )
