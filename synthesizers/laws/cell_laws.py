"""Table laws by which every cell answers for itself, and the tables that they may release."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.laws.table_laws import require_listable
from synthesizers.neighbours import Neighbours
from synthesizers.plain import PlainLaw
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CellwiseLaw(PlainLaw, ProductLaw):
    """A table law that is a product of one law a cell; a subclass says which.

    Guarantee
    ---------
    ``chance`` is ∏ over cells of the chance that a cell of nᵢ records releases
    mᵢ, exactly, and ``sample`` draws every cell from exactly that law,
    independently. Backed by ``tests/synthesizers/laws/test_cell_laws.py``.
    """

    @abstractmethod
    def answers(self, count: int) -> Mapping[int, Fraction]:
        """What a cell of ``count`` records may release: positive chances that sum to 1."""

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every table that some listed database may give."""
        return possible_tables(rows, self.answers)

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """1: no factor depends on the sizes alone."""
        return Fraction(1)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """The chance that a cell of ``count`` records releases ``drawn``."""
        return self.answers(count).get(drawn, Fraction(0))

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw: the cells of equal counts together."""
        released = np.zeros(len(counts), np.int64)
        values, numbers = np.unique(counts, return_inverse=True)
        for number, count in enumerate(values.tolist()):
            law = self.answers(count)
            scale = math.lcm(*(chance.denominator for chance in law.values()))
            weights = [int(chance * scale) for chance in law.values()]
            where = np.flatnonzero(numbers == number)
            drawn = samplers.categorical(weights, len(where), entropy)
            released[where] = np.array(list(law), np.int64)[drawn]
        return released

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: neighbours whose cells may release different counts leave none."""
        return UNBOUNDED


def possible_tables(rows: IntArray, answers: Callable[[int], Iterable[int]]) -> list[Outcome]:
    """Every table that some listed database ([databases, cells]) may give, ascending.

    ``answers(count)``: what a cell of ``count`` records may release. Raises
    TooLargeError for too many tables: see `require_listable`.

    Guarantee
    ---------
    No table that some database may give is left out, and none is listed that no
    database may give. Backed by ``tests/synthesizers/laws/test_cell_laws.py``.
    """
    # A set of databases is an integer, one bit each: those that may give a start of a table.
    starts: dict[Outcome, int] = {(): (1 << len(rows)) - 1}
    options = {count: tuple(answers(count)) for count in np.unique(rows).tolist()}
    for column in rows.T:
        holders = {count: _bits(column == count) for count in np.unique(column).tolist()}
        longer: dict[Outcome, int] = {}
        for start, givers in starts.items():
            for count, holding in holders.items():
                both = givers & holding
                for value in options[count] if both else ():
                    extended = (*start, value)
                    longer[extended] = longer.get(extended, 0) | both
            require_listable(len(longer), len(rows))
        starts = longer
    return sorted(starts)


def _bits(chosen: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")
