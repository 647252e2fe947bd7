"""Tables on a Dask cluster: each partition is counted where it lies, and counts are merged.

The only module that needs Dask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pandas as pd

from audit.utility.chunks import empty_counts, passes
from audit.utility.counts import Attributes, Counts, count_records
from audit.utility.records import Outside, of_frame
from synthesizers.domain import Domain
from synthesizers.errors import InputError

_EXTRA = "tables on a cluster need Dask: pip install 'dp-audit[dask]', or read them in chunks"
MOST_BYTES_A_TASK = 2**27
"""The most memory for the counts of one partition, of which several are held at a time."""

_FAN_IN = 4
"""Partial counts that are added in one task."""

_Part = TypeVar("_Part")
_Extent = tuple[int, tuple[int, ...]]
"""The number of records and the codes of each attribute."""


@dataclass(frozen=True, eq=False)
class Distributed:
    """The records of a Dask data frame, or of a Parquet file or folder that Dask reads.

    Every partition is coded and counted by a worker, and the counts are added along a
    tree, so that no process holds more than a few partitions' counts. The table is
    gone through as ``Chunks`` does it: once for its extent, then once for all marginals
    that are asked for together while they fit one pass. Dask's own settings decide
    where the work is done. Metrics that look at records one by one cannot be taken of it.

    Raises ``InputError`` if Dask is absent or ``table`` is neither; when it is read,
    as ``of_frame`` and for a file that cannot be read.
    """

    table: Any
    domain: Domain
    outside: Outside = "refuse"

    def __post_init__(self) -> None:
        """Refuse what is no Dask data frame, and columns that do not fit the domain."""
        _, frames = _dask()
        table = self.table
        if isinstance(table, str | Path):
            try:
                table = frames.read_parquet(str(table))
            except (OSError, ValueError) as error:
                raise InputError(
                    f"{table} cannot be read as Parquet; check that the files are there and whole"
                ) from error
        if not isinstance(table, frames.DataFrame):
            raise InputError("a table on a cluster must be a Dask data frame or a Parquet path")
        names = [str(name) for name in table.columns]
        for name in self.domain.names:
            if names.count(name) != 1:
                raise InputError(
                    f"the table must have one column {name!r}, found {names.count(name)}"
                )
        wanted = [column for column in table.columns if str(column) in self.domain.names]
        object.__setattr__(self, "table", table[wanted])

    def __repr__(self) -> str:
        """Return the domain alone: everything else is private."""
        return f"Distributed(domain={self.domain.name!r})"

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
        for together in passes(sets, self.domain, shape, self.records, MOST_BYTES_A_TASK):
            part = _Counting(self._coded, self.outside, together, shape, self.records)
            yield from self._merged(part, _added)

    @cached_property
    def _extent(self) -> _Extent:
        found = self._merged(_Extents(self._coded, self.outside), _joined)
        if not found[0]:
            raise InputError("the table has no records")
        return found

    @property
    def _coded(self) -> Domain:
        # Whose record each is could only be told over all partitions, and no count needs it.
        return Domain(self.domain.name, self.domain.attributes)

    def _merged(
        self, part: Callable[[pd.DataFrame], _Part], join: Callable[[Sequence[_Part]], _Part]
    ) -> _Part:
        """``part`` of every partition, joined along a tree."""
        dask, _ = _dask()
        # Dask shall neither look for work inside the domain, nor hash what it is handed.
        work = dask.delayed(part, pure=False, traverse=False)
        level = [work(frame) for frame in self.table.to_delayed()]
        while len(level) > 1:
            groups = [level[start : start + _FAN_IN] for start in range(0, len(level), _FAN_IN)]
            level = [dask.delayed(join, pure=False)(group) for group in groups]
        found: _Part = level[0].compute()
        return found


@dataclass(frozen=True)
class _Extents:
    """The extent of a partition."""

    domain: Domain
    outside: Outside

    def __call__(self, frame: pd.DataFrame) -> _Extent:
        records = of_frame(frame, self.domain, self.outside)
        return records.records, records.shape


@dataclass(frozen=True)
class _Counting:
    """The counts of a partition of a table of so many ``records``."""

    domain: Domain
    outside: Outside
    sets: tuple[Attributes, ...]
    shape: tuple[int, ...]
    records: int

    def __call__(self, frame: pd.DataFrame) -> list[Counts]:
        codes = of_frame(frame, self.domain, self.outside).codes
        parts = count_records(codes, self.domain, self.sets, self.shape)
        # Held as the counts of the whole table will be, so that sums stay of that form.
        none = empty_counts(self.sets, self.domain, self.shape, self.records)
        return [total + part for total, part in zip(none, parts, strict=True)]


def _joined(extents: Sequence[_Extent]) -> _Extent:
    records = sum(count for count, _ in extents)
    return records, tuple(map(max, zip(*(shape for _, shape in extents), strict=True)))


def _added(parts: Sequence[list[Counts]]) -> list[Counts]:
    totals = parts[0]
    for part in parts[1:]:
        totals = [total + more for total, more in zip(totals, part, strict=True)]
    return totals


def _dask() -> tuple[ModuleType, ModuleType]:
    try:
        import dask
        import dask.dataframe
    except ImportError as error:
        raise InputError(_EXTRA) from error
    return dask, dask.dataframe
