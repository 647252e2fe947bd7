"""`components`: what calls of noise inside other people's code hide, and spend."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.auditors.components.boxes import asking
from audit.auditors.components.case import Case
from audit.auditors.components.examine import MOST_PAIRS, examine
from audit.auditors.components.float_pairs import list_float_pairs
from audit.auditors.components.recording.named import parse_named
from audit.auditors.data_independence.pairs import list_neighbours
from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.subjects.black_boxes import Wanted, black_box, is_command_or_outputs
from audit.subjects.forms import Form, form_of
from audit.subjects.live import live_box, name_of
from audit.subjects.subject import BlackBoxSubject
from dp_audit.arguments import DomainLike, optional_number, relation, required_domain
from dp_audit.results import ComponentsResult
from dp_audit.sensitivities import parse_floats
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours


def components(
    subject: str | Callable[..., Any],
    declared: str,
    *,
    neighbours: str | Neighbours,
    unit: str = "record",
    max_records: int | None = None,
    cells: int | str | None = None,
    domain: DomainLike | None = None,
    floats: str | None = None,
    records: int | None = None,
    rows: int | None = None,
    record: str | Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    form: Form | None = None,
    python: str | Path | None = None,
    doubles: bool = False,
    seed: int | None = None,
    seconds: int | None = None,
    megabytes: int | None = None,
) -> ComponentsResult:
    """What calls of noise inside foreign code hide and spend, line by line, against a claim.

    >>> import dp_audit as dpa
    >>> def noisy(records, rng):
    ...     return len(records) + rng.laplace(scale=0.5)
    >>> found = dpa.components(noisy, "epsilon=1", neighbours="add-remove", cells=2, records=3)
    >>> found
    <ComponentsResult: noisy violates epsilon=1>
    >>> found.lines_spending[0].moved
    '1'

    subject
        ``f(database, rng)``, or ``f(database, rng, runs)``, or an estimator with ``fit`` and
        ``sample``; as ``"module:attribute"`` it runs in a process of its own, an object in a copy
        of this one.
    declared
        ``"epsilon=1"``, ``"epsilon=1, delta=1e-6"``, ``"rho=0.5"``, ``"mu=1"``, …
    neighbours, unit, max_records, cells, domain, records, rows, parameters, form, python
        As in `certify`.
    floats
        ``"x=0..1"``: records of one attribute, a float within bounds, instead of a domain.
    record
        Functions that are recorded as one call of noise each: ``"module:attribute"``, whose first
        argument is what they hide; with ``"=laplace(scale=b)"`` the law is stated by names of the
        function's parameters.
    doubles
        Count what the low bits of floats tell, which claims of mechanisms over real numbers leave
        out: by default it is noted.
    seed
        Of the recorded runs (0).
    seconds, megabytes
        What a run in a process of its own may take.

    Raises ``ValueError`` for what makes no sense, ``RuntimeError`` for code that can't be recorded.
    """
    guarantee = parse_guarantee(declared)
    about = relation(neighbours, unit, max_records)
    if floats is None:
        space, column = required_domain(domain, cells, unit), None
    elif domain is not None or cells is not None:
        raise InputError("--floats stands in the place of --domain and --cells; give one of them")
    else:
        space, column = None, parse_floats(floats)
    size = optional_number(records, "--records", 0)
    start = optional_number(seed, "--seed", 0) or 0
    claim = Claim(guarantee, about, "output", space, size)
    named = [record] if isinstance(record, str) else list(record)
    functions = tuple(map(parse_named, named))
    public = optional_number(rows, "--rows", 0)
    limits = Limits(
        float(optional_number(seconds, "--seconds", 1) or Limits().seconds),
        optional_number(megabytes, "--megabytes", 1) or Limits().megabytes,
    )
    found = _subject(subject, claim, form, dict(parameters or {}), public, python, limits)
    case = Case(
        asking(found, named),
        guarantee,
        list_neighbours(claim, MOST_PAIRS)
        if column is None
        else list_float_pairs(column, about, size, MOST_PAIRS),
        start,
        functions,
        shrinks=not (about.records_public and size is not None),
        simplifies=about.unit.is_record,
        doubles=doubles,
        again=_command(subject, locals()) if isinstance(subject, str) else "",
    )
    examined = examine(case)
    return ComponentsResult(found.name, guarantee, about, examined.findings, examined.lines)


def _subject(
    subject: Any,
    claim: Claim,
    form: Form | None,
    parameters: dict[str, Any],
    rows: int | None,
    python: str | Path | None,
    limits: Limits,
) -> BlackBoxSubject:
    """What is recorded; raises InputError for what can't be."""
    if isinstance(subject, str):
        if ":" not in subject or is_command_or_outputs(subject):
            raise InputError(f"expected module:attribute, found {subject[:40]!r}")
        texts = {name: str(value) for name, value in parameters.items()}
        path = None if python is None else str(python)
        wanted = Wanted(subject, form, texts, limits, rows, python=path)
        return black_box(wanted, claim)
    if python is not None:
        raise InputError("--python runs what is named, as module:attribute; this is an object")
    kind = form or form_of(subject)
    if kind == "program":
        raise InputError("a program of a curator has a ledger already: certify it")
    return live_box(subject, kind, name_of(subject), parameters, rows, claim.domain)


def _command(subject: str, asked: Mapping[str, Any]) -> str:
    """The command of a named subject with these arguments, as they were given.

    Of a domain that is an object, no file can be named: the command leaves a place for one.
    """
    about = asked["about"]
    words = ["dp-audit", "components", subject, "--declared", asked["declared"]]
    words += ["--neighbours", about.name]
    if not about.unit.is_record:
        words += ["--unit", "person", "--max-records", str(about.unit.max_records)]
    if asked["domain"] is not None:
        named = isinstance(asked["domain"], str | Path)
        words += ["--domain", str(asked["domain"]) if named else "DOMAIN.toml"]
    for name in VALUED:
        words += [] if asked[name] is None else [f"--{name}", str(asked[name])]
    for one in asked["named"]:
        words += ["--record", one]
    for name, value in dict(asked["parameters"] or {}).items():
        words += ["--set", f"{name}={value}"]
    words += ["--doubles"] if asked["doubles"] else []
    return shlex.join(words)


VALUED = ("cells", "floats", "records", "rows", "python", "seed", "seconds", "megabytes")
"""Flags of the command with a value, which is that of the argument of the same name."""
