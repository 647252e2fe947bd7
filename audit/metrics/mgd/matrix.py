"""AEMC under a user's own distances between the cells of a marginal (Li et al., section 3.1).

Any matrix will do: neither symmetry nor the triangle inequality is needed, as every pair of
cells gets an arc of its own in the flow of their section 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.metrics.mgd.distances import NEVER
from audit.metrics.mgd.four_layer import four_layer_flow
from audit.metrics.mgd.problem import Problem
from synthesizers.errors import InputError, TooLargeError

Distances = Sequence[Sequence[int | Fraction | Literal["infinite"]]]
"""A row a cell that a record leaves, a column a cell that it moves to."""


def aemc_of_matrix(
    distances: Distances,
    synthetic: NDArray[np.int64],
    real: NDArray[np.int64],
    tolerance: int | Fraction = 0,
) -> Fraction | None:
    """AEMC between the counts [cells]; None (infinite) if nothing is real and the cost is not 0.

    Raises ``InputError`` for distances that are not exact, lie outside 0 to 1 or differ from
    0 on the diagonal, and for tables of another size; ``TooLargeError`` for a matrix
    that is too large for an arc a pair, or numbers that 64 bits do not hold.
    """
    cells = len(real)
    if len(synthetic) != cells or any(len(row) != cells for row in (distances, *distances)):
        raise InputError("a distance matrix needs one row and one column for each cell")
    entries = [None if entry == "infinite" else _exact(entry) for row in distances for entry in row]
    if any(entries[cell * (cells + 1)] != 0 for cell in range(cells)):
        raise InputError("a distance matrix needs 0 on its diagonal: staying costs nothing")
    if any(entry is not None and not 0 <= entry <= 1 for entry in entries):
        raise InputError('a distance must lie from 0 to 1, or be "infinite"')
    allowed = _exact(tolerance)
    if allowed < 0:
        raise InputError("the tolerance must be 0 or more")
    unit = math.lcm(*(entry.denominator for entry in entries if entry is not None))
    if unit >= 2**62:
        raise TooLargeError(
            "the denominators of a distance matrix need more than 64 bits in common"
        )
    units = [NEVER if entry is None else int(entry * unit) for entry in entries]
    problem = Problem(
        (None,),
        np.asarray(synthetic, dtype=np.int64) * allowed.denominator,
        np.asarray(real, dtype=np.int64) * allowed.denominator,
        tolerance=allowed.numerator,
        penalty=unit,
        scale=allowed.denominator,
    )
    matrix = np.array(units, dtype=np.int64).reshape(cells, cells)
    return problem.value(four_layer_flow(problem, matrix))


def _exact(entry: object) -> Fraction:
    if isinstance(entry, bool) or not isinstance(entry, int | Fraction):
        raise InputError(
            "distances and tolerance must be integers or fractions, so that they are exact, "
            'or a distance "infinite"'
        )
    return Fraction(entry)
