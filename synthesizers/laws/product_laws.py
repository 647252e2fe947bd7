"""Table laws whose chance is a product over cells, evaluated for many tables at once.

P[m | n] = whole(n, m) · ∏ over cells of cell(nᵢ, mᵢ), where n and m are the
numbers of records. A small table of each factor replaces one exact evaluation
an entry.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import BelowDoublesError
from synthesizers.exact import TABLE_ERROR
from synthesizers.powers import doubles, powers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Outcome = tuple[int, ...]


class ProductLaw(ABC):
    """A table law whose chance is a product over cells; a subclass says which factors."""

    __slots__ = ()

    @abstractmethod
    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """The factor that depends on the sizes of both tables alone."""

    @abstractmethod
    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """The factor of one cell with ``count`` true and ``drawn`` released records."""

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome; 0 for counts that no table can have."""
        if min(outcome) < 0:
            return Fraction(0)
        cells = len(counts)
        whole = self.whole_factor(cells, sum(counts), sum(outcome))
        if not whole:
            return whole
        pairs = enumerate(zip(counts, outcome, strict=True))
        return math.prod((self.cell_factor(i, cells, n, m) for i, (n, m) in pairs), start=whole)


def product_error(cells: int) -> int:
    """Relative error of `ProductFactors` in units of 2^-53: factors, and their products."""
    return TABLE_ERROR * (cells + 1) + cells


class ProductFactors:
    """The factors of a law for some tables and outcomes, each worked out once.

    ``tables``: [tables, cells] of true counts; ``outcomes``: [outcomes, cells].

    Guarantee
    ---------
    ``floats`` and ``powers`` are within relative error ``product_error(cells)``·2^-53 of the exact
    chances, and 0 exactly where they are. Backed by the comparison with exact chances in
    ``tests/synthesizers/laws/test_product_laws.py``.
    """

    def __init__(self, law: ProductLaw, tables: IntArray, outcomes: IntArray) -> None:
        cells = tables.shape[1]
        sizes, self._size = np.unique(tables.sum(axis=1), return_inverse=True)
        totals, self._total = np.unique(outcomes.sum(axis=1), return_inverse=True)
        whole = (law.whole_factor(cells, n, m) for m in totals.tolist() for n in sizes.tolist())
        self._whole = powers(whole, (len(totals), len(sizes)))
        self._cells: list[tuple[FloatArray, FloatArray]] = []
        self._places: list[tuple[IntArray, IntArray]] = []
        for cell in range(cells):
            # Of large tables few counts occur.
            counts, table = np.unique(tables[:, cell], return_inverse=True)
            drawn, outcome = np.unique(outcomes[:, cell], return_inverse=True)
            self._places.append((outcome, table))
            factors = (
                law.cell_factor(cell, cells, n, m) for m in drawn.tolist() for n in counts.tolist()
            )
            self._cells.append(powers(factors, (len(drawn), len(counts))))

    def floats(self, part: slice, tables: IntArray) -> FloatArray:
        """Chances of some outcomes for some tables (by number) as doubles, [outcomes, tables].

        Raises BelowDoublesError where a chance, or a product on the way to it, is no normal double.
        """
        whole, *factors = self._doubles
        chances = whole[self._total[part][:, None], self._size[tables][None, :]]
        try:
            with np.errstate(under="raise", over="raise"):
                for cell, factor in enumerate(factors):
                    chances *= factor[self._at(cell, part, tables)]
        except FloatingPointError:
            raise BelowDoublesError from None
        if np.isnan(chances).any():
            raise BelowDoublesError
        return np.asarray(chances)

    def powers(self, part: slice, tables: IntArray) -> tuple[FloatArray, FloatArray]:
        """The same as mantissas and exponents, whatever the size of the chances."""
        place = self._total[part][:, None], self._size[tables][None, :]
        mantissas, exponents = (array[place] for array in self._whole)
        for cell, factor in enumerate(self._cells):
            at = self._at(cell, part, tables)
            mantissas, shifts = np.frexp(mantissas * factor[0][at])
            exponents = exponents + factor[1][at] + shifts
        return mantissas, exponents

    @cached_property
    def _doubles(self) -> list[FloatArray]:
        return [doubles(*held) for held in (self._whole, *self._cells)]

    def _at(self, cell: int, part: slice, tables: IntArray) -> tuple[IntArray, IntArray]:
        outcome, table = self._places[cell]
        return outcome[part][:, None], table[tables][None, :]
