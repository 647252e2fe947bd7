"""Two tables side by side: their marginals, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.metrics.counts import Attributes, Counted, Counts, ordered
from audit.metrics.records import Records, of_dataset, of_frame, read_records
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError

Source = Counted | Dataset | pd.DataFrame | str | Path
"""What a table may be handed over as; a text is the path of a CSV or Parquet file."""

MAX_HELD = 2**27
"""The most counts that are held for further metrics: one gigabyte."""


@dataclass(frozen=True, eq=False)
class Marginal:
    """The counts of both tables over a set of attributes, in every cell that has records.

    ``cells`` [m] ascend, numbered over ``shape`` with the last attribute fastest;
    ``real`` and ``synthetic`` [m] are their counts, one of the two positive, of
    ``records`` = (real, synthetic) in all.
    """

    attributes: Attributes
    shape: tuple[int, ...]
    cells: NDArray[np.int64]
    real: NDArray[np.int64]
    synthetic: NDArray[np.int64]
    records: tuple[int, int]

    @property
    def size(self) -> int:
        """The number of cells, those without records included."""
        return math.prod(self.shape)

    @property
    def differences(self) -> NDArray[np.float64]:
        """Share in the synthetic table minus share in the real one [m]."""
        return self.synthetic / self.records[1] - self.real / self.records[0]

    def total_variation(self) -> float:
        """Half the L1 distance of the two normalised marginals, in [0, 1]."""
        return min(float(np.abs(self.differences).sum()) / 2, 1.0)

    def codes(self, attribute: str) -> NDArray[np.int64]:
        """The code of one attribute in each cell [m]."""
        axis = self.attributes.index(attribute)
        inner = math.prod(self.shape[axis + 1 :])
        return self.cells // inner % self.shape[axis]

    def tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both contingency tables in full, of ``shape``."""
        full = np.zeros((2, self.size), dtype=np.int64)
        full[0, self.cells], full[1, self.cells] = self.real, self.synthetic
        return full[0].reshape(self.shape), full[1].reshape(self.shape)


class HeldCounts:
    """The counts of one table, each counted once while there is room to hold them."""

    def __init__(self, table: Counted, shape: tuple[int, ...] | None = None) -> None:
        """``shape``: the codes an attribute of all tables that this one is compared with."""
        self.table = table
        self.shape = table.shape if shape is None else shape
        self._held: dict[Attributes, Counts] = {}
        self._entries = 0

    def count(self, sets: Iterable[Attributes]) -> None:
        """Count in one pass what is not held yet."""
        wanted = tuple(dict.fromkeys(names for names in sets if names not in self._held))
        for names, counts in zip(wanted, self.table.counts(wanted, self.shape), strict=True):
            self._hold(names, counts)

    def __getitem__(self, names: Attributes) -> Counts:
        held = self._held.get(names)
        if held is None:
            (held,) = self.table.counts((names,), self.shape)
            self._hold(names, held)
        return held

    def _hold(self, names: Attributes, counts: Counts) -> None:
        entries = counts.counts.size * (1 if counts.cells is None else 2)
        if self._entries + entries <= MAX_HELD:
            self._held[names] = counts
            self._entries += entries


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
        tables = _counted(real, domain), _counted(synthetic, domain)
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
        """Both tables record by record; ``InputError`` for one that is only counted in chunks."""
        real, synthetic = self.real.table, self.synthetic.table
        if isinstance(real, Records) and isinstance(synthetic, Records):
            return real, synthetic
        raise InputError(
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
        names = ordered(attributes, self.domain)
        real, synthetic = self.real[names], self.synthetic[names]
        if real.cells is None or synthetic.cells is None:
            cells = np.flatnonzero(real.counts | synthetic.counts)
            aligned = real.counts[cells], synthetic.counts[cells]
        else:
            cells = np.union1d(real.cells, synthetic.cells)
            aligned = _spread(real, cells), _spread(synthetic, cells)
        return Marginal(names, real.shape, cells, *aligned, self.records)

    def marginals(self, sets: Iterable[Sequence[str]]) -> Iterator[Marginal]:
        """The marginals over several sets, in their order, counted in one pass."""
        wanted = [ordered(names, self.domain) for names in sets]
        self.count(wanted)
        for names in wanted:
            yield self.marginal(names)


def common_shape(tables: Sequence[Counted]) -> tuple[int, ...]:
    """The number of codes of each attribute over all tables."""
    return tuple(map(max, zip(*(table.shape for table in tables), strict=True)))


def _spread(counts: Counts, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    assert counts.cells is not None
    spread = np.zeros(len(cells), dtype=np.int64)
    spread[np.searchsorted(cells, counts.cells)] = counts.counts
    return spread


def _counted(source: Source, domain: Domain) -> Counted:
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
