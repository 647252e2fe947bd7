"""Table laws whose chance is a product over cells, evaluated for many tables at once.

P[m | n] = whole(n, m) · ∏ over cells of cell(nᵢ, mᵢ), where n and m are the
numbers of records. A small table of each factor replaces one exact evaluation
an entry.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import BelowDoublesError
from synthesizers.exact import TABLE_ERROR, mantissa_and_exponent

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Outcome = tuple[int, ...]


@runtime_checkable
class ProductLaw(Protocol):
    """The factors of a law whose chance is a product over cells."""

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """The factor that depends on the sizes of both tables alone."""

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """The factor of one cell with ``count`` true and ``drawn`` released records."""


def product_chance(law: ProductLaw, counts: Outcome, outcome: Outcome) -> Fraction:
    """The exact chance of an outcome; 0 for counts that no table can have."""
    if min(outcome) < 0:
        return Fraction(0)
    cells = len(counts)
    whole = law.whole_factor(cells, sum(counts), sum(outcome))
    if not whole:
        return whole
    pairs = enumerate(zip(counts, outcome, strict=True))
    return math.prod((law.cell_factor(i, cells, n, m) for i, (n, m) in pairs), start=whole)


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
        self._whole = _powers(
            [[law.whole_factor(cells, n, m) for n in sizes.tolist()] for m in totals.tolist()]
        )
        self._cells: list[tuple[FloatArray, FloatArray]] = []
        self._places: list[tuple[IntArray, IntArray]] = []
        for cell in range(cells):
            # Of large tables few counts occur.
            counts, table = np.unique(tables[:, cell], return_inverse=True)
            drawn, outcome = np.unique(outcomes[:, cell], return_inverse=True)
            self._places.append((outcome, table))
            self._cells.append(
                _powers(
                    [
                        [law.cell_factor(cell, cells, n, m) for n in counts.tolist()]
                        for m in drawn.tolist()
                    ]
                )
            )

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
            raise BelowDoublesError("a chance falls outside the normal doubles") from None
        if np.isnan(chances).any():
            raise BelowDoublesError("a factor of a chance falls outside the normal doubles")
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
        return [_doubles(*powers) for powers in (self._whole, *self._cells)]

    def _at(self, cell: int, part: slice, tables: IntArray) -> tuple[IntArray, IntArray]:
        outcome, table = self._places[cell]
        return outcome[part][:, None], table[tables][None, :]


def _powers(factors: Sequence[Sequence[Fraction]]) -> tuple[FloatArray, FloatArray]:
    held = [[mantissa_and_exponent(x) if x else (0.0, 0) for x in row] for row in factors]
    pairs = np.array(held, np.float64)
    return pairs[..., 0], pairs[..., 1]


def _doubles(mantissas: FloatArray, exponents: FloatArray) -> FloatArray:
    """The numbers themselves; not-a-number for one that is no normal double."""
    with np.errstate(over="ignore", under="ignore"):
        numbers = np.ldexp(mantissas, exponents.astype(np.int32))
    normal = (np.abs(numbers) >= sys.float_info.min) & np.isfinite(numbers)
    return np.where((mantissas == 0) | normal, numbers, np.nan)
