"""A program's channel: the enumerating reading, collected by what is released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import joblib
import numpy as np

from audit.channel import Channel
from synthesizers.arithmetic import Arithmetic, ExactArithmetic, FloatArithmetic
from synthesizers.budget import Budget
from synthesizers.curator import Program, Setting
from synthesizers.enumeration import REPLAYS, Leaf, leaves, output_of, transcript_of
from synthesizers.errors import TooLargeError
from synthesizers.events import Databases, Event
from synthesizers.exact import add
from synthesizers.neighbours import databases as list_databases
from synthesizers.plan import first_outcomes, plan

Output = tuple[Any, ...]
Progress = Callable[[int, int], None]

MAX_ENTRIES = 60_000_000
"""The most entries of a channel that are held in memory (480 MB of doubles)."""

PARALLEL_FROM = 20_000
"""Transcripts from which a second process earns its start-up (`benchmarks/enumeration.py`)."""

PARTS = 16
"""Into how many parts a large enumeration is cut. It depends on nothing else, the number of
processes least of all, so that doubles are added in the same order everywhere."""

_add = np.frompyfunc(add, 2, 1)


@dataclass
class Collected:
    """Chances summed by output: partial results merge by addition."""

    columns: dict[Output, Any] = field(default_factory=dict)
    terms: dict[Output, int] = field(default_factory=dict)
    operations: int = 0
    ledgers: set[tuple[Event, ...]] = field(default_factory=set)

    def put(self, output: Output, chances: Any, terms: int) -> None:
        """Add chances to a column."""
        if output in self.columns:
            present = self.columns[output]
            exact = present.dtype == np.object_
            self.columns[output] = _add(present, chances) if exact else present + chances
            self.terms[output] += terms
        else:
            self.columns[output] = chances
            self.terms[output] = terms
        if len(self.columns) * len(chances) > MAX_ENTRIES:
            raise TooLargeError(
                f"the channel has more than {MAX_ENTRIES} entries; take fewer cells or records"
            )

    def merge(self, other: Collected) -> None:
        """Add all of another part."""
        for output, chances in other.columns.items():
            self.put(output, chances, other.terms[output])
        self.operations = max(self.operations, other.operations)
        self.ledgers |= other.ledgers


MAX_LEDGERS = 64


def _collect(
    program: Program,
    setting: Setting,
    databases: Databases,
    arithmetic: Arithmetic,
    released: Callable[[Leaf], Output],
    budget: Budget | None,
    first: range,
    replays: int,
    progress: Callable[[int], None] | None,
) -> Collected:
    part = Collected()
    for leaf in leaves(
        program,
        setting,
        databases,
        arithmetic,
        budget=budget,
        first=first,
        replays=replays,
        progress=progress,
    ):
        part.put(released(leaf), leaf.chances, 1)
        part.operations = max(part.operations, leaf.operations)
        if len(part.ledgers) < MAX_LEDGERS:
            part.ledgers.add(tuple(event for event, _ in leaf.transcript))
    return part


@dataclass(frozen=True, eq=False)
class Enumerated:
    """A channel with the ledgers that were met.

    ``complete``: ``ledgers`` holds every one of them (otherwise `MAX_LEDGERS`).
    """

    channel: Channel
    ledgers: frozenset[tuple[Event, ...]]
    transcripts: int

    @property
    def complete(self) -> bool:
        """Whether no ledger was left out."""
        return len(self.ledgers) < MAX_LEDGERS


def instance(setting: Setting, size: int) -> Databases:
    """The databases of ``size`` records, 0 to ``size`` where n is private."""
    rows = list_databases(setting.neighbours, setting.domain.size, size)
    return Databases(setting.domain, rows)


def channel_of(
    program: Program,
    setting: Setting,
    *,
    released: str = "output",
    exact: bool = False,
    databases: Databases | None = None,
    size: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    budget: Budget | None = None,
) -> Enumerated:
    """The channel of a program on an enumerated instance.

    ``databases``: the rows to enumerate; all of ``size`` records (0 to that
    many where n is private; the setting's size unless given) by default.
    ``budget``: what the curator of a release would refuse, refused here too.
    ``exact``: exact chances instead of doubles. ``jobs``: processes.

    Raises TooLargeError, naming the widest event, above the caps of
    `synthesizers.enumeration`; ProtocolError for a program that breaks the
    curator's protocol.

    Guarantee
    ---------
    Each entry is the sum over transcripts of products of exact chances, with
    the relative error of the doubles counted: one rounding a product and one a
    sum. Backed by ``tests/audit/test_enumerate.py``.
    """
    if databases is None:
        if size is None:
            size = setting.require_rows() if setting.records is None else setting.records
        databases = instance(setting, size)
    arithmetic: Arithmetic = ExactArithmetic() if exact else FloatArithmetic()
    work = plan(program, setting, databases, budget)
    work.require(arithmetic.cap)
    if progress is not None:
        progress(0, work.transcripts)
    choose = output_of if released == "output" else transcript_of
    count = first_outcomes(program, setting, databases, budget)
    collect = partial(_collect, program, setting, databases, arithmetic, choose, budget)
    if work.transcripts < PARALLEL_FROM or count < 2:

        def tell(done: int) -> None:
            if progress is not None:
                progress(done, work.transcripts)

        whole = collect(range(count), REPLAYS, tell)
    else:
        whole = Collected()
        firsts = _parts(count)
        parts = joblib.Parallel(n_jobs=jobs, return_as="generator")(
            joblib.delayed(collect)(first, REPLAYS // len(firsts), None) for first in firsts
        )
        for done, part in enumerate(parts, start=1):
            whole.merge(part)
            if progress is not None:
                progress(work.transcripts * done // len(firsts), work.transcripts)
    outputs = tuple(sorted(whole.columns, key=_order))
    columns = [whole.columns[output] for output in outputs]
    matrix = np.stack(columns, axis=1)
    ledgers = frozenset(whole.ledgers)
    transcripts = sum(whole.terms.values())
    if exact:
        channel = Channel.of_exact(
            setting.domain, setting.neighbours, databases.rows, outputs, matrix, released
        )
        return Enumerated(channel, ledgers, transcripts)
    operations = whole.operations + max(whole.terms.values())
    channel = Channel.of_floats(
        setting.domain, setting.neighbours, databases.rows, outputs, matrix, operations, released
    )
    return Enumerated(channel, ledgers, transcripts)


def _parts(count: int) -> list[range]:
    """The numbers below ``count`` in at most `PARTS` stretches."""
    number = min(PARTS, count)
    ends = [count * part // number for part in range(number + 1)]
    return [range(a, b) for a, b in pairwise(ends)]


def _order(output: Output) -> tuple[Any, ...]:
    """Ascending, with suppressed counts first and text last."""
    return tuple(
        (0, 0) if value is None else (2, value) if isinstance(value, str) else (1, value)
        for value in output
    )
