"""What a k-marginal score is made of: by group, by column set, by pair and by column."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.score import Breakdown, Entry

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """What a k-marginal score is made of.

    ``scaled`` is the score before the factor 1000. ``distances`` [R] are the mean
    total variations of the sets over the groups; ``parts`` [R] the scores that each set alone would
    have; ``groups`` [G] the scores of the groups, NaN where undefined.
    """

    value: float
    score_over_1000: float
    parts: Floats
    distances: Floats
    groups: Floats
    stated: tuple[str, ...] = ()


def breakdowns(
    sets: Sequence[tuple[str, ...]], distances: Sequence[float]
) -> tuple[Breakdown, ...]:
    """The total variation of each set, of each pair if they are pairs, and of each column."""
    by_set: dict[tuple[str, ...], list[float]] = defaultdict(list)
    by_column: dict[str, list[float]] = defaultdict(list)
    for names, distance in zip(sets, distances, strict=True):
        by_set[tuple(sorted(names))].append(distance)
        for name in dict.fromkeys(names):
            by_column[name].append(distance)
    spelt = {tuple(sorted(names)): names for names in reversed(sets)}
    worst = sorted(
        ((spelt[names], math.fsum(found) / len(found)) for names, found in by_set.items()),
        key=lambda item: -item[1],
    )
    columns = sorted(
        ((name, math.fsum(found) / len(found)) for name, found in by_column.items()),
        key=lambda item: -item[1],
    )
    marginals: list[tuple[Entry, ...]] = [(" × ".join(names), mean) for names, mean in worst]
    tables = [Breakdown.of_worst("marginals", ("attributes", "total variation"), marginals)]
    if all(len(names) == 2 for names, _ in worst):
        pairs: list[tuple[Entry, ...]] = [(*names, mean) for names, mean in worst]
        tables.append(
            Breakdown.of_worst(
                "pairs", ("first attribute", "second attribute", "total variation"), pairs
            )
        )
    note = "mean over the sets with the attribute"
    tables.append(Breakdown("attributes", ("attribute", "total variation"), tuple(columns), note))
    return tuple(tables)
