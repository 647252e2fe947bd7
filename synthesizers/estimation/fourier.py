"""Marginals of binary attributes and their Fourier coefficients.

The coefficient of a set b of attributes is Σ over records of (-1)^(number of ones in b): whole
numbers, the characters being left unnormalised. Source: Barak, Chaudhuri, Dwork, Kale, McSherry
& Talwar 2007, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Positions = tuple[int, ...]
"""Some attributes, by their positions in increasing order."""

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def downward_closure(sets: Iterable[Positions]) -> tuple[Positions, ...]:
    """All subsets of the given sets, the empty one first, small before large."""
    found = {
        subset
        for members in sets
        for size in range(len(members) + 1)
        for subset in combinations(sorted(members), size)
    }
    return tuple(sorted(found, key=lambda subset: (len(subset), subset)))


def characters(sets: Sequence[Positions], width: int) -> IntArray:
    """(-1)^(ones of the cell in b) for each set b and each cell of ``width`` binary attributes.

    [sets, 2^width], the last attribute fastest.
    """
    cells = np.arange(2**width)
    signs = np.ones((len(sets), len(cells)), np.int64)
    for row, members in enumerate(sets):
        for position in members:
            signs[row] *= 1 - 2 * (cells >> (width - 1 - position) & 1)
    return signs


def marginal_of(coefficients: Mapping[Positions, float], attributes: Positions) -> FloatArray:
    """The counts of a marginal, [2^attributes], from the coefficients of all its subsets.

    M(g) = 2^-k Σ over b of coefficient(b)·(-1)^(ones of g in b) (Barak et al. 2007, Theorem 6).
    """
    subsets = downward_closure([attributes])
    within = [tuple(attributes.index(position) for position in subset) for subset in subsets]
    signs = characters(within, len(attributes))
    values = np.array([coefficients[subset] for subset in subsets], np.float64)
    return np.asarray(values @ signs / 2 ** len(attributes), np.float64)


def nearest_table(coefficients: Mapping[Positions, float], width: int, exact: bool) -> FloatArray:
    """A table without negative counts whose coefficients differ least from the given ones.

    [2^width]; the largest difference is minimised. ``exact``: the coefficient of the empty set is
    kept as it is. No coefficient is then farther from the truth than twice the largest error of
    the given ones (Barak et al. 2007, section 3.2).
    """
    return _nearest(tuple(coefficients), tuple(coefficients.values()), width, exact)


# Whoever lists transcripts plays most of them more than once.
@lru_cache(maxsize=1024)
def _nearest(
    sets: tuple[Positions, ...], values: tuple[float, ...], width: int, exact: bool
) -> FloatArray:
    wanted = np.array(values, np.float64)
    # Solvers judge by absolute tolerances.
    unit = max(1.0, float(np.abs(wanted).max()))
    signs, wanted = characters(sets, width).astype(np.float64), wanted / unit
    fixed = np.array([exact and not members for members in sets])
    slack = -np.ones((int((~fixed).sum()), 1))
    solution = linprog(
        np.append(np.zeros(2**width), 1.0),
        A_ub=np.block([[signs[~fixed], slack], [-signs[~fixed], slack]]),
        b_ub=np.concatenate([wanted[~fixed], -wanted[~fixed]]),
        A_eq=np.pad(signs[fixed], ((0, 0), (0, 1))),
        b_eq=wanted[fixed],
        method="highs",
    )
    found = np.asarray(solution.x, np.float64)
    table = np.maximum(found[:-1], 0.0) * unit
    table.setflags(write=False)
    return table
