"""The bootstrap: records drawn with replacement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.laws.cell_laws import possible_tables
from synthesizers.laws.product_laws import product_chance
from synthesizers.neighbours import Neighbours
from synthesizers.randomness import Entropy, require_count

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bootstrap:
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

    def drawn(self, records: int) -> int:
        """How many are drawn from ``records`` records."""
        return self.records if records else 0

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every table of the drawn size over cells that some listed database fills."""
        sizes = {self.drawn(total) for total in rows.sum(axis=1).tolist()}

        def answers(count: int, before: int) -> range:
            return range(self.records - before + 1) if count else range(1)

        return [table for table in possible_tables(rows, answers) if sum(table) in sizes]

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """m!/n^m; 0 for another size of the sample."""
        if drawn != self.drawn(records):
            return Fraction(0)
        return Fraction(math.factorial(drawn), records**drawn)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """nᵢ^mᵢ/mᵢ!."""
        return Fraction(count**drawn, math.factorial(drawn))

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome."""
        return product_chance(self, counts, outcome)

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw."""
        if not counts.any():
            return np.zeros(len(counts), np.int64)
        return samplers.multinomial(self.records, counts, entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: a record of a cell of its own is shown or not."""
        return UNBOUNDED

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, "records": self.records}
