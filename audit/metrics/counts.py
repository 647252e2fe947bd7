"""Counts of records over sets of attributes, the raw material of most metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError, rounded_count

Attributes = tuple[str, ...]
"""Distinct attributes of a domain, in the domain's order: one marginal."""

DENSE_CELLS = 2**18
"""Up to so many cells every count is held; above, those of the cells that have records."""


@dataclass(frozen=True, eq=False)
class Counts:
    """The records in each cell of a marginal of ``shape``, the last attribute fastest.

    ``counts`` [cells] are those of all cells, or of ``cells``, ascending, if the
    marginal has more than ``DENSE_CELLS``. Which of the two depends on the shape
    alone. Adding two gives the counts of both tables together.
    """

    shape: tuple[int, ...]
    counts: NDArray[np.int64]
    cells: NDArray[np.int64] | None = None

    def __add__(self, other: Counts) -> Counts:
        """The counts of two tables put together."""
        if self.shape != other.shape:
            raise InputError("counts of different marginals cannot be added")
        if self.cells is None or other.cells is None:
            return Counts(self.shape, self.counts + other.counts)
        cells = np.union1d(self.cells, other.cells)
        counts = np.zeros(len(cells), dtype=np.int64)
        counts[np.searchsorted(cells, self.cells)] += self.counts
        counts[np.searchsorted(cells, other.cells)] += other.counts
        return Counts(self.shape, counts, cells)


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


def ordered(attributes: Sequence[str], domain: Domain) -> Attributes:
    """The attributes in the domain's order.

    Raises ``InputError`` if one is unknown or named twice.
    """
    positions = [domain.position(name) for name in attributes]
    if len(set(positions)) < len(positions):
        raise InputError(f"the marginal {' × '.join(attributes)} names an attribute twice")
    return tuple(domain.names[position] for position in sorted(positions))


def count_records(
    codes: NDArray[np.int64],
    domain: Domain,
    sets: tuple[Attributes, ...],
    shape: tuple[int, ...],
) -> Iterator[Counts]:
    """The counts of records [n, d] over each set of attributes, in their order.

    Raises ``TooLargeError`` for a marginal of 2**63 cells or more.
    """
    for attributes in sets:
        columns = [domain.position(name) for name in attributes]
        yield _counted([codes[:, c] for c in columns], tuple(shape[c] for c in columns), attributes)


def _counted(
    columns: list[NDArray[np.int64]], shape: tuple[int, ...], attributes: Attributes
) -> Counts:
    size = math.prod(shape)
    if size >= 2**63:
        raise TooLargeError(
            f"the marginal {' × '.join(attributes)} has {rounded_count(size)} cells and fewer than "
            "2**63 can be numbered; take fewer attributes"
        )
    cells = columns[0]
    for column, radix in zip(columns[1:], shape[1:], strict=True):
        cells = cells * radix + column
    if size <= DENSE_CELLS:
        return Counts(shape, np.bincount(cells, minlength=size))
    found, counts = np.unique(cells, return_counts=True)
    return Counts(shape, counts.astype(np.int64, copy=False), found)
