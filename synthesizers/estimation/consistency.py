"""Views that agree: noisy marginals of any domain sizes, made to project alike.

Source: Qardaji, Yang & Li 2014 (PriView), overall consistency; Zhang et al. 2018 (CALM), for
attributes of any size and views of unequal noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError

FloatArray = NDArray[np.float64]

_HALF_A_RECORD = 0.5


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """A noisy marginal: counts, one axis an attribute, and the variance of each cell.

    Raises InputError for axes that do not match the attributes, a repeated attribute, or
    a variance that is not positive.
    """

    attributes: tuple[str, ...]
    counts: FloatArray
    variance: float = 1.0

    def __post_init__(self) -> None:
        if self.counts.ndim != len(self.attributes):
            raise InputError("a view needs one axis of counts for each of its attributes")
        if len(set(self.attributes)) != len(self.attributes):
            raise InputError("the attributes of a view must be different")
        if not self.variance > 0:
            raise InputError("the variance of a view must be positive")

    @property
    def total(self) -> float:
        """The sum of the counts."""
        return float(self.counts.sum())

    def onto(self, kept: Collection[str]) -> FloatArray:
        """The projection on some of the attributes, one axis each, in alphabetical order."""
        gone = tuple(axis for axis, name in enumerate(self.attributes) if name not in kept)
        left = [name for name in self.attributes if name in kept]
        order = sorted(range(len(left)), key=lambda axis: left[axis])
        return np.asarray(self.counts.sum(axis=gone)).transpose(order)

    def raise_projection(self, kept: Collection[str], by: FloatArray) -> View:
        """The view with ``by`` [as `onto`] added to a projection, spread evenly over its cells."""
        left = sorted(name for name in self.attributes if name in kept)
        back = by.transpose([left.index(name) for name in self.attributes if name in kept])
        sizes = [
            size if name in kept else 1
            for name, size in zip(self.attributes, self.counts.shape, strict=True)
        ]
        return replace(self, counts=self.counts + back.reshape(sizes) / self.cells_summed(kept))

    def cells_summed(self, kept: Collection[str]) -> int:
        """How many cells each answer of a projection is the sum of."""
        shape = zip(self.attributes, self.counts.shape, strict=True)
        return math.prod(size for name, size in shape if name not in kept)


@lru_cache(maxsize=64)
def shared_sets(sets: tuple[tuple[str, ...], ...]) -> tuple[frozenset[str], ...]:
    """What two of the sets or more have in common, closed under intersection, small to large.

    The empty set, whose projection is the total, is always the first.
    """
    found = {frozenset[str]()}
    fresh = {frozenset(left) & frozenset(right) for left, right in combinations(sets, 2)}
    while not fresh <= found:
        found |= fresh
        fresh = {left & right for left, right in combinations(found, 2)}
    return tuple(sorted(found, key=lambda names: (len(names), sorted(names))))


def consistent(views: Sequence[View], total: float | None = None) -> tuple[View, ...]:
    """The views, changed so that any two of them project alike on what they share.

    On every shared set, from small to large, the projections are replaced by their mean,
    weighted by the inverse of their variance (that of a cell times the cells summed), and each
    view's change is spread evenly over the cells summed. A set's change keeps the projections on
    smaller ones, on which all views agree by then. ``total``: a public total, kept exactly.
    """
    changed = list(views)
    for shared in shared_sets(tuple(view.attributes for view in views)):
        held = [place for place, view in enumerate(views) if shared <= set(view.attributes)]
        seen = [changed[place].onto(shared) for place in held]
        if total is not None and not shared:
            target = np.asarray(total, np.float64)
        else:
            weights = [1 / (views[p].variance * views[p].cells_summed(shared)) for p in held]
            target = np.average(np.stack(seen), axis=0, weights=weights)
        for place, projection in zip(held, seen, strict=True):
            changed[place] = changed[place].raise_projection(shared, target - projection)
    return tuple(changed)


def mean_total(views: Sequence[View]) -> float:
    """The mean of the views' totals, weighted by the inverse of their variance."""
    weights = [1 / (view.variance * view.counts.size) for view in views]
    return float(np.average([view.total for view in views], weights=weights))


def settle_views(
    views: Sequence[View],
    without_negatives: Callable[[FloatArray], FloatArray],
    rounds: int,
    total: float | None = None,
) -> tuple[View, ...]:
    """The views made consistent and rid of negative counts in turn, until both hold.

    Stops where what is negative in a consistent view is less than half a record in all, or after
    so many rounds; ends without negatives, so that views may then disagree a little.
    """
    for _ in range(rounds):
        views = consistent(views, total)
        negative = max(float(np.maximum(-view.counts, 0).sum()) for view in views)
        views = tuple(replace(view, counts=without_negatives(view.counts)) for view in views)
        if negative < _HALF_A_RECORD:
            break
    return tuple(views)
