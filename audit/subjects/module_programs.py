"""A user's ``module:attribute`` as a program; only the process that runs it imports the module."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from audit.subjects.importing import import_attribute
from synthesizers.curator import Program
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational


def load_program(name: str, values: Mapping[str, str]) -> Program:
    """The program, with its parameters set; raises InputError."""
    program: Program = _build(import_attribute(name), name, values)
    _require_program(program, name)
    return program


def _build(found: Any, name: str, values: Mapping[str, str]) -> Any:
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
