"""`channel`: Pr[output | database] for every small database."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.auditors.exhaustive import ALWAYS_EXACT
from audit.channels.analysis import Analysis, Wishes, analyse, analyse_streamed
from audit.channels.enumerate import MAX_ENTRIES, channel_of, instance
from audit.channels.measures.attacker import EVENS
from audit.channels.streamed import streamed_channel
from audit.subjects.live import live_program, name_of
from audit.subjects.matrix import is_channel_file, read_channel
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import live_subject, program_subject
from dp_audit.arguments import (
    DomainLike,
    Number,
    at_least_zero,
    domain_of,
    probability,
    process_count,
    relation,
    require_a_pair,
    required_domain,
    text,
    texts,
    whole_number,
)
from dp_audit.progress import Progress, nobody
from dp_audit.results import ChannelResult
from synthesizers.curator import Setting
from synthesizers.errors import InputError, TooLargeError
from synthesizers.neighbours import Neighbours, ReplaceOne
from synthesizers.plan import plan


def channel(
    program: Any,
    *,
    cells: int | str | None = None,
    domain: DomainLike | None = None,
    records: int | None = None,
    rows: int | None = None,
    neighbours: str | Neighbours = ReplaceOne.name,
    unit: str = "record",
    max_records: int | None = None,
    released: str = "output",
    parameters: Mapping[str, Any] | None = None,
    epsilons: Sequence[Number] = (),
    prior: Number | None = None,
    optimum: Number | None = None,
    exact: bool = False,
    whole: bool = False,
    rounded: bool = False,
    jobs: int | None = None,
    progress: Progress = nobody,
) -> ChannelResult:
    """The exact law of a program's output on every small database, and all that follows from it.

    >>> import dp_audit as dpa
    >>> result = dpa.channel("geometric-sanitizer", cells=2, records=3, parameters={"epsilon": 2})
    >>> result
    <ChannelResult: geometric-sanitizer: 3 records, 2 cells, 4 databases, epsilon = 2>
    >>> result.to_frame().round(3).loc["3-0"].to_dict()
    {'0-3': 0.002, '1-2': 0.014, '2-1': 0.103, '3-0': 0.881}

    program
        A built-in name, ``module:attribute``, ``command:PATH``, an object that asks a curator, or
        a channel file (.csv, .parquet, or what ``dp-audit channel --json`` wrote), which says its
        own cells and records.
    cells, domain, records, rows, neighbours, unit, max_records, released, parameters
        As in `certify`; ``rows`` is ``records`` where it is left out.
    epsilons
        Where δ is wanted.
    prior, optimum
        What the attacker thinks of one of two databases (1/2); the ε of the least loss (the
        channel's own).
    exact
        Fractions and certified enclosures throughout.
    whole
        Refuse a channel that is too large to be written.
    rounded
        A channel file's decimals are rounded.
    jobs, progress
        As in `certify`.

    Raises ``ValueError`` for what makes no sense, or is too large.
    """
    about = relation(neighbours, unit, max_records)
    wishes = Wishes(
        {text(value, "--epsilon"): at_least_zero(value, "--epsilon") for value in epsilons},
        EVENS if prior is None else probability(prior, "--prior"),
        None if optimum is None else at_least_zero(optimum, "--optimum"),
    )
    program = str(program) if isinstance(program, Path) else program
    if isinstance(program, str) and is_channel_file(program):
        if parameters or domain is not None or rows is not None:
            raise InputError("a channel file takes no --set, --domain or --rows")
        read = read_channel(program, about, released, rounded)
        held = read.channel
        size = int(held.databases.sum(axis=1).max())
        stated = domain_of(None, cells, unit)
        if stated is not None and stated.size != held.domain.size:
            raise InputError(f"the channel has {held.domain.size} cells, --cells says otherwise")
        if records is not None and whole_number(records, "--records") != size:
            raise InputError(f"the channel has databases of {size} records, --records differs")
        return ChannelResult(read.name, analyse(held, wishes), exact)
    if rounded:
        raise InputError("--rounded goes with a channel file")
    cells_of = required_domain(domain, cells, unit)
    if records is None:
        raise InputError("give the number of records of the databases: --records N")
    size = whole_number(records, "--records")
    require_a_pair(size)
    setting = Setting(cells_of, about, size if about.records_public else None, size)
    if rows is not None:
        setting = Setting(cells_of, about, setting.records, whole_number(rows, "--rows"))
    if isinstance(program, str):
        subject = program_subject(program, texts(parameters or {}))
    elif parameters:
        raise InputError("an object has its parameters inside: leave them out")
    else:
        subject = live_subject(name_of(program), live_program(program))
    try:
        analysis = _analysis(
            subject, setting, size, released, wishes, exact, whole, process_count(jobs), progress
        )
    finally:
        if not isinstance(program, str):
            subject.end()
    return ChannelResult(f"{subject.name}: {size} records, {cells_of.size} cells", analysis, exact)


def _analysis(
    subject: ProgramSubject,
    setting: Setting,
    size: int,
    released: str,
    wishes: Wishes,
    exact: bool,
    whole: bool,
    jobs: int,
    progress: Progress,
) -> Analysis:
    """The analysis of the channel held whole, or streamed where that alone is affordable."""
    databases = instance(setting, size)
    products = plan(subject.program, setting, databases).products
    streamed = None
    if products > MAX_ENTRIES and not exact:
        # What several answers lead to may still be few enough to hold.
        with contextlib.suppress(TooLargeError):
            streamed = streamed_channel(subject.program, setting, databases, released)
    if streamed is not None:
        if whole:
            raise InputError("the channel is too large to be written; leave --csv out")
        return analyse_streamed(
            streamed, wishes, jobs, lambda done, total: progress("measuring", done, total, "")
        )
    held = channel_of(
        subject.program,
        setting,
        databases=databases,
        released=released,
        exact=exact or products <= ALWAYS_EXACT,
        jobs=jobs,
        progress=lambda done, total: progress("enumerating", done, total, ""),
    ).channel
    return analyse(held, wishes)
