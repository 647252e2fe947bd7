"""The bootstrap: records drawn with replacement."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.laws.table_laws import require_listable
from synthesizers.neighbours import Neighbours, histogram_count, histograms
from synthesizers.plain import PlainLaw, require_count
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bootstrap(PlainLaw, ProductLaw):
    """A uniform sample with replacement from the n records (Efron 1979).

    ``records``: how many are drawn. An empty table gives an empty one.

    Guarantee
    ---------
    ``chance`` is the multinomial m!/∏mᵢ! · ∏(nᵢ/n)^mᵢ, exactly. No finite ε
    holds. Backed by ``tests/synthesizers/laws/test_bootstrap.py``.
    """

    records: int
    name = "bootstrap"

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", require_count(self.records, "number of draws"))

    def draw_count(self, records: int) -> int:
        """How many are drawn from ``records`` records."""
        return self.records if records else 0

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every table of the drawn size over cells that some listed database fills."""
        found: set[Outcome] = set()
        # The more cells are filled, the more tables: too many show at once.
        for filled in np.unique(rows > 0, axis=0)[::-1]:
            found.update(self._within(filled, len(rows)))
            require_listable(len(found), len(rows))
        return sorted(found)

    def _within(self, filled: NDArray[np.bool_], databases: int) -> Iterator[Outcome]:
        """Every table of the drawn size over the filled cells; the empty one over none."""
        cells = int(filled.sum())
        if not cells:
            return iter([(0,) * len(filled)])
        require_listable(histogram_count(cells, self.records), databases)
        parts = histograms(cells, self.records)
        tables = np.zeros((len(parts), len(filled)), np.int64)
        tables[:, filled] = parts
        return map(tuple, tables.tolist())

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """m!/n^m; 0 for another size of the sample."""
        if drawn != self.draw_count(records):
            return Fraction(0)
        return Fraction(math.factorial(drawn), records**drawn)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """nᵢ^mᵢ/mᵢ!."""
        return Fraction(count**drawn, math.factorial(drawn))

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw."""
        if not counts.any():
            return np.zeros(len(counts), np.int64)
        return samplers.multinomial(self.records, counts, entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: a record of a cell of its own is shown or not."""
        return UNBOUNDED
