"""Tables larger than memory: counted part by part, in this process, in others or on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import pandas as pd

from audit.parallel import Map, here
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

MOST_BYTES_ELSEWHERE = 2**27
"""That of a pass whose parts are counted elsewhere: the counts of several parts are then held."""

CHUNK = 1_000_000
"""The records of one part of a file, unless told otherwise."""

Part = pd.DataFrame | Callable[[], pd.DataFrame]
"""Some of the records, or what reads them wherever it is called."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The records of a table that is never in memory whole.

    ``parts`` gives its parts, each time from the first. ``share`` says where they are read, if
    they are not yet, coded and counted: by default in this process, one after the other. The
    table is gone through once for the number of records and the codes that occur, and once for
    the counts of all marginals that are asked for together, as long as these fit
    ``MOST_BYTES_A_PASS``, or ``MOST_BYTES_ELSEWHERE``. Values are matched as ``read_records``
    does, and with the same ``outside``. Metrics that look at records one by one cannot be taken
    of it.

    Raises ``InputError``, when parts are read, for what ``of_frame`` refuses and for a file that
    cannot be read; and whatever ``share`` raises.
    """

    parts: Callable[[], Iterable[Part]]
    domain: Domain
    outside: Outside = "refuse"
    share: Map = here

    @classmethod
    def of_file(
        cls,
        path: str | Path,
        domain: Domain,
        rows: int = CHUNK,
        outside: Outside = "refuse",
        share: Map = here,
    ) -> Self:
        """A CSV or Parquet file, read here ``rows`` at a time; or a folder of Parquet files.

        Each file of a folder is a part, and read where it is counted: all workers of a cluster
        must see the folder. Raises ``InputError`` unless ``rows`` is a positive integer, and for
        standard input, which can be read only once.
        """
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise InputError("the number of rows of a chunk must be a positive integer")
        if str(path) == "-":
            raise InputError("standard input cannot be read in chunks; store the table in a file")
        coded = _code(domain)
        if not Path(path).is_dir():
            return cls(lambda: table_frames(path, coded, rows), domain, outside, share)
        files = sorted(Path(path).rglob("*.parquet"))
        if not files:
            raise InputError(f"{path}: the folder has no file that ends in .parquet")
        return cls(lambda: [partial(_whole, file, coded) for file in files], domain, outside, share)

    @classmethod
    def of_dask(
        cls, table: Any, domain: Domain, outside: Outside = "refuse", share: Map = here
    ) -> Self:
        """A Dask data frame; its partitions are computed where they are counted.

        Raises ``InputError`` for anything else.
        """
        if not hasattr(table, "to_delayed"):
            raise InputError("a table in partitions must be a Dask data frame")
        dask: Any = import_module("dask")
        kept = table[[column for column in table.columns if str(column) in domain.names]]
        # Each partition by itself: else every worker was sent the work, or the data, of them all.
        alone = [dask.optimize(one)[0] for one in kept.to_delayed()]
        # A worker that handed its partition on to others could wait for itself.
        parts = [partial(one.compute, scheduler="synchronous") for one in alone]
        return cls(lambda: parts, domain, outside, share)

    def __repr__(self) -> str:
        """Return the domain alone: everything else is private."""
        return f"Parts(domain={self.domain.name!r})"

    def measure(self) -> None:
        """Go through the table once, unless that was done: its faults are found now, not later."""
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

        Raises ``InputError`` as reading the table does, ``TooLargeError`` for a
        marginal of 2**63 cells or more.
        """
        most = MOST_BYTES_A_PASS if self.share is here else MOST_BYTES_ELSEWHERE
        for together in passes(sets, self.domain, shape, self.records, most):
            total = [
                no_counts(marginal_shape(names, self.domain, shape), self.records)
                for names in together
            ]
            for part in self._each(_count, together, shape):
                total = [so_far + more for so_far, more in zip(total, part, strict=True)]
            yield from total

    @cached_property
    def _extent(self) -> tuple[int, tuple[int, ...]]:
        records, shape = 0, self.domain.shape
        for more, codes in self._each(_extent):
            records += more
            shape = tuple(map(max, shape, codes))
        if not records:
            raise InputError("the table has no records")
        return records, shape

    def _each(self, function: Callable[..., Any], *arguments: object) -> Iterator[Any]:
        """What a function says of each part, in the order of the parts."""
        domain = _code(self.domain)
        calls = ((part, domain, self.outside, *arguments) for part in self.parts())
        return self.share(function, calls)


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


def _code(domain: Domain) -> Domain:
    """The domain without persons: whose record each is could only be told over all parts."""
    return Domain(domain.name, domain.attributes)


def _whole(file: Path, domain: Domain) -> pd.DataFrame:
    """All records of one file, read by whoever counts them."""
    return next(table_frames(file, domain, None))


def _read(part: Part, domain: Domain, outside: Outside) -> Records:
    frame = part if isinstance(part, pd.DataFrame) else part()
    try:
        return of_frame(frame, domain, outside)
    except InputError as error:
        raise InputError(f"one part of the table: {error}") from error


def _extent(part: Part, domain: Domain, outside: Outside) -> tuple[int, tuple[int, ...]]:
    """The number of records of a part, and the codes of each attribute."""
    records = _read(part, domain, outside)
    return records.records, records.shape


def _count(
    part: Part,
    domain: Domain,
    outside: Outside,
    sets: tuple[Attributes, ...],
    shape: tuple[int, ...],
) -> list[Counts]:
    """The counts of a part."""
    return list(count_records(_read(part, domain, outside).codes, domain, sets, shape))
