"""A user's ``module:attribute`` as a function that can be run, with its parameters set.

Only the process that runs it imports the module.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from audit.subjects.canary_run import as_canary_run
from audit.subjects.estimator import as_function
from audit.subjects.forms import form_of
from audit.subjects.importing import import_attribute
from audit.subjects.mapped import as_run
from audit.subjects.specs import Described, Spec
from synthesizers.errors import InputError


def describe(spec: Spec) -> Described:
    """What the subject is, without running any of it; raises InputError."""
    found = as_run(import_attribute(spec.subject))
    if not isinstance(found, type):
        found = with_parameters(found, spec)
    return Described(form_of(found))


def prepare(spec: Spec) -> Callable[..., Any]:
    """The function of the form that the spec names; raises InputError where it is of another."""
    found = as_run(import_attribute(spec.subject))
    if spec.form == "estimator":
        if form_of(found) != "estimator":
            raise InputError(f"{spec.subject} is no estimator: it has no fit and sample")
        if spec.rows is None:
            raise InputError("an estimator is asked for a public number of rows: give --rows M")
        return as_function(found, values_of(spec.parameters), spec.rows, spec.columns)
    taken = _taking(with_parameters(found, spec), spec)
    if spec.form != "training":
        return taken
    given = (
        None if name is None else import_attribute(name) for name in (spec.canaries, spec.score)
    )
    return as_canary_run(taken, *given)


def with_parameters(found: Any, spec: Spec) -> Any:
    """An instance of a class, or a function with some of its parameters set; or InputError."""
    values = values_of(spec.parameters)
    if not callable(found):
        form_of(found)
    try:
        if isinstance(found, type):
            form_of(found)
            return found(**values)
        if values:
            inspect.signature(found).bind_partial(**values)
            return functools.partial(found, **values)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{spec.subject} does not take these parameters ({type(error).__name__}: {error})"
        ) from None
    return found


def _taking(function: Any, spec: Spec) -> Callable[..., Any]:
    """The function, where it takes what a run hands over."""
    first = "records" if spec.form == "training" else "database"
    handed = (first, "rng", "runs") if spec.form == "batch" else (first, "rng")
    if not callable(function):
        raise InputError(f"{spec.subject} can't be called; expected f({', '.join(handed)})")
    try:
        inspect.signature(function).bind(*handed)
    except TypeError as error:
        raise InputError(
            f"{spec.subject} can't be called as f({', '.join(handed)}): {error}"
        ) from None
    except ValueError:
        # Its parameters can't be seen; the user says what it is.
        pass
    found: Callable[..., Any] = function
    return found


def values_of(parameters: Mapping[str, str]) -> dict[str, Any]:
    """The values of parameters that were given as text, by the names that Python has for them."""
    return {name.replace("-", "_"): _value(text) for name, text in parameters.items()}


def _value(text: str) -> Any:
    """A parameter's text as Python writes it: 3, 0.5, True, None, [1, 2]; 1/3; or a text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        return text
