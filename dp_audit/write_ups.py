"""`writeup`: what a program asks and why that is private, and what a write-up says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.auditors.effort import Effort
from audit.review.submissions.sections import read_document, require_no_problem
from audit.review.submissions.stated_write_ups import read_write_up
from audit.review.submissions.submission import StatedWriteUp
from audit.review.write_ups.comparing import Comparison, compare_in_full
from audit.review.write_ups.write_up import write_up_of
from audit.subjects.live import live_program, name_of
from audit.subjects.synthesizer import live_subject, program_subject
from dp_audit.arguments import DomainLike, texts
from dp_audit.progress import Progress, nobody
from dp_audit.request import Request
from dp_audit.results import WriteUpResult
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours


def writeup(
    program: Any,
    claim: str,
    *,
    neighbours: str | Neighbours,
    unit: str = "record",
    max_records: int | None = None,
    cells: int | str | None = None,
    domain: DomainLike | None = None,
    records: int | None = None,
    rows: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    check: str | Path | None = None,
    progress: Progress = nobody,
) -> WriteUpResult:
    """The four sections of a challenge's write-up, or what another one states otherwise.

    >>> import dp_audit as dpa
    >>> about = {"neighbours": "replace-one", "cells": "2", "records": 3}
    >>> found = dpa.writeup("geometric-sanitizer", "epsilon=1", parameters={"epsilon": 1}, **about)
    >>> found
    <WriteUpResult: geometric-sanitizer asks 1 question>
    >>> found.write_up.asked[0].sensitivity, found.write_up.asked[0].noise
    ('1', 'discrete-laplace')

    program
        A built-in name, ``module:attribute``, ``command:PATH`` of a program that speaks the
        curator protocol, or an object that asks a curator. It is run on made-up tables.
    claim
        As in `certify`: what the write-up claims.
    neighbours, unit, max_records, cells, domain, records, rows, parameters
        As in `certify`; ``records`` or ``rows`` is the size of the made-up tables.
    check
        The path of a submission.toml with ``[[write-up.query]]``, or of what `WriteUpResult.toml`
        gave: its list is compared with what the run asked.
    progress
        Told of the work as it goes on.

    Raises ``ValueError`` for what makes no sense.
    """
    request = Request(
        claim=claim,
        neighbours=neighbours,
        unit=unit,
        max_records=max_records,
        cells=cells,
        domain=domain,
        records=records,
        rows=rows,
    )
    about = request.claim_of(request.records)
    setting = Effort(request.rows).setting(about)
    stated = None if check is None else _read(Path(check))
    named = isinstance(program, str | Path)
    if named:
        subject = program_subject(str(program), texts(parameters or {}))
    elif parameters:
        raise InputError("an object has its parameters inside: leave them out")
    else:
        subject = live_subject(name_of(program), live_program(program))
    try:
        found = write_up_of(
            subject,
            about,
            setting,
            lambda done, total, words: progress("running", done, total, words),
        )
    finally:
        subject.end()
    compared: Comparison | None = None
    if stated is not None:
        compared = compare_in_full(stated.queries, found.asked)
    return WriteUpResult(found, "" if check is None else Path(check).name, compared)


def _read(path: Path) -> StatedWriteUp:
    """The queries that a file states; InputError where it has no such list."""
    document = read_document(path)
    section = document.table("write-up")
    stated = read_write_up(section)
    if "query" not in section.fields:
        document.problems.append(
            "it states no queries: expected tables [[write-up.query]], as dp-audit writeup --toml "
            "writes them"
        )
    require_no_problem(document, path.name)
    return stated
