"""`stability`: the map of a transformation, beside the distances of its outputs."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audit.auditors.sensitivity.isolated import SECONDS
from audit.auditors.stability.examine import EXAMPLES, RECORDS, examine
from audit.auditors.stability.outputs import Asked, AskedHere
from audit.subjects.interpreters import find_interpreter
from dp_audit.arguments import optional_number
from dp_audit.results import StabilityResult
from synthesizers.errors import InputError

MOST_RECORDS = 5
"""The most records of tables that are exhausted (9,331 tables of six values)."""


def stability(
    transformation: Any,
    *,
    distance: int | None = None,
    values: str | Sequence[Any] | None = None,
    records: int | None = None,
    examples: int | None = None,
    seed: int | None = None,
    python: str | Path | None = None,
    seconds: int | None = None,
    megabytes: int | None = None,
) -> StabilityResult:
    """Compare the map of a transformation of OpenDP with how far its outputs lie apart.

    >>> import dp_audit as dpa
    >>> class Total:
    ...     input_domain = "VectorDomain(AtomDomain(bounds=[0, 10], T=i32))"
    ...     input_metric, output_metric = "SymmetricDistance()", "AbsoluteDistance(i32)"
    ...
    ...     def map(self, distance):
    ...         return 9 * distance
    ...
    ...     def __call__(self, values):
    ...         return sum(values)
    >>> dpa.stability(Total()).exceeded
    True

    transformation
        A transformation, an object with its attributes (``input_domain``, ``input_metric``,
        ``output_metric``, ``map``), or a function without parameters that makes one. As
        ``"module:attribute"`` it runs in a process of its own, an object in this one.
    distance
        Of inputs, by the transformation's own metric (1).
    values
        What inputs are made of, as a list, or as its text; by default what the domain's type and
        bounds suggest.
    records, examples, seed
        Tables of at most so many records are exhausted (3); larger ones that are made up (100),
        and their random numbers (0).
    python
        The Python of another environment, in which it runs: dp-audit need not be installed there.
    seconds, megabytes
        What a call may take.

    Raises ``ValueError`` for what makes no sense, a measurement (see `certify`) and what draws at
    random; ``RuntimeError`` for a transformation without outputs.
    """
    named = isinstance(transformation, str)
    if named and ":" not in transformation:
        raise InputError(f"expected module:attribute, found {str(transformation)[:40]!r}")
    apart = optional_number(distance, "--distance", 1)
    most = optional_number(records, "--records", 0)
    if most is not None and most > MOST_RECORDS:
        raise InputError(f"--records may be {MOST_RECORDS} at most: all tables are looked at")
    tries = optional_number(examples, "--examples", 0)
    limits = optional_number(seconds, "--seconds", 1), optional_number(megabytes, "--megabytes", 1)
    if python is not None and not named:
        raise InputError("--python runs what is named, as module:attribute; this is an object")
    elsewhere = None if python is None else find_interpreter(str(python))
    asked = (
        Asked(transformation, float(limits[0] or SECONDS), limits[1] or 4096, elsewhere)
        if named
        else AskedHere(transformation)
    )
    finding = examine(
        asked,
        apart or 1,
        values=None if values is None else _list(values),
        records=RECORDS if most is None else most,
        examples=EXAMPLES if tries is None else tries,
        seed=optional_number(seed, "--seed") or 0,
    )
    return StabilityResult(asked.name, finding)


def _list(values: str | Sequence[Any]) -> list[Any]:
    try:
        found = ast.literal_eval(values) if isinstance(values, str) else values
        if isinstance(found, list | tuple) and found:
            return list(found)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    raise InputError("--values is a list as Python writes it, such as \"['a', 'b']\" or [0, 10]")
