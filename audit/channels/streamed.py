"""Channels too large to hold: every entry is made anew whenever it is looked at.

A program of one question whose output is that question's answer, in other words, has one column
an outcome, and the law of the question gives any few of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import BLOCK, UNIT_ROUNDOFF, gamma
from audit.channels.columns import Block, FloatArray, IntArray
from synthesizers.arithmetic import OutcomesAlone
from synthesizers.curator import Program, Setting
from synthesizers.domain import Domain
from synthesizers.enumeration import Listing, leaves, output_of, transcript_of
from synthesizers.errors import TooLargeError, rounded_count
from synthesizers.events import Coordinate, Databases, Event
from synthesizers.neighbours import Neighbours, neighbour_pairs

MAX_STREAMED = 2_000_000_000
"""The most entries of a streamed channel: some minutes of two cores (`benchmarks/streaming.py`
prints the rates)."""


@dataclass(frozen=True, eq=False)
class StreamedChannel:
    """A channel of one question, whose columns are made from the question's law.

    ``event``: the question, of a single coordinate; ``outputs``: what is released after each of
    its outcomes, all different. See `audit.channels.columns` for the rest.

    Guarantee
    ---------
    Its blocks hold the chances of the question's outcomes, within the error that its coordinate
    states. Backed by the comparison with the channel held whole in
    ``tests/audit/channels/test_streamed.py``.
    """

    listed: Databases
    neighbours: Neighbours
    event: Event
    outputs: tuple[tuple[Any, ...], ...]
    released: str

    @property
    def domain(self) -> Domain:
        """The domain of the databases."""
        return self.listed.domain

    @property
    def databases(self) -> IntArray:
        """Counts, [databases, cells]."""
        return self.listed.rows

    @property
    def exact(self) -> NDArray[np.object_] | None:
        """The exact chances are never computed."""
        return None

    @cached_property
    def pairs(self) -> IntArray:
        """The unordered pairs of neighbours, [pairs, 2] row numbers."""
        return neighbour_pairs(self.neighbours, self.databases)

    @cached_property
    def _coordinate(self) -> Coordinate:
        (coordinate,) = self.event.coordinates(self.listed)
        return coordinate

    @property
    def _error(self) -> float:
        return gamma(self._coordinate.error) + 4 * UNIT_ROUNDOFF

    def blocks(self) -> Iterator[Block]:
        """All columns in order, a few at a time."""
        return self.stretch(range(len(self.outputs)))

    def stretch(self, columns: range) -> Iterator[Block]:
        """Some successive columns, a few at a time."""
        everyone = np.arange(len(self.databases))
        for start in range(columns.start, columns.stop, BLOCK):
            part = slice(start, min(start + BLOCK, columns.stop))
            chances = np.ascontiguousarray(self._coordinate.part(part, everyone).T)
            yield Block(start, chances, chances, self._error)

    def rows(self, databases: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Enclosed chances of all outputs under some databases, two arrays [databases, outputs]."""
        chances = self._coordinate.part(slice(None), np.array(databases)).T
        error = self._error * (1 + 2 * self._error) + 4 * UNIT_ROUNDOFF
        return chances * (1 - error), chances * (1 + error)


def streamed_channel(
    program: Program, setting: Setting, databases: Databases, released: str
) -> StreamedChannel:
    """The streamed channel of a program.

    Raises TooLargeError where the program asks more than one question, where several answers
    lead to one output, or above `MAX_STREAMED` entries.
    """
    event: Event | None = None
    outputs: list[tuple[Any, ...]] = []
    choose = output_of if released == "output" else transcript_of
    for leaf in leaves(Listing(program, setting, databases, OutcomesAlone())):
        if event is None:
            event = _single(leaf.ledger, databases)
        elif leaf.ledger != (event,):
            raise TooLargeError("a program that asks more than one question is not streamed")
        outputs.append(choose(leaf))
    assert event is not None
    if len(set(outputs)) < len(outputs):
        raise TooLargeError("a program that gives one output for several answers is not streamed")
    return StreamedChannel(databases, setting.neighbours, event, tuple(outputs), released)


def _single(ledger: tuple[Event, ...], databases: Databases) -> Event:
    """The one question of a ledger, of one coordinate; raises TooLargeError."""
    if len(ledger) != 1 or len(ledger[0].coordinates(databases)) != 1:
        raise TooLargeError("only a program of one question with one answer is streamed")
    entries = ledger[0].width(databases) * len(databases.rows)
    if entries > MAX_STREAMED:
        raise TooLargeError(
            f"the channel has {rounded_count(entries)} entries, more than the {MAX_STREAMED} that "
            "are streamed; take fewer cells or records"
        )
    return ledger[0]
