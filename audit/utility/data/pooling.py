"""Values of an attribute put together, so that they can be looked at: neighbours, or rare ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.attributes import Attribute


@dataclass(frozen=True)
class Pooling:
    """A label a group, and the group of each code."""

    labels: tuple[str, ...]
    groups: tuple[int, ...]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The group [codes] of each code."""
        return np.array(self.groups, dtype=np.int64)

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts [tables, groups] of groups from those of codes [tables, codes]."""
        total = np.zeros((len(self.labels), len(counts)), dtype=np.int64)
        np.add.at(total, self.places, counts.T)
        return total.T


def is_ordered(attribute: Attribute) -> bool:
    """Whether the values have neighbours: of bins, and of an ordinal attribute."""
    return attribute.ordinal or attribute.edges is not None


def even_starts(values: int, most: int) -> tuple[int, ...]:
    """The first value of each group of as many neighbours, the last one's fewer."""
    return tuple(range(0, values, -(-values // most)))


def balanced_starts(counts: NDArray[np.int64], most: int) -> tuple[int, ...]:
    """The first value of each of at most so many groups of neighbours, of counts nearly alike.

    Up to so many values each is a group of its own.
    """
    if len(counts) <= most:
        return tuple(range(len(counts)))
    weights = counts + (0 if counts.any() else 1)
    middles = np.cumsum(weights) - weights / 2
    places = np.minimum(np.floor(most * middles / weights.sum()), most - 1)
    return (0, *(np.flatnonzero(np.diff(places)) + 1).tolist())


def pool_neighbours(attribute: Attribute, labels: Sequence[str], starts: Sequence[int]) -> Pooling:
    """Groups of neighbours by their first values; a missing value and others stay by themselves.

    ``labels``: of all codes.
    """
    values = len(attribute.values)
    ends = (*starts[1:], values)
    groups = np.searchsorted(starts, np.arange(values), side="right") - 1
    others = range(len(starts), len(starts) + len(labels) - values)
    names = [_span(attribute, first, end - 1) for first, end in zip(starts, ends, strict=True)]
    return Pooling((*names, *labels[values:]), (*map(int, groups), *others))


def _span(attribute: Attribute, first: int, last: int) -> str:
    """The label of neighbours from the first to the last of them."""
    low, high = attribute.values[first], attribute.values[last]
    if first == last:
        return low
    if attribute.edges is None:
        return f"{low} to {high}"
    write = attribute.quantity.write
    ends = f"{write(attribute.edges[first])}, {write(attribute.edges[last + 1])}"
    return f"[{ends}{high[-1]}"


def pool_rare(labels: Sequence[str], values: int, kept: Sequence[int]) -> Pooling:
    """The ``kept`` ones of so many values in their order, then all others of them as one group.

    ``labels``: of all codes; a missing value and others after the values stay by themselves.
    """
    place = {code: group for group, code in enumerate(kept)}
    rest = values - len(kept)
    names = [labels[code] for code in kept]
    if rest:
        names.append(f"{rest} other value{'s' if rest > 1 else ''}")
    groups = [place.get(code, len(kept)) for code in range(values)]
    others = range(len(names), len(names) + len(labels) - values)
    return Pooling((*names, *labels[values:]), (*groups, *others))


def largest(counts: NDArray[Any], most: int) -> list[int]:
    """The places of the largest counts [m], largest first; of equal ones the first."""
    return [int(place) for place in np.argsort(-counts, kind="stable")[:most]]
