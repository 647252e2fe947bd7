"""Table laws whose chance is a product over cells, evaluated for many tables at once.

P[m | n] = whole(n, m) · ∏ over cells of cell(nᵢ, mᵢ), where n and m are the
numbers of records. A small table of each factor replaces one exact evaluation
an entry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from synthesizers.exact import TABLE_ERROR, nearest_float

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
    """Relative error of `product_floats` in units of 2^-53: factors, and their products."""
    return TABLE_ERROR * (cells + 1) + cells


def product_floats(law: ProductLaw, tables: IntArray, outcomes: Sequence[Outcome]) -> FloatArray:
    """Chances as doubles, [outcomes, tables], for ``tables`` [tables, cells] of true counts.

    Raises TooLargeError where a factor is no normal double.

    Guarantee
    ---------
    Each entry is within relative error ``product_error(cells)``·2^-53 of the
    exact chance, and 0 exactly where it is; products that leave the normal
    doubles raise FloatingPointError. Backed by the comparison with exact
    chances in ``tests/synthesizers/test_product_laws.py``.
    """
    drawn = np.array(outcomes, np.int64)
    cells = tables.shape[1]
    sizes, released = tables.sum(axis=1), drawn.sum(axis=1)
    whole = {
        (n, m): nearest_float(law.whole_factor(cells, n, m))
        for n in np.unique(sizes).tolist()
        for m in np.unique(released).tolist()
    }
    chances = np.array([[whole[n, m] for n in sizes.tolist()] for m in released.tolist()])
    top_count, top_drawn = int(tables.max(initial=0)), int(drawn.max(initial=0))
    with np.errstate(under="raise", over="raise"):
        for cell in range(cells):
            factors = np.array(
                [
                    [
                        nearest_float(law.cell_factor(cell, cells, n, m))
                        for n in range(top_count + 1)
                    ]
                    for m in range(top_drawn + 1)
                ]
            )
            chances *= factors[drawn[:, cell][:, None], tables[:, cell][None, :]]
    return np.asarray(chances)
