"""Counts of records over sets of attributes, the raw material of most metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError, rounded_count

Attributes = tuple[str, ...]
"""Distinct attributes of a domain, in the domain's order: one marginal."""

DENSE_CELLS = 2**16
"""Up to so many cells every count is held, however few the records."""

CELLS_A_RECORD = 32
"""Up to so many cells a record every count is held: about there, going over the cells takes as
long as sorting the records (measured on tables of 100,000 to 300,000)."""

MOST_DENSE_CELLS = 2**23
"""Beyond so many cells, 32 megabytes, only those with records are held."""

_BLOCK = 2**16
"""Cells looked at together: their counts stay in a core's own cache."""


@dataclass(frozen=True, eq=False)
class Counts:
    """The records in each cell of a marginal of ``shape``, the last attribute fastest.

    ``counts`` [cells] are those of all cells; or, with ``cells``, of these alone, in
    ascending order, and every other cell is empty. Which of the two is chosen for
    speed, by the size of the marginal and the number of records (``is_dense``).
    Adding two gives the counts of both tables together.
    """

    shape: tuple[int, ...]
    counts: NDArray[np.integer]
    cells: NDArray[np.int64] | None = None

    def __add__(self, other: Counts) -> Counts:
        """The counts of two tables put together; ``InputError`` for different marginals."""
        if self.shape != other.shape:
            raise InputError("counts of different marginals cannot be added")
        if self.cells is not None and other.cells is not None:
            cells = union(self.cells, other.cells)
            return Counts(self.shape, self.at(cells) + other.at(cells), cells)
        if self.cells is not None:
            return other + self
        if other.cells is None:
            return Counts(self.shape, np.add(self.counts, other.counts, dtype=np.int64))
        total = self.counts.astype(np.int64)
        total[other.cells] += other.counts
        return Counts(self.shape, total)

    @property
    def size(self) -> int:
        """The number of cells, those without records included."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The memory that is held."""
        return self.counts.nbytes + (0 if self.cells is None else self.cells.nbytes)

    def at(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts [m] of ``cells`` [m], which ascend and include every cell with records."""
        if self.cells is None:
            return self.counts[cells].astype(np.int64)
        counts = np.zeros(len(cells), dtype=np.int64)
        counts[np.searchsorted(cells, self.cells)] = self.counts
        return counts

    def full(self) -> NDArray[np.integer]:
        """The counts of all cells [size]."""
        if self.cells is None:
            return self.counts
        counts = np.zeros(self.size, dtype=np.int64)
        counts[self.cells] = self.counts
        return counts


def no_counts(shape: tuple[int, ...], records: int) -> Counts:
    """Empty counts, held as those of so many records are: what parts are added to."""
    none = np.zeros(0, dtype=np.int64)
    if is_dense(math.prod(shape), records):
        return Counts(shape, np.zeros(math.prod(shape), dtype=np.int64))
    return Counts(shape, none, none)


class Counted(Protocol):
    """A table that can be counted, wherever its records are."""

    @property
    def domain(self) -> Domain:
        """What the table may hold."""

    @property
    def records(self) -> int:
        """The number of records."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of codes of each attribute, the one for values outside it included."""

    def counts(self, sets: tuple[Attributes, ...], shape: tuple[int, ...]) -> Iterator[Counts]:
        """The counts of each set of attributes, in their order; ``shape`` codes an attribute."""


def order_attributes(attributes: Sequence[str], domain: Domain) -> Attributes:
    """The attributes in the domain's order.

    Raises ``InputError`` if there is none, one is unknown or named twice.
    """
    if not attributes:
        raise InputError("a marginal needs at least one attribute")
    positions = [domain.position(name) for name in attributes]
    if len(set(positions)) < len(positions):
        raise InputError(f"the marginal {' × '.join(attributes)} names an attribute twice")
    return tuple(domain.names[position] for position in sorted(positions))


def marginal_shape(
    attributes: Attributes, domain: Domain, shape: tuple[int, ...]
) -> tuple[int, ...]:
    """The codes of each attribute of a marginal, of the ``shape`` codes of all attributes.

    Raises ``TooLargeError`` for a marginal of 2**63 cells or more.
    """
    sizes = tuple(shape[domain.position(name)] for name in attributes)
    size = math.prod(sizes)
    if size >= 2**63:
        raise TooLargeError(
            f"the marginal {' × '.join(attributes)} has {rounded_count(size)} cells and fewer than "
            "2**63 can be numbered; take fewer attributes"
        )
    return sizes


def is_dense(size: int, records: int) -> bool:
    """Whether all cells are counted, and not only those with records."""
    return size <= min(max(DENSE_CELLS, CELLS_A_RECORD * records), MOST_DENSE_CELLS)


def most_bytes(size: int, records: int) -> int:
    """The most memory that counts of so many records in a marginal of ``size`` cells hold."""
    return 8 * size if is_dense(size, records) else 16 * min(size, records)


def count_records(
    codes: NDArray[np.int64],
    domain: Domain,
    sets: tuple[Attributes, ...],
    shape: tuple[int, ...],
) -> Iterator[Counts]:
    """The counts of records [n, d] over each set of attributes, in their order.

    Fastest for sets of which neighbours differ in their last attribute alone. Every
    code must lie below ``shape``. Raises ``TooLargeError`` for a marginal of 2**63
    cells or more.
    """
    # Four bytes a number are added up, and sorted, in half the time of eight.
    small = np.dtype(np.int32 if len(codes) < 2**31 else np.int64)
    columns: dict[str, NDArray[np.integer]] = {}
    ones = np.ones(len(codes), dtype=small)
    known: Attributes = ()
    leading: NDArray[np.integer] = np.zeros(len(codes), dtype=np.int32)
    for attributes in sets:
        sizes = marginal_shape(attributes, domain, shape)
        kind = np.dtype(np.int32 if math.prod(sizes) < 2**31 else np.int64)
        for name in attributes:
            if name not in columns:
                columns[name] = codes[:, domain.position(name)].astype(np.int32)
        if attributes[:-1] != known or leading.dtype != kind:
            known = attributes[:-1]
            leading = np.zeros(len(codes), dtype=kind)
            for name, size in zip(known, sizes, strict=False):
                leading *= kind.type(size)
                leading += columns[name]
        yield _count(leading, columns[attributes[-1]], ones, sizes)


def nonempty(first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.int64]:
    """The cells, ascending, in which one of two counts [cells] is positive."""
    found = [
        start + np.flatnonzero((first[start : start + _BLOCK] | second[start : start + _BLOCK]) > 0)
        for start in range(0, len(first), _BLOCK)
    ]
    return np.concatenate(found)


def l1(first: NDArray[np.integer], second: NDArray[np.integer], records: tuple[int, int]) -> int:
    """The L1 distance of two normalised counts [m], times the records of both, exactly.

    That is the sum of ``|records[0]·second - records[1]·first|``.
    """
    common = math.gcd(*records)
    weights = records[0] // common, records[1] // common
    if weights[0] * records[1] >= 2**62:
        exact = zip(map(int, first), map(int, second), strict=True)
        return common * sum(abs(weights[0] * b - weights[1] * a) for a, b in exact)
    total = 0
    for start in range(0, len(first), _BLOCK):
        parts = second[start : start + _BLOCK], first[start : start + _BLOCK]
        if weights == (1, 1):
            apart = parts[0] - parts[1]
        else:
            apart = parts[0] * np.int64(weights[0]) - parts[1] * np.int64(weights[1])
        total += int(np.abs(apart, out=apart).sum(dtype=np.int64))
    return common * total


def union(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cells in either of two ascending lists, ascending."""
    # A stable sort finds the two ascending runs and merges them.
    both = np.sort(np.concatenate((first, second)), kind="stable")
    return both[_starts(both)]


def _count(
    leading: NDArray[np.integer],
    last: NDArray[np.integer],
    ones: NDArray[np.integer],
    shape: tuple[int, ...],
) -> Counts:
    """The counts of records by the cell of their leading attributes and the code of the last."""
    size, inner = math.prod(shape), shape[-1]
    if is_dense(size, len(last)):
        # Twice as fast as np.bincount: it adds in a single loop, to four bytes a cell.
        table = coo_array((ones, (leading, last)), shape=(size // inner, inner)).toarray()
        return Counts(shape, table.ravel())
    cells = leading * leading.dtype.type(inner)
    cells += last
    cells.sort()
    starts = _starts(cells)
    counts = np.diff(starts, append=len(cells))
    return Counts(shape, counts, cells[starts].astype(np.int64, copy=False))


def _starts(keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where the runs of equal keys begin, in ascending keys."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    return np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
