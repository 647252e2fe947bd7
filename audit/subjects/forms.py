"""What a callable or an estimator is, by what can be seen of it."""

from __future__ import annotations

import inspect
from typing import Any, Literal

from synthesizers.errors import InputError

Form = Literal["program", "function", "batch", "estimator", "training"]
"""What a callable is: see `form_of`; a training is what the user calls so."""

_EXPECTED = (
    "expected a program (curator), a function (database, rng), its batch form (database, rng, "
    "runs), an estimator with fit and sample, or a model with fit and predict or transform"
)


def form_of(subject: Any) -> Form:
    """What a callable or an estimator is, by its attributes and its parameters.

    ``fit`` and ``sample`` make an estimator. Otherwise the parameters without a default count,
    and those called ``rng`` and ``runs``: one is a program's curator, two are a function's, three
    with ``runs`` at the end are the batch form's. Of a class, its ``__call__`` counts. Raises
    InputError for anything else.
    """
    if all(callable(getattr(subject, name, None)) for name in ("fit", "sample")):
        return "estimator"
    names = _parameter_names(subject)
    if len(names) == 1:
        return "program"
    if len(names) == 2 and names[1] != "runs":
        return "function"
    if len(names) == 3 and names[2] == "runs":
        return "batch"
    found = ", ".join(names) or "nothing"
    raise InputError(
        f"{_EXPECTED}; this takes {found}: parameters of its own need a default or --set"
    )


def _parameter_names(subject: Any) -> list[str]:
    """The names of the parameters that a run hands over."""
    skipped = 0
    if isinstance(subject, type):
        # Not getattr, which would find the metaclass's: every class can be called.
        subject, skipped = inspect.getattr_static(subject, "__call__", None), 1
    if not callable(subject):
        raise InputError(f"{_EXPECTED}; this can't be called")
    try:
        parameters = list(inspect.signature(subject).parameters.values())[skipped:]
    except (TypeError, ValueError):
        raise InputError(f"{_EXPECTED}; its parameters can't be seen: say so with --as") from None
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return [p.name for p in named if p.default is p.empty or p.name in ("rng", "runs")]
