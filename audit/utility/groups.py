"""Records split into groups by some attributes, in the order of their values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import value_labels
from audit.utility.pair import Marginal, Pair
from audit.utility.score import Breakdown, Entry
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.numerals import is_decimal

_LOOKED_UP = 2**20


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups with records in either table, in the order of their ascending values.

    ``cells`` [G] ascend: the numbers of the groups over ``shape``, the last of
    ``names`` fastest, each value numbered by its rank. ``real`` and ``synthetic``
    [G] are their records. Without names there is one group, of all records.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...]
    ranks: Mapping[str, NDArray[np.int64]]
    cells: NDArray[np.int64]
    real: NDArray[np.int64]
    synthetic: NDArray[np.int64]

    @classmethod
    def of(cls, pair: Pair, names: Sequence[str]) -> Groups:
        """The groups of both tables by the attributes ``names``."""
        ranks = {name: ascending(pair.domain.attribute(name)) for name in pair.domain.names}
        shape = tuple(pair.real.shape[pair.domain.position(name)] for name in names)
        if not names:
            one = np.zeros(1, dtype=np.int64)
            return cls((), (), ranks, one, *(one + records for records in pair.records))
        marginal = pair.marginal(names)
        numbers = number_cells(marginal, names, ranks)
        order = np.argsort(numbers)
        return cls(
            tuple(names),
            shape,
            ranks,
            numbers[order],
            marginal.real[order],
            marginal.synthetic[order],
        )

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def one_sided(self) -> NDArray[np.bool_]:
        """Whether a group has records in one table only [G]."""
        alone: NDArray[np.bool_] = (self.real == 0) | (self.synthetic == 0)
        return alone

    def places(self, marginal: Marginal) -> NDArray[np.int64]:
        """The group [m] of each cell of a marginal over these and further attributes."""
        if not self.names:
            return np.zeros(len(marginal.cells), dtype=np.int64)
        numbers = number_cells(marginal, self.names, self.ranks)
        size = math.prod(self.shape)
        if size > _LOOKED_UP:
            return np.searchsorted(self.cells, numbers)
        lookup = np.empty(size, dtype=np.int64)
        lookup[self.cells] = np.arange(len(self.cells))
        return lookup[numbers]

    def labels(self, domain: Domain) -> tuple[str, ...]:
        """What each group is called [G]: its values, joined by commas."""
        columns, rest = [], self.cells
        for name, size in zip(reversed(self.names), reversed(self.shape), strict=True):
            rest, ranks = np.divmod(rest, size)
            codes = np.argsort(self.ranks[name])[ranks]
            texts = value_labels(domain, name)
            columns.append([texts[code] for code in codes])
        return tuple(", ".join(reversed(values)) for values in zip(*columns, strict=True))

    def breakdown(self, domain: Domain, scores: NDArray[np.float64]) -> Breakdown:
        """The breakdown "groups", worst first; ``scores`` [G], NaN where undefined."""
        values: list[float | None] = [None if math.isnan(s) else float(s) for s in scores]
        entries = zip(
            self.labels(domain), values, self.real.tolist(), self.synthetic.tolist(), strict=True
        )
        rows: list[tuple[Entry, ...]] = sorted(
            entries, key=lambda row: (row[1] is None, row[1] or 0.0)
        )
        columns = ("group", "score", "real records", "synthetic records")
        return Breakdown.of_worst("groups", columns, rows)

    def notes(self) -> tuple[str, ...]:
        """What a reader has to know of the groups."""
        if not self.names:
            return ()
        empty = math.prod(self.shape) - len(self)
        return (
            f"{len(self)} groups by {' × '.join(self.names)}; {int(self.one_sided.sum())} of them "
            f"have records in one table only; {empty} further combinations have none in either "
            "and are left out",
        )


def number_cells(
    marginal: Marginal, names: Sequence[str], ranks: Mapping[str, NDArray[np.int64]]
) -> NDArray[np.int64]:
    """The number [m] of each cell over some attributes alone, values by rank, the last fastest."""
    numbers = np.zeros(len(marginal.cells), dtype=np.int64)
    for name in names:
        numbers *= marginal.shape[marginal.attributes.index(name)]
        numbers += ranks[name][marginal.codes(name)]
    return numbers


@lru_cache(maxsize=1024)
def ascending(attribute: Attribute) -> NDArray[np.int64]:
    """The rank [size + 1] of each code when values ascend, the code for values outside last.

    Bins ascend, numbers go by size and other texts by their characters, as in a
    sorted pandas index. The missing value is first: the official programs code it
    as -1. The order of the values decides the order of floating-point sums.
    """
    declared = range(len(attribute.values))
    if attribute.edges is not None:
        order = list(declared)
    elif all(map(is_decimal, attribute.values)):
        order = sorted(declared, key=lambda code: Fraction(attribute.values[code]))
    else:
        order = sorted(declared, key=lambda code: attribute.values[code])
    missing = [len(attribute.values)] if attribute.missing else []
    ranks = np.empty(attribute.size + 1, dtype=np.int64)
    ranks[[*missing, *order, attribute.size]] = np.arange(attribute.size + 1)
    # One array for all who ask.
    ranks.setflags(write=False)
    return ranks
