"""Two tables side by side: their marginals, cell by cell."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.utility.counts import (
    Attributes,
    Counted,
    Counts,
    l1,
    marginal_shape,
    most_bytes,
    nonempty,
    order_attributes,
    union,
)
from audit.utility.records import Records, of_dataset, of_frame, read_records
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError

Source = Counted | Dataset | pd.DataFrame | str | Path
"""What a table may be handed over as; a text is the path of a CSV or Parquet file."""

MAX_HELD = 2**29
"""The most bytes of counts that are held of one table for further metrics."""


class NeedsRecords(InputError):
    """A metric looks at records one by one, and a table is only counted."""


@dataclass(frozen=True, eq=False)
class Marginal:
    """The counts of both tables over a set of attributes, the last one fastest.

    ``counts`` are those of the real and of the synthetic table, and ``records`` the
    records of each. Cell by cell they are lined up when they are first asked for:
    ``cells`` [m], ascending, are those in which one of the two has records, and
    ``real`` and ``synthetic`` [m] how many.
    """

    attributes: Attributes
    counts: tuple[Counts, Counts]
    records: tuple[int, int]

    @property
    def shape(self) -> tuple[int, ...]:
        """The codes of each attribute."""
        return self.counts[0].shape

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """The numbers [m] of the cells with records."""
        real, synthetic = self.counts
        if real.cells is not None and synthetic.cells is not None:
            return union(real.cells, synthetic.cells)
        return nonempty(real.full(), synthetic.full())

    @cached_property
    def real(self) -> NDArray[np.int64]:
        """The real records [m] in each of ``cells``."""
        return self.counts[0].at(self.cells)

    @cached_property
    def synthetic(self) -> NDArray[np.int64]:
        """The synthetic records [m] in each of ``cells``."""
        return self.counts[1].at(self.cells)

    @property
    def size(self) -> int:
        """The number of cells, those without records included."""
        return math.prod(self.shape)

    @property
    def differences(self) -> NDArray[np.float64]:
        """Share in the synthetic table minus share in the real one [m]."""
        return self.synthetic / self.records[1] - self.real / self.records[0]

    def total_variation(self) -> float:
        """Half the L1 distance of the two normalised marginals, in [0, 1].

        It is summed in whole numbers and rounded once, so that neither the order of
        the cells nor how they are held shows in it.
        """
        real, synthetic = self.counts
        if real.cells is None and synthetic.cells is None:
            apart = l1(real.counts, synthetic.counts, self.records)
        else:
            apart = l1(self.real, self.synthetic, self.records)
        return apart / (2 * self.records[0] * self.records[1])

    def codes(self, attribute: str) -> NDArray[np.int64]:
        """The code of one attribute in each cell [m]."""
        axis = self.attributes.index(attribute)
        inner = math.prod(self.shape[axis + 1 :])
        return self.cells // inner % self.shape[axis]

    def tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both contingency tables in full, of ``shape``."""
        real, synthetic = self.counts
        return _table(real), _table(synthetic)


def _table(counts: Counts) -> NDArray[np.int64]:
    return counts.full().astype(np.int64).reshape(counts.shape)


class HeldCounts:
    """The counts of one table, each counted once while there is room to hold them.

    At most ``MAX_HELD`` bytes are held. What does not fit is counted again whenever
    it is read, so that memory stays bounded however many marginals are asked for.
    """

    def __init__(self, table: Counted, shape: tuple[int, ...] | None = None) -> None:
        """``shape``: the codes an attribute of all tables that this one is compared with."""
        self.table = table
        self.shape = table.shape if shape is None else shape
        self._held: dict[Attributes, Counts] = {}
        self._bytes = 0

    def count(self, sets: Iterable[Attributes]) -> None:
        """Count in one pass what is not held yet, as long as there is room for it."""
        wanted, room = [], MAX_HELD - self._bytes
        for names in dict.fromkeys(sets):
            if names not in self._held:
                room -= self._most_bytes(names)
                if room < 0:
                    break
                wanted.append(names)
        for names, counts in zip(wanted, self.read(wanted), strict=True):
            self._hold(names, counts)

    def read(self, sets: Sequence[Attributes]) -> Iterator[Counts]:
        """The counts of each set, in their order; one pass for all that are not held."""
        missing = deque(dict.fromkeys(names for names in sets if names not in self._held))
        counted = self.table.counts(tuple(missing), self.shape)
        for names in sets:
            if missing and missing[0] == names:
                missing.popleft()
                yield next(counted)
            else:
                yield self[names]

    def __getitem__(self, names: Attributes) -> Counts:
        held = self._held.get(names)
        if held is None:
            (held,) = self.table.counts((names,), self.shape)
            self._hold(names, held)
        return held

    def _most_bytes(self, names: Attributes) -> int:
        size = math.prod(marginal_shape(names, self.table.domain, self.shape))
        return most_bytes(size, self.table.records)

    def _hold(self, names: Attributes, counts: Counts) -> None:
        if names not in self._held and self._bytes + counts.bytes <= MAX_HELD:
            self._held[names] = counts
            self._bytes += counts.bytes


