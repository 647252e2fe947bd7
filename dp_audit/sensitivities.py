"""`sensitivity`: how far one unit can move a function, beside what is declared."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from audit.auditors.sensitivity.declaration import parse_declaration as parse_declared
from audit.auditors.sensitivity.examine import MOST_WRITTEN, StatedQuery, examine, spell
from audit.auditors.sensitivity.isolated import SECONDS, IsolatedFunction
from audit.auditors.sensitivity.records import FloatColumn
from audit.auditors.sensitivity.search import EXAMPLES
from audit.auditors.sensitivity.tolerance import parse_tolerance
from audit.statements.finding import Shown
from dp_audit.arguments import DomainLike, optional_number, relation, required_domain, whole_number
from dp_audit.results import SensitivityResult
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours

MOST_RECORDS = 10_000
"""The most records of a database that is made up."""


def sensitivity(
    function: str | Callable[[list[dict[str, Any]]], Any],
    declared: str,
    *,
    neighbours: str | Neighbours,
    unit: str = "record",
    max_records: int | None = None,
    cells: int | str | None = None,
    domain: DomainLike | None = None,
    floats: str | None = None,
    records: int | Sequence[int] | None = None,
    examples: int | None = None,
    seed: int | None = None,
    seconds: int | None = None,
    megabytes: int | None = None,
    tolerance: int | str | Fraction | None = None,
) -> SensitivityResult:
    """How far one unit can move a function, with the pair of databases that shows it.

    >>> import dp_audit as dpa
    >>> def size(records):
    ...     return len(records)
    >>> dpa.sensitivity(size, "l1=1", neighbours="add-remove", cells=2, records=2)
    <SensitivityResult: size was not seen to exceed l1=1>
    >>> dpa.sensitivity(size, "l1=1/2", neighbours="add-remove", cells=2, records=2).exceeded
    True

    function
        ``f(records) -> a number or numbers``; a record maps attributes to values. As
        ``"module:function"`` it is called in a process of its own, an object in this one.
    declared
        ``"l1=1"``, ``"l2_squared=2, linf=1"``, …
    neighbours, unit, max_records, cells, domain
        As in `certify`.
    floats
        ``"x=0..1"``: records of one attribute, a float within bounds, instead of a domain.
    records
        Databases of so many records, 0 to so many where n is private; several; any number where it
        is left out.
    examples, seed
        Pairs that a search makes up, and its random numbers (0).
    seconds, megabytes
        What a call in a process of its own may take.
    tolerance
        The share of what is declared that is forgiven beyond it, exactly: ``"1e-9"``. Where it is
        left out, what the function does not show on exact numbers, or, if it takes none, what
        rounding can do to a sum of floats; and never more than a billionth.

    Raises ``ValueError`` for what makes no sense, ``RuntimeError`` for a function that never gives
    a number.
    """
    bounds = parse_declared(declared)
    about = relation(neighbours, unit, max_records)
    if floats is None:
        space: Any = required_domain(domain, cells, unit)
    elif domain is not None or cells is not None:
        raise InputError("--floats stands in the place of --domain and --cells; give one of them")
    else:
        space = parse_floats(floats)
    sizes = _sizes(records)
    tries = optional_number(examples, "--examples", 0)
    start = optional_number(seed, "--seed")
    forgiven = parse_tolerance(tolerance)
    limits = optional_number(seconds, "--seconds", 1), optional_number(megabytes, "--megabytes", 1)
    if isinstance(function, str):
        if ":" not in function:
            raise InputError(f"expected module:function, found {function[:40]!r}")
        name, replay = function, _replay_of(function, _command(locals()))
        called: Any = IsolatedFunction(
            function, ".", SECONDS if limits[0] is None else float(limits[0]), limits[1] or 4096
        )
        called.check()
    else:
        name, replay, called = getattr(function, "__name__", "function"), None, function
    query = StatedQuery(name, called, space, bounds, replay)
    many = EXAMPLES if tries is None else tries
    findings = examine(query, about, sizes, examples=many, seed=start or 0, tolerance=forgiven)
    return SensitivityResult(name, bounds, about, findings, forgiven.share)


def parse_floats(floats: str) -> FloatColumn:
    """The column of a text such as ``x=0..1``; raises InputError."""
    name, equals, bounds = floats.partition("=")
    low, dots, high = bounds.partition("..")
    if not (name and equals and dots):
        raise InputError(f"--floats reads NAME=LOW..HIGH, as x=0..1; found {floats[:40]!r}")
    return FloatColumn(name, _double(low), _double(high))


def _double(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"--floats takes finite bounds, found {text[:40]!r}")
    return value


def _sizes(records: int | Sequence[int] | None) -> tuple[int, ...] | None:
    if records is None:
        return None
    several = records if isinstance(records, list | tuple) else [records]
    sizes = tuple(dict.fromkeys(whole_number(one, "--records", 1) for one in several))
    if sizes and max(sizes) > MOST_RECORDS:
        raise InputError(f"--records may be {MOST_RECORDS} at most; leave it out for any number")
    return sizes


def _command(asked: dict[str, Any]) -> str:
    """The command of a named function with these arguments."""
    relation = asked["about"]
    words = ["dp-audit", "sensitivity", asked["function"], "--declared", asked["declared"]]
    words += ["--neighbours", relation.name]
    if not relation.unit.is_record:
        words += ["--unit", "person", "--max-records", str(relation.unit.max_records)]
    for name in _PASSED_ON:
        words += [] if asked[name] is None else [f"--{name}", str(asked[name])]
    words += [] if asked["sizes"] is None else ["--records", *map(str, asked["sizes"])]
    return shlex.join(words)


_PASSED_ON = (
    "domain",
    "cells",
    "floats",
    "examples",
    "seed",
    "seconds",
    "megabytes",
    "tolerance",
)


def _replay_of(name: str, command: str) -> Callable[[Shown], str]:
    """The two calls as a line of the shell; for long databases the command, which is the same."""
    module, _, function = name.partition(":")
    top = function.partition(".")[0]

    def replay(shown: Shown) -> str:
        texts = [spell(database) for database in (shown.first, shown.second)]
        if max(map(len, texts)) > MOST_WRITTEN:
            return command
        calls = ", ".join(f"{function}({text})" for text in texts)
        return f"python -c {shlex.quote(f'from {module} import {top}; print({calls})')}"

    return replay
