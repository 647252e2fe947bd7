"""Objects that the caller holds, as subjects: programs, functions and estimators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from audit.statements.assumptions import INDEPENDENT, SCOPE
from audit.statements.isolation import Isolation
from audit.subjects.copied import CopiedBox
from audit.subjects.estimator import as_function
from audit.subjects.forms import Form
from audit.subjects.function import FunctionBox
from audit.subjects.subject import BlackBoxSubject, LiveObject
from synthesizers.domain import Domain
from synthesizers.errors import InputError

_LONGEST_NAME = 60
"""Characters of a subject in a report: most of a line."""


def name_of(subject: Any) -> str:
    """What a report calls an object: its name, or how it was made where that is short."""
    if hasattr(subject, "__name__"):
        return str(subject.__name__)
    text = repr(subject) if is_dataclass(subject) else ""
    return text if 0 < len(text) <= _LONGEST_NAME else type(subject).__name__


def live_program(subject: Any) -> Any:
    """The program: of a class, an instance; raises InputError for one that needs parameters."""
    if not isinstance(subject, type):
        return subject
    try:
        return subject()
    except TypeError:
        raise InputError(
            f"{subject.__name__} is a class that needs parameters: hand over an instance of it"
        ) from None


def live_box(
    subject: Any,
    form: Form,
    name: str,
    parameters: Mapping[str, Any],
    rows: int | None,
    domain: Domain | None,
) -> BlackBoxSubject:
    """A function, its batch form or an estimator, run in a copy of this process if it can.

    ``parameters``, ``rows``: of an estimator's class, and of its output. Raises InputError.
    """
    function = subject
    if form == "estimator":
        if rows is None:
            raise InputError("an estimator is asked for a public number of rows: give rows=...")
        function = as_function(subject, parameters, rows, None if domain is None else domain.names)
    elif parameters:
        raise InputError("parameters go with an estimator's class; bind a function's yourself")
    kind = "estimator" if form == "estimator" else "function"
    box = CopiedBox(FunctionBox(name, function, form == "batch"))
    apart = Isolation("in this process", "none", "none")
    columns = None if domain is None else domain.names
    live = LiveObject(subject, form, parameters, rows, columns)
    return BlackBoxSubject(name, kind, box, (INDEPENDENT, SCOPE), {"form": form}, apart, live)
