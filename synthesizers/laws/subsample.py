"""The subsample: records drawn without replacement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import InputError, TooLargeError
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.neighbours import MAX_DATABASES, Neighbours
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Subsample(PlainLaw, ProductLaw):
    """A uniform sample without replacement of ⌊fraction · n⌋ of the n records.

    Guarantee
    ---------
    ``chance`` is the multivariate hypergeometric ∏ C(nᵢ, mᵢ)/C(n, m), exactly.
    No finite ε holds. Backed by ``tests/synthesizers/laws/test_table_laws.py``.
    """

    fraction: Fraction
    name = "subsample"

    def __post_init__(self) -> None:
        fraction = require_positive(self.fraction, "fraction of a subsample")
        if fraction > 1:
            raise InputError(f"the fraction of a subsample is at most 1, found {fraction}")
        object.__setattr__(self, "fraction", fraction)

    def draw_count(self, records: int) -> int:
        """The sample's size for ``records`` records."""
        return math.floor(self.fraction * records)

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram that fits into some listed database."""
        sizes = np.array([self.draw_count(int(total)) for total in rows.sum(axis=1)])
        found: list[Outcome] = []
        for size in np.unique(sizes).tolist():
            sources = rows[sizes == size]
            for candidate in _within(sources.max(axis=0).tolist(), size):
                if (sources >= candidate).all(axis=1).any():
                    found.append(candidate)
        return found

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """1/C(n, m); 0 for another size of the sample."""
        return Fraction(int(drawn == self.draw_count(records)), math.comb(records, drawn) or 1)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """C(nᵢ, mᵢ)."""
        return Fraction(math.comb(count, drawn))

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw."""
        return samplers.hypergeometric_subset(counts, self.draw_count(int(counts.sum())), entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: a record of a cell of its own is shown or not."""
        return UNBOUNDED


def _within(limits: list[int], total: int) -> list[Outcome]:
    """Every vector of counts with that sum and no count above its limit, ascending.

    Raises TooLargeError above `MAX_DATABASES` of them.
    """
    partial: list[Outcome] = [()]
    for place, limit in enumerate(limits):
        room = sum(limits[place + 1 :])
        partial = [
            (*start, count)
            for start in partial
            for count in range(
                max(0, total - sum(start) - room), min(limit, total - sum(start)) + 1
            )
        ]
        if len(partial) > MAX_DATABASES:
            raise TooLargeError(
                f"a sample of {total} records has more than {MAX_DATABASES} possible tables; "
                "take fewer cells or records"
            )
    return partial
