"""DenseMarg: which pairs of attributes are worth measuring, and their merging into cliques.

Source: Zhang et al. 2021 (PrivSyn), sections 4.2 and 4.3. A pair that is left out costs its
distance from independence; one that is measured costs the expected L1 norm of its noise.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_BROADEST = 2
"""The most attributes that a clique may share with those kept before it (PrivSyn's code)."""


def expected_noise(powers: FloatArray, rho: float, l2_squared: float = 1.0) -> FloatArray:
    """The least sum of expected L1 norms of Gaussian noise on some marginals, of Σ cells^(2/3).

    Marginal i has ρ_i ∝ cells_i^(2/3), the best split of ρ, so that its variance is L2²/(2ρ_i) and
    its noise cells_i·√(L2²/(πρ_i)): in all (Σ cells^(2/3))^(3/2)·√(L2²/(πρ)).
    """
    return np.asarray(powers**1.5 * math.sqrt(l2_squared / (math.pi * rho)))


def dense_pairs(
    distances: FloatArray, cells: FloatArray, rho: float, l2_squared: float = 1.0
) -> list[int]:
    """The numbers of the pairs to measure, in the order in which they were added.

    Greedy: the pair that lowers most the sum of the noise of the chosen and the distances of
    the others, until none does. ``distances``, ``cells``: [pairs].
    """
    chosen: list[int] = []
    powers, sum_chosen = cells ** (2 / 3), np.zeros(())
    left = np.ones(len(cells), np.bool_)
    while left.any():
        now = expected_noise(sum_chosen, rho, l2_squared)
        gains = distances + now - expected_noise(sum_chosen + powers, rho, l2_squared)
        best = int(np.where(left, gains, -np.inf).argmax())
        if gains[best] <= 0:
            break
        chosen.append(best)
        left[best] = False
        sum_chosen = sum_chosen + powers[best]
    return chosen


def merge_cliques(
    pairs: Sequence[tuple[str, str]], sizes: Mapping[str, int], most_cells: int
) -> list[tuple[str, ...]]:
    """The pairs, those inside a clique replaced by it: cliques first, then the pairs that are left.

    A clique of three attributes or more is kept if it has at most ``most_cells`` cells and shares
    at most two attributes with those kept before; the largest first, of equal ones the first in
    the order of ``sizes``.
    """
    kept: list[tuple[str, ...]] = []
    covered: set[str] = set()
    while clique := _largest_clique(pairs, sizes, most_cells, covered):
        kept.append(clique)
        covered |= set(clique)
    inside = [set(clique) for clique in kept]
    return kept + [pair for pair in pairs if not any(set(pair) <= names for names in inside)]


def _largest_clique(
    pairs: Sequence[tuple[str, str]],
    sizes: Mapping[str, int],
    most_cells: int,
    covered: Collection[str],
) -> tuple[str, ...]:
    """The largest clique of three attributes or more that may be kept; nothing if there is none."""
    order = [name for name in sizes if sizes[name] <= most_cells]
    near: dict[str, set[str]] = {name: set() for name in sizes}
    for left, right in pairs:
        near[left].add(right)
        near[right].add(left)
    best: tuple[str, ...] = ()

    def grow(clique: tuple[str, ...], cells: int, candidates: list[str]) -> None:
        nonlocal best
        if len(clique) > max(len(best), 2):
            best = clique
        shared = sum(name in covered for name in clique)
        for place, name in enumerate(candidates):
            rest = candidates[place:]
            if len(clique) + _fitting(rest, sizes, most_cells // cells) <= max(len(best), 2):
                return
            if cells * sizes[name] > most_cells or shared + (name in covered) > _BROADEST:
                continue
            fellows = [other for other in rest[1:] if other in near[name]]
            grow((*clique, name), cells * sizes[name], fellows)

    grow((), 1, order)
    return best


def _fitting(names: Sequence[str], sizes: Mapping[str, int], room: int) -> int:
    """How many attributes have at most ``room`` cells together, the smallest ones taken."""
    count, cells = 0, 1
    for size in sorted(sizes[name] for name in names):
        cells *= size
        if cells > room:
            break
        count += 1
    return count
