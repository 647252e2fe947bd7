"""A program's channel: the enumerating reading, collected by what is released."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from audit.channels.channel import BLOCK, Channel, gamma
from audit.channels.columns import Powers
from audit.parallel import divide
from synthesizers.arithmetic import (
    Arithmetic,
    ExactArithmetic,
    FloatArithmetic,
    ScaledArithmetic,
    normalise,
)
from synthesizers.budget import Budget
from synthesizers.curator import PlayedElsewhere, Program, Setting
from synthesizers.enumeration import (
    REPLAYS,
    SHARE,
    Listing,
    Played,
    blocks,
    outputs_of,
    require_same_afresh,
    transcripts_of,
)
from synthesizers.errors import BelowDoublesError, TooLargeError
from synthesizers.events import Databases, Event, Outcome
from synthesizers.neighbours import databases as list_databases
from synthesizers.plan import Plan, first_outcomes, opening_question, plan

Output = tuple[Any, ...]
Tree = dict[tuple[Outcome, ...], Event]
"""The question that follows after each list of answers."""

Progress = Callable[[int, int], None]

MAX_ENTRIES = 60_000_000
"""The most entries of a channel that are held in memory (480 MB of doubles)."""

PARALLEL_FROM = 20_000
"""Transcripts from which work is cut into parts, which processes share (their start takes as long
as so many runs of a quick program)."""

LEAST_SECONDS = 5e-6
"""What a transcript takes at the least (`benchmarks/enumeration.py` prints what it takes)."""

PARTS = 16
"""Into how many parts large work is cut. It depends on nothing else, the number of
processes least of all, so that doubles are added in the same order everywhere."""

MAX_LEDGERS = 64
"""The most different ledgers that are kept."""


@dataclass(frozen=True, eq=False)
class Enumerated:
    """A channel with the ledgers that were met.

    ``complete``: ``ledgers`` holds every one of them (otherwise `MAX_LEDGERS`). ``tree``: the
    question that followed after each list of answers, where they were kept.
    """

    channel: Channel
    ledgers: frozenset[tuple[Event, ...]]
    transcripts: int
    tree: Tree | None = None

    @property
    def complete(self) -> bool:
        """Whether no ledger was left out."""
        return len(self.ledgers) < MAX_LEDGERS


@dataclass
class Collected:
    """Chances summed by output: partial results merge by addition."""

    arithmetic: Arithmetic
    columns: dict[Output, Any] = field(default_factory=dict)
    terms: Counter[Output] = field(default_factory=Counter)
    operations: int = 0
    ledgers: set[tuple[Event, ...]] = field(default_factory=set)
    chosen: list[Played] = field(default_factory=list)
    tree: Tree | None = None
    file: str | None = None

    def add(self, outputs: Sequence[Output], chances: Any) -> None:
        """Add chances, a vector for each output, to the outputs' columns."""
        columns, add_to = self.columns, self.arithmetic.add_to
        for output, term in zip(outputs, chances, strict=True):
            column = columns.get(output)
            if column is None:
                columns[output] = term.copy()
            else:
                add_to(column, term)
        self.terms.update(outputs)
        self._require_room()

    def merge(self, other: Collected) -> None:
        """Add all of another part, which is not used again."""
        if other.file is not None:
            other.read_columns()
        for output, chances in other.columns.items():
            if output in self.columns:
                self.arithmetic.add_to(self.columns[output], chances)
            else:
                self.columns[output] = chances
        self._require_room()
        self.terms += other.terms
        self.operations = max(self.operations, other.operations)
        self.ledgers |= other.ledgers
        self.chosen += other.chosen
        if self.tree is not None and other.tree is not None:
            self.tree |= other.tree

    def write_columns(self) -> None:
        """Move the columns to a file, from which another process takes them faster than by a pipe.

        Exact numbers stay.
        """
        if any(column.dtype == np.object_ for column in self.columns.values()):
            return
        descriptor, self.file = tempfile.mkstemp()
        with os.fdopen(descriptor, "wb") as file:
            for output, column in self.columns.items():
                file.write(column)
                self.columns[output] = column.shape

    def read_columns(self) -> None:
        """Take the columns back from their file, and remove it."""
        assert self.file is not None
        shape = len(self.columns), *next(iter(self.columns.values()))
        columns = np.memmap(self.file, np.float64, "c", shape=shape)
        # Where a file in use can't be removed, it goes with its process's folder.
        with contextlib.suppress(PermissionError):
            os.unlink(self.file)
        self.columns, self.file = dict(zip(self.columns, columns, strict=True)), None

    def _require_room(self) -> None:
        column = next(iter(self.columns.values()), None)
        if column is not None and len(self.columns) * column.shape[-1] > MAX_ENTRIES:
            raise TooLargeError(
                f"the channel has more than {MAX_ENTRIES} entries; take fewer cells or records"
            )

    @property
    def outputs(self) -> tuple[Output, ...]:
        """What may be released, in ascending order."""
        return tuple(sorted(self.columns, key=_order))

    @property
    def roundings(self) -> int:
        """Relative error of every entry in units of 2^-53: of a product, and of the sum."""
        return self.operations + max(self.terms.values())

    def matrix(self) -> Any:
        """The columns side by side, in the order of the outputs."""
        columns = [self.columns[output] for output in self.outputs]
        whole = np.empty((*columns[0].shape, len(columns)), columns[0].dtype)
        # A column alone would touch every line of memory for one number.
        for start in range(0, len(columns), BLOCK):
            part = np.stack(columns[start : start + BLOCK])
            whole[..., start : start + BLOCK] = np.moveaxis(part, 0, -1)
        return whole

    def enumerated(self, channel: Channel) -> Enumerated:
        """The channel made of it, with what was met on the way."""
        ledgers, count = frozenset(self.ledgers), sum(self.terms.values())
        return Enumerated(channel, ledgers, count, self.tree)


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
    tree: bool = False,
) -> Enumerated:
    """The channel of a program on an enumerated instance.

    ``databases``: the rows to enumerate; all of ``size`` records (0 to that
    many where n is private; the setting's size unless given) by default.
    ``budget``: what the curator of a release would refuse, refused here too.
    ``exact``: exact chances instead of doubles. ``jobs``: processes. ``tree``: keep all questions.

    Raises TooLargeError, naming the widest event, above the caps of
    `synthesizers.enumeration`; ProtocolError for a program that breaks the
    curator's protocol.

    Guarantee
    ---------
    Each entry is the sum over transcripts of products of exact chances, with
    the relative error of the doubles counted: one rounding a product and one a
    sum. Backed by ``tests/audit/channels/test_enumerate.py``.
    """
    if databases is None:
        if size is None:
            size = setting.require_rows() if setting.records is None else setting.records
        databases = instance(setting, size)
    work = _Work(program, setting, databases, released, jobs, progress, budget, tree)
    name = setting.domain, setting.neighbours, databases.rows
    if exact:
        whole = work.collect(ExactArithmetic())
        channel = Channel.of_exact(*name, whole.outputs, whole.matrix(), released)
        return whole.enumerated(channel)
    try:
        whole = work.collect(FloatArithmetic())
        channel = Channel.of_floats(*name, whole.outputs, whole.matrix(), whole.roundings, released)
    except BelowDoublesError:
        whole = work.collect(ScaledArithmetic())
        mantissas, exponents = normalise(whole.matrix().swapaxes(0, 1)).swapaxes(0, 1)
        exponents = np.where(mantissas == 0, 0, exponents).astype(np.int32)
        powers = Powers(mantissas, exponents, gamma(whole.roundings))
        channel = Channel.of_powers(*name, whole.outputs, powers, released)
    return whole.enumerated(channel)


