"""Tables larger than memory: counted from a file that is read some records at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from audit.utility.counts import (
    Attributes,
    Counts,
    count_records,
    marginal_shape,
    most_bytes,
    no_counts,
)
from audit.utility.records import Outside, Records, of_frame
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.tables import table_frames

MOST_BYTES_A_PASS = 2**30
"""The most memory for the counts of one pass over a table: more marginals take several."""


@dataclass(frozen=True, eq=False)
class Chunks:
    """The records of a CSV or Parquet file, of which at most ``rows`` are in memory at a time.

    The file is read once for the number of records and the codes that occur, and once
    for the counts of all marginals that are asked for together, as long as these fit
    ``MOST_BYTES_A_PASS``. Values are matched as ``read_records`` does, and with the
    same ``outside``. Metrics that look at records one by one cannot be taken of it.

    Raises ``InputError`` unless ``rows`` is a positive integer; and, when the file is
    read, for what ``read_records`` refuses.
    """

    path: str | Path
    domain: Domain
    rows: int = 1_000_000
    outside: Outside = "refuse"

    def __post_init__(self) -> None:
        """Refuse chunks without records, and a table that can be read only once."""
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 1:
            raise InputError("the number of rows of a chunk must be a positive integer")
        if str(self.path) == "-":
            raise InputError("standard input cannot be read in chunks; store the table in a file")

    def __repr__(self) -> str:
        """Return the domain alone: everything else is private."""
        return f"Chunks(domain={self.domain.name!r})"

    def measure(self) -> None:
        """Go through the file once, unless that was done: its faults are found now, not later."""
        assert self._extent

    @property
    def records(self) -> int:
        """The number of records."""
        return self._extent[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of codes of each attribute, the one for values outside it included."""
        return self._extent[1]

    def counts(self, sets: tuple[Attributes, ...], shape: tuple[int, ...]) -> Iterator[Counts]:
        """The counts of each set of attributes, in their order; ``shape`` codes an attribute.

        Raises ``InputError`` as reading the file does, ``TooLargeError`` for a
        marginal of 2**63 cells or more.
        """
        for together in passes(sets, self.domain, shape, self.records, MOST_BYTES_A_PASS):
            total = empty_counts(together, self.domain, shape, self.records)
            for chunk in self._chunks():
                part = count_records(chunk.codes, self.domain, together, shape)
                total = [held + more for held, more in zip(total, part, strict=True)]
            yield from total

    @cached_property
    def _extent(self) -> tuple[int, tuple[int, ...]]:
        records, shape = 0, self.domain.shape
        for chunk in self._chunks():
            records += chunk.records
            shape = tuple(map(max, shape, chunk.shape))
        if not records:
            raise InputError(f"{self.path}: the table has no records")
        return records, shape

    def _chunks(self) -> Iterator[Records]:
        # Whose record each is could only be told over all chunks, and no count needs it.
        domain = Domain(self.domain.name, self.domain.attributes)
        for frame in table_frames(self.path, domain, self.rows):
            yield of_frame(frame, domain, self.outside)


def passes(
    sets: Sequence[Attributes],
    domain: Domain,
    shape: tuple[int, ...],
    records: int,
    most: int,
) -> Iterator[tuple[Attributes, ...]]:
    """The sets in their order, split so that the counts of each part fit ``most`` bytes.

    A part has at least one set. Raises ``TooLargeError`` before the first part if a
    marginal has 2**63 cells or more.
    """
    sizes = [math.prod(marginal_shape(names, domain, shape)) for names in sets]
    together: list[Attributes] = []
    held = 0
    for names, size in zip(sets, sizes, strict=True):
        needed = most_bytes(size, records)
        if together and held + needed > most:
            yield tuple(together)
            together, held = [], 0
        together.append(names)
        held += needed
    if together:
        yield tuple(together)


def empty_counts(
    sets: Sequence[Attributes], domain: Domain, shape: tuple[int, ...], records: int
) -> list[Counts]:
    """Empty counts of each set, to which those of the parts of a table are added."""
    return [no_counts(marginal_shape(names, domain, shape), records) for names in sets]
