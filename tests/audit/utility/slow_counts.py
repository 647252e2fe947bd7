"""Marginals as a dictionary of counts, record by record, and tables to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from audit.utility.counts import Attributes, Counts
from audit.utility.pair import Marginal
from audit.utility.records import Records
from synthesizers.domain import Attribute, Domain

Cells = Counter[tuple[int, ...]]


def nominal(sizes: Sequence[int]) -> Domain:
    """Attributes a0, a1, … of so many values 0, 1 and so on."""
    return Domain(
        "sizes",
        tuple(Attribute(f"a{k}", tuple(map(str, range(size)))) for k, size in enumerate(sizes)),
    )


def drawn(domain: Domain, records: int, seed: int, *, outside: bool = False) -> Records:
    """Random records in which low codes are frequent; some values outside the domain."""
    random = np.random.default_rng(seed)
    columns = [
        np.minimum(random.geometric(min(0.9, 3 / size), records) - 1, size - 1 + int(outside))
        for size in domain.shape
    ]
    return Records(domain, np.array(columns, dtype=np.int64).T.reshape(records, len(columns)))


def slow_counts(table: Records, attributes: Sequence[str]) -> Cells:
    """The records with each combination of codes, the attributes in the domain's order."""
    columns = sorted(table.domain.position(name) for name in attributes)
    return Counter(tuple(row[column] for column in columns) for row in table.codes.tolist())


def slow_total_variation(real: Records, synthetic: Records, attributes: Sequence[str]) -> Fraction:
    """Half the L1 distance of the shares, exactly."""
    first, second = slow_counts(real, attributes), slow_counts(synthetic, attributes)
    apart = [
        abs(Fraction(first[cell], real.records) - Fraction(second[cell], synthetic.records))
        for cell in first | second
    ]
    return sum(apart, Fraction(0)) / 2


def listed(counts: Counts) -> Cells:
    """Counts as a dictionary, whichever way they are held; the cells without records left out."""
    if counts.cells is None:
        assert counts.counts.shape == (counts.size,)
        cells = np.flatnonzero(counts.counts)
        held = counts.counts[cells]
    else:
        cells, held = counts.cells, counts.counts
        assert (np.diff(cells) > 0).all()
        assert (held > 0).all()
    codes = np.array(np.unravel_index(cells, counts.shape)).T.tolist()
    return Counter({tuple(cell): int(n) for cell, n in zip(codes, held, strict=True)})


def both(marginal: Marginal) -> tuple[Cells, Cells]:
    """The real and the synthetic counts of a marginal, after checks of what it promises."""
    assert (np.diff(marginal.cells) > 0).all()
    assert ((marginal.real > 0) | (marginal.synthetic > 0)).all()
    assert marginal.real.dtype == marginal.synthetic.dtype == marginal.cells.dtype == np.int64
    codes = np.array([marginal.codes(name) for name in marginal.attributes]).T.tolist()
    return (
        Counter({tuple(c): n for c, n in zip(codes, marginal.real.tolist(), strict=True) if n}),
        Counter(
            {tuple(c): n for c, n in zip(codes, marginal.synthetic.tolist(), strict=True) if n}
        ),
    )


class Watched:
    """A table that tells how often each marginal of it was counted, and in how many passes."""

    def __init__(self, table: Records) -> None:
        self.table = table
        self.passes: list[tuple[Attributes, ...]] = []

    @property
    def domain(self) -> Domain:
        return self.table.domain

    @property
    def records(self) -> int:
        return self.table.records

    @property
    def shape(self) -> tuple[int, ...]:
        return self.table.shape

    def counts(self, sets: tuple[Attributes, ...], shape: tuple[int, ...]) -> Iterator[Counts]:
        if sets:
            self.passes.append(sets)
        return self.table.counts(sets, shape)
