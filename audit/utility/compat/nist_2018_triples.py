"""The three-way tables of the NIST 2018 program, summed in its order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audit.utility.compat.nist_2018_conjunctions import listed_codes
from audit.utility.counts import Attributes
from audit.utility.nist_2018.challenge_score import PERFECT
from audit.utility.records import Records
from synthesizers.attributes import Attribute
from synthesizers.errors import TooLargeError

PROGRAM_DRAWS = 100
"""Triples that the generator of the ground truth draws (and Bowen & Snoke report)."""

BUCKETS = 100
"""Cells of a numeric column: ``NUM_BUCKETS`` of the local scorer and of its generator."""

MARGIN = 1.0001
"""Their width is this times an even share of the range, so that the maximum is inside."""

_DENSE = 2**20
"""Up to so many cells a table of all of them is faster than sorting the records."""


def drawn_triples(
    columns: int, k: int, draws: int, random: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Ordered sets of ``k`` columns by the program's law, which may repeat a set."""
    return tuple(
        tuple(random.choice(columns, size=k, replace=False).tolist()) for _ in range(draws)
    )


def reproduce(
    real: Records, synthetic: Records, triples: tuple[Attributes, ...]
) -> tuple[float, tuple[float, ...]]:
    """The program's score of ordered triples, and what each contributed.

    The program keeps one running sum over all triples, cells in the order in which
    the synthetic file first has them, level by level, and only cells that it has.

    **Guarantee.** The first number equals the program's in every bit: backed by the
    transcription in ``tests/audit/utility/nist_2018/slow_nist_2018.py``.
    """
    columns: dict[str, tuple[_Column, _Column]] = {}
    for name in dict.fromkeys(name for names in triples for name in names):
        columns[name] = _Column(real, name), _Column(synthetic, name)
    total = float(len(triples))
    parts = []
    for names in triples:
        first, second, third = (columns[name] for name in names)
        terms = _terms(_cells(first[0], second[0], third[0]), _cells(first[1], second[1], third[1]))
        parts.append(PERFECT / 2 * (1 + math.fsum(terms.tolist())))
        # ``accumulate`` adds from the left, as a loop does; ``sum`` would not.
        total = float(np.add.accumulate(np.concatenate(([total], terms)))[-1])
    return total * (1000000.0 / 2 / len(triples)), tuple(parts)


@dataclass(frozen=True, eq=False)
class _Column:
    """One column in the program's cells."""

    records: Records
    name: str

    @cached_property
    def attribute(self) -> Attribute:
        return self.records.domain.attribute(self.name)

    @property
    def size(self) -> int:
        """The number of cells in range; it is also the code of what is out of range."""
        if self.attribute.edges is not None:
            return BUCKETS + 1
        return listed_codes(self.attribute)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The cell of each record [n]."""
        declared = self.records.column(self.name)
        if self.attribute.edges is None:
            return np.minimum(declared, self.size)
        numbers = self.records.numbers(self.name)
        low, high = self.attribute.edges[0], self.attribute.edges[-1]
        whole = low.denominator == high.denominator == 1
        span = float(high - low) if whole else float(high) - float(low)
        width = MARGIN * span / BUCKETS
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            # Towards zero, so that what lies less than a width below the minimum is in cell 0.
            buckets = np.trunc((numbers - float(low)) / width)
        codes = np.full(len(numbers), self.size, dtype=np.int64)
        inside = (buckets >= 0) & (buckets < BUCKETS)
        codes[inside] = buckets[inside].astype(np.int64)
        if self.attribute.missing:
            codes[declared == self.attribute.size - 1] = BUCKETS
        return codes


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cell of each record [n] over three columns, each with a code for out of range."""

    numbers: NDArray[np.int64]
    shape: tuple[int, int, int]


def _cells(first: _Column, second: _Column, third: _Column) -> _Cells:
    shape = first.size + 1, second.size + 1, third.size + 1
    if math.prod(shape) >= 2**63:
        raise TooLargeError(
            f"the marginal {first.name} × {second.name} × {third.name} has more cells than can be "
            "numbered; declare fewer values"
        )
    numbers = (first.codes * shape[1] + second.codes) * shape[2] + third.codes
    return _Cells(numbers, shape)


def _terms(real: _Cells, synthetic: _Cells) -> NDArray[np.float64]:
    """What the program adds [2m] for the m cells with synthetic records: v2, then -|v2 - v1|."""
    shape = synthetic.shape
    cells, found, counts = _first_seen(synthetic)
    matching = _counts_at(real, cells)
    pairs = cells // shape[2]
    outside = (cells % shape[2] == shape[2] - 1) | (pairs % shape[1] == shape[1] - 1)
    matching[outside | (pairs // shape[1] == shape[0] - 1)] = 0
    order = np.lexsort((found, _least(found, pairs), _least(found, pairs // shape[1])))
    v1 = counts[order] / len(synthetic.numbers)
    v2 = matching[order] / len(real.numbers)
    return np.column_stack((v2, -np.abs(v2 - v1))).ravel()


def _first_seen(
    cells: _Cells,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The cells with records, ascending, the first record of each, and how many it has."""
    size = math.prod(cells.shape)
    if size > _DENSE:
        found, first, counts = np.unique(cells.numbers, return_index=True, return_counts=True)
        return found, first.astype(np.int64), counts.astype(np.int64)
    counts = np.bincount(cells.numbers, minlength=size)
    found = np.flatnonzero(counts)
    first = np.empty(size, dtype=np.int64)
    # Of several assignments to a cell the last one stays: that of the earliest record.
    first[cells.numbers[::-1]] = np.arange(len(cells.numbers) - 1, -1, -1)
    return found, first[found], counts[found]


def _counts_at(table: _Cells, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The records of a table in each of some ascending cells."""
    size = math.prod(table.shape)
    if size <= _DENSE:
        return np.bincount(table.numbers, minlength=size)[cells]
    places = np.searchsorted(cells, table.numbers)
    places[places == len(cells)] = 0
    return np.bincount(places[cells[places] == table.numbers], minlength=len(cells))


def _least(values: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The smallest value of each one's group; groups ascend."""
    starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    lengths = np.diff(np.append(starts, len(groups)))
    return np.repeat(np.minimum.reduceat(values, starts), lengths)
