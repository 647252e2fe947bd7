"""Row-stochastic laws: the whole table in, what is released of it out.

These are the laws of `Sanitize` events. A table is a histogram over the
domain's cells. What comes out is a tuple of whole numbers, and the law says
what they are: counts over the same cells, counts over coarser ones, marks in
place of some counts, or levels followed by counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Cost
from synthesizers.errors import TooLargeError
from synthesizers.exact import Exact
from synthesizers.neighbours import MAX_DATABASES, Neighbours
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]

MAX_CHANCES = 2_000_000
MAX_PAIRS = 60_000_000
"""The most pairs of a table and an outcome whose chances are evaluated one by one, and by
factors (choices of this project)."""


class TableLaw(Protocol):
    """A law that maps a table of counts to a random tuple of whole numbers."""

    @property
    def name(self) -> str:
        """The law's name, as ledgers print it."""

    def outcomes(self, rows: IntArray) -> Sequence[Outcome]:
        """Everything that some listed database ([databases, cells]) may give, each once."""

    def chance(self, counts: Outcome, outcome: Outcome) -> Exact:
        """The exact chance of an outcome, given the true counts; 0 outside the support."""

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw of exactly this law, given the true counts [cells]; as long as the outcome."""

    def cost(self, neighbours: Neighbours) -> Cost:
        """An upper bound on its privacy loss over databases of any size."""

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""


def require_listable(outcomes: int, databases: int) -> None:
    """Raise TooLargeError above `MAX_DATABASES` outcomes, or `MAX_PAIRS` pairs with databases."""
    if outcomes > MAX_DATABASES or outcomes * databases > MAX_PAIRS:
        raise TooLargeError(
            f"too many tables may come out of {databases} databases to list them; "
            "take fewer cells or records"
        )