@dataclass(frozen=True, eq=False)
class Pair:
    """A real and a synthetic table over one domain. Raises ``InputError`` if they do not fit."""

    real: HeldCounts
    synthetic: HeldCounts

    def __post_init__(self) -> None:
        """Refuse tables over different domains, or empty ones."""
        if self.real.table.domain != self.synthetic.table.domain:
            raise InputError("the real and the synthetic table must have the same domain")
        if self.real.shape != self.synthetic.shape:
            raise InputError("both tables must be counted over the same codes")
        for what, held in (("real", self.real), ("synthetic", self.synthetic)):
            if not held.table.records:
                raise InputError(f"the {what} table has no records")

    @classmethod
    def of(cls, real: Source, synthetic: Source, domain: Domain) -> Pair:
        """Both tables, read and coded over ``domain`` where they are not yet."""
        tables = _count(real, domain), _count(synthetic, domain)
        shape = common_shape(tables)
        return cls(HeldCounts(tables[0], shape), HeldCounts(tables[1], shape))

    @property
    def domain(self) -> Domain:
        """What both tables may hold."""
        return self.real.table.domain

    @property
    def records(self) -> tuple[int, int]:
        """The numbers of records, real and synthetic."""
        return self.real.table.records, self.synthetic.table.records

    @cached_property
    def tables(self) -> tuple[Records, Records]:
        """Both tables record by record; ``NeedsRecords`` for one that is only counted in chunks."""
        real, synthetic = self.real.table, self.synthetic.table
        if isinstance(real, Records) and isinstance(synthetic, Records):
            return real, synthetic
        raise NeedsRecords(
            "this metric looks at records one by one, and a table is only counted in chunks; read "
            "it whole, or leave the metric out"
        )

    def count(self, sets: Iterable[Attributes]) -> None:
        """Count what several metrics will ask for, in one pass over each table."""
        wanted = tuple(sets)
        self.real.count(wanted)
        self.synthetic.count(wanted)

    def marginal(self, attributes: Sequence[str]) -> Marginal:
        """The marginal over the attributes, which may be named in any order."""
        names = order_attributes(attributes, self.domain)
        return Marginal(names, (self.real[names], self.synthetic[names]), self.records)

    def marginals(self, sets: Iterable[Sequence[str]]) -> Iterator[Marginal]:
        """The marginals over several sets, in their order, counted in one pass.

        They are handed on and not held, unless ``count`` was asked to.
        """
        wanted = [order_attributes(names, self.domain) for names in sets]
        both = zip(self.real.read(wanted), self.synthetic.read(wanted), strict=True)
        for names, counts in zip(wanted, both, strict=True):
            yield Marginal(names, counts, self.records)


def common_shape(tables: Sequence[Counted]) -> tuple[int, ...]:
    """The number of codes of each attribute over all tables."""
    return tuple(map(max, zip(*(table.shape for table in tables), strict=True)))


def _count(source: Source, domain: Domain) -> Counted:
    if isinstance(source, Dataset):
        table: Counted = of_dataset(source)
    elif isinstance(source, pd.DataFrame):
        table = of_frame(source, domain)
    elif isinstance(source, str | Path):
        table = read_records(source, domain)
    else:
        table = source
    if table.domain != domain:
        raise InputError("a table is coded over another domain than the one given")
    return table