@dataclass(frozen=True)
class _Work:
    """An enumeration, before it is known how its chances are held."""

    program: Program
    setting: Setting
    databases: Databases
    released: str
    jobs: int
    progress: Progress | None
    budget: Budget | None
    tree: bool

    def collect(self, arithmetic: Arithmetic) -> Collected:
        """All transcripts, summed by what is released."""
        work = plan(self.program, self.setting, self.databases, self.budget)
        work.require(arithmetic.cap)
        self._tell(0, work.transcripts)
        whole = self._whole(arithmetic, work)
        require_same_afresh(self.program, self.setting, self.budget, whole.chosen)
        return whole

    def _whole(self, arithmetic: Arithmetic, work: Plan) -> Collected:
        opening = opening_question(self.program, self.setting, self.budget)
        count = first_outcomes(opening, self.databases)
        if work.transcripts < PARALLEL_FROM or count < 2:

            def tell(done: int) -> None:
                self._tell(done, work.transcripts)

            return self._part(arithmetic, range(count), opening, REPLAYS, tell)
        whole = self._nothing(arithmetic)
        firsts = parts_of(count)
        quiet = replace(self, progress=None)
        calls = [(arithmetic, first, opening, REPLAYS // len(firsts), None) for first in firsts]
        seconds = work.transcripts * LEAST_SECONDS
        parts = divide(self.jobs, quiet._part, quiet._part_in_file, calls, seconds)
        for done, part in enumerate(parts, start=1):
            whole.merge(part)
            self._tell(work.transcripts * done // len(firsts), work.transcripts)
        return whole

    def _nothing(self, arithmetic: Arithmetic) -> Collected:
        return Collected(arithmetic, tree={} if self.tree else None)

    def _tell(self, done: int, of: int) -> None:
        if self.progress is not None:
            self.progress(done, of)

    def _part_in_file(self, *arguments: Any) -> Collected:
        """A part for another process."""
        part = self._part(*arguments)
        part.write_columns()
        return part

    def _part(
        self,
        arithmetic: Arithmetic,
        first: range,
        opening: Event | None,
        replays: int,
        progress: Callable[[int], None] | None,
    ) -> Collected:
        part = self._nothing(arithmetic)
        released = outputs_of if self.released == "output" else transcripts_of
        ledger: tuple[Event, ...] | None = None
        again = isinstance(self.program, PlayedElsewhere)
        done = 0
        listing = Listing(
            self.program,
            self.setting,
            self.databases,
            arithmetic,
            self.budget,
            first,
            opening,
            replays,
        )
        for block in blocks(listing, progress):
            part.add(released(block), block.chances)
            if part.tree is not None:
                before = block.stem.outcomes
                part.tree |= {before[:at]: event for at, event in enumerate(block.stem.ledger)}
            if again:
                coins = os.urandom(len(block.lasts))
                part.chosen += [
                    block.leaf(place).played
                    for place, coin in enumerate(coins)
                    if done + place < replays or coin % SHARE == 0
                ]
                done += len(coins)
            if block.stem.ledger is not ledger:
                ledger = block.stem.ledger
                part.operations = max(part.operations, block.stem.operations)
                if len(part.ledgers) < MAX_LEDGERS:
                    part.ledgers.add(ledger)
        return part


def parts_of(count: int) -> list[range]:
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
