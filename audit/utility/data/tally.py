"""What is kept of the counts of a table, so that tables can be laid beside each other later."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.counts import Attributes, marginal_shape
from audit.utility.data.coverage import Range, number_range
from audit.utility.data.pair_counts import pool_pair, pool_real
from audit.utility.data.pooling import Pooling
from audit.utility.labels import value_labels
from audit.utility.pair import HeldCounts, Pair
from audit.utility.workload_error import HELD_CELLS
from synthesizers.domain import Domain

MOST_PAIRED = 60
"""The most attributes of which all pairs are counted: that takes about as long as reading them."""


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts [codes] of each attribute, and the counts [first, second] of each pair.

    ``numbers``: the ranges of those behind bins, where they are known. Attributes and pairs are in
    the domain's order. Pairs are of groups of values, which follow from the real table alone: each
    table can be gone through by itself.
    """

    counts: tuple[NDArray[np.int64], ...]
    numbers: tuple[Range | None, ...]
    pairs: tuple[NDArray[np.int64], ...]


def labels_of(domain: Domain, shape: tuple[int, ...]) -> list[tuple[str, ...]]:
    """The labels of the codes of each attribute, of ``shape`` codes an attribute."""
    both = zip(domain.names, shape, strict=True)
    return [value_labels(domain, name)[:size] for name, size in both]


def pairs_to_count(domain: Domain) -> list[tuple[str, str]]:
    """All pairs of the attributes, or of the first ``MOST_PAIRED``."""
    return list(itertools.combinations(domain.names[:MOST_PAIRED], 2))


def sets_to_count(domain: Domain, shape: tuple[int, ...]) -> list[Attributes]:
    """The marginals that a tally reads: the attributes, and their pairs if small together."""
    pairs = pairs_to_count(domain)
    cells = sum(math.prod(marginal_shape(both, domain, shape)) for both in pairs)
    return [*((name,) for name in domain.names), *(pairs if cells <= HELD_CELLS else ())]


def pool_attributes(
    domain: Domain, shape: tuple[int, ...], real: tuple[NDArray[np.int64], ...]
) -> dict[str, Pooling]:
    """The groups of each attribute in pairs, by the counts of the real table."""
    rows = zip(domain.attributes, labels_of(domain, shape), real, strict=True)
    return {attribute.name: pool_real(attribute, labels, row) for attribute, labels, row in rows}


def tally_tables(pair: Pair) -> tuple[Tally, Tally]:
    """What is kept of the real and of the synthetic table; what they hold is not counted again."""
    real = _count(pair.real)
    poolings = pool_attributes(pair.domain, pair.real.shape, real)
    pairs = pairs_to_count(pair.domain)
    return (
        _tally(pair.real, real, poolings, pairs),
        _tally(pair.synthetic, _count(pair.synthetic), poolings, pairs),
    )


def _count(held: HeldCounts) -> tuple[NDArray[np.int64], ...]:
    single: list[Attributes] = [(name,) for name in held.table.domain.names]
    return tuple(counts.full().astype(np.int64) for counts in held.read(single))


def _tally(
    held: HeldCounts,
    counts: tuple[NDArray[np.int64], ...],
    poolings: dict[str, Pooling],
    pairs: list[tuple[str, str]],
) -> Tally:
    attributes = held.table.domain.attributes
    numbers = tuple(number_range(attribute, held.table) for attribute in attributes)
    read = zip(pairs, held.read(pairs), strict=True)
    pooled = tuple(pool_pair(one, (poolings[first], poolings[last])) for (first, last), one in read)
    return Tally(counts, numbers, pooled)
