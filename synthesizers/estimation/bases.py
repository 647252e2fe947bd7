"""Bases of itemsets: few sets of items that hold all frequent ones, and what their bins say.

Source: Li, Qardaji, Su & Cao 2012 (PrivBasis), algorithms 1 and 2, as recalled. Ours: items of one
attribute exclude each other, so that bins that no record can be in are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.estimation.covering import covering_design

Item = tuple[str, int]
Basis = frozenset[Item]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

GROUPED = 3
"""How many items without a frequent pair begin as one basis (Li et al. 2012, from memory)."""


def bases_of(
    items: Sequence[Item], pairs: Sequence[tuple[Item, Item]], longest: int
) -> list[Basis]:
    """Bases of at most ``longest`` items that hold every item and every pair.

    The maximal cliques of the pairs, larger ones as a covering design of their pairs; what is in no
    pair, by threes. Then two bases are merged, or one of the threes is dissolved into others, as
    long as that lowers the mean variance of the items' and the pairs' counts.
    """
    cliques: list[Basis] = []
    for clique in maximal_cliques(pairs):
        ordered = [item for item in items if item in clique]
        blocks = covering_design([2] * len(ordered), 2, longest, 2**longest)
        cliques += [frozenset(ordered[place] for place in block) for block in blocks]
    held = {item for pair in pairs for item in pair}
    left = [item for item in items if item not in held]
    size = min(GROUPED, longest)
    loose = [frozenset(left[start : start + size]) for start in range(0, len(left), size)]
    targets = [frozenset([item]) for item in items] + [frozenset(pair) for pair in pairs]
    found = _merge(cliques + loose, targets, longest)
    for basis in loose:
        if basis in found and len(found) > 1:
            found = min(found, _dissolve(found, basis, targets, longest), key=_Cost(targets))
    return found


def maximal_cliques(pairs: Iterable[tuple[Item, Item]]) -> list[Basis]:
    """The largest sets of items of which every two are a pair (Bron & Kerbosch 1973)."""
    near: dict[Item, set[Item]] = {}
    for left, right in pairs:
        near.setdefault(left, set()).add(right)
        near.setdefault(right, set()).add(left)

    def grown(clique: set[Item], open_: set[Item], done: set[Item]) -> Iterator[Basis]:
        if not open_ and not done:
            yield frozenset(clique)
            return
        pivot = max(sorted(open_ | done), key=lambda item: len(near[item] & open_))
        for item in sorted(open_ - near[pivot]):
            yield from grown(clique | {item}, open_ & near[item], done & near[item])
            open_, done = open_ - {item}, done | {item}

    return sorted(grown(set(), set(near), set()), key=sorted) if near else []


def bins_summed(basis: Basis, itemset: Basis) -> int:
    """How many bins of a basis hold the records with an itemset of it."""
    free: dict[str, int] = {}
    fixed = {name for name, _ in itemset}
    for name, _ in basis:
        if name not in fixed:
            free[name] = free.get(name, 1) + 1
    return math.prod(free.values())


class _Cost:
    """The mean variance of some itemsets' counts, in variances of a bin that is noised alone.

    Noise of w bases has w² times the variance; what is in several is weighed by inverse variance.
    """

    def __init__(self, targets: Sequence[Basis]) -> None:
        self._targets = targets
        self._known: dict[Basis, FloatArray] = {}

    def precisions(self, basis: Basis) -> FloatArray:
        """1 over the bins summed for each target, 0 for one that the basis has not."""
        if basis not in self._known:
            self._known[basis] = np.array(
                [1 / bins_summed(basis, each) if each <= basis else 0.0 for each in self._targets]
            )
        return self._known[basis]

    def __call__(self, bases: Sequence[Basis]) -> float:
        """The mean; infinite where a target is in no basis."""
        precision = np.sum([self.precisions(basis) for basis in bases], axis=0)
        if not precision.all():
            return math.inf
        return float(len(bases) ** 2 * np.mean(1 / precision))


def _merge(bases: list[Basis], targets: Sequence[Basis], longest: int) -> list[Basis]:
    cost = _Cost(targets)
    while True:
        options = [
            [*(other for other in bases if other not in (left, right)), left | right]
            for left, right in combinations(bases, 2)
            if len(left | right) <= longest
        ]
        best = min(options, key=cost, default=bases)
        if cost(best) >= cost(bases):
            return bases
        bases = best


def _dissolve(
    bases: list[Basis], basis: Basis, targets: Sequence[Basis], longest: int
) -> list[Basis]:
    """The bases without one, whose items go to the others, each where it costs least."""
    others = [other for other in bases if other != basis]
    for item in sorted(basis):
        options = [
            [*others[:place], other | {item}, *others[place + 1 :]]
            for place, other in enumerate(others)
            if len(other) < longest
        ]
        held = [each for each in targets if not each & basis or each <= {item}]
        others = min(options, key=_Cost(held), default=others)
    return others


@dataclass(frozen=True, eq=False)
class Bins:
    """The noisy counts of a basis's bins, one axis an attribute.

    ``items``: for each attribute the codes of its items; the last place of its axis is for all
    other codes, where there are some.
    """

    attributes: tuple[str, ...]
    items: tuple[tuple[int, ...], ...]
    counts: FloatArray

    @cached_property
    def with_totals(self) -> FloatArray:
        """The counts with the sum over each axis as its last place."""
        table = self.counts
        for axis in range(table.ndim):
            table = np.concatenate([table, table.sum(axis=axis, keepdims=True)], axis=axis)
        return table

    def itemsets(self) -> Iterator[tuple[Basis, float, int]]:
        """Every itemset of the basis with its noisy count, and the number of bins summed."""
        table, sizes = self.with_totals, self.counts.shape
        for places in product(*((*range(len(codes)), None) for codes in self.items)):
            chosen = [
                (name, codes[place])
                for name, codes, place in zip(self.attributes, self.items, places, strict=True)
                if place is not None
            ]
            if chosen:
                index = tuple(-1 if place is None else place for place in places)
                free = (s for s, place in zip(sizes, places, strict=True) if place is None)
                yield frozenset(chosen), float(table[index]), math.prod(free)


def grouping(domain: Domain, basis: Basis) -> dict[str, tuple[int, ...]]:
    """For each attribute of a basis, in the domain's order, the codes of its items."""
    return {
        name: tuple(sorted(code for own, code in basis if own == name))
        for name in domain.names
        if any(own == name for own, _ in basis)
    }


def groups_of(size: int, codes: Sequence[int]) -> tuple[int, ...]:
    """The place of each code of an attribute: its own if it is an item, the last for all others."""
    return tuple(codes.index(code) if code in codes else len(codes) for code in range(size))


def estimate_counts(bins: Sequence[Bins]) -> dict[Basis, float]:
    """The counts of all itemsets of all bases, weighed by the inverse of their variance."""
    sums: dict[Basis, tuple[float, float]] = {}
    for own in bins:
        for itemset, count, summed in own.itemsets():
            value, weight = sums.get(itemset, (0.0, 0.0))
            sums[itemset] = (value + count / summed, weight + 1 / summed)
    return {itemset: value / weight for itemset, (value, weight) in sums.items()}
