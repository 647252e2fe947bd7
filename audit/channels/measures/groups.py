"""Group privacy: what a channel lets out about databases two, three and more steps apart.

The guarantee of neighbours extends to groups of t by itself: at distance t, ε is at most t times
that of neighbours (Dwork & Roth 2014, Theorem 2.2). What a channel loses in fact is often less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array

from audit.channels.columns import Columns
from audit.channels.measures.delta import HockeyStick, largest_delta
from audit.channels.measures.epsilon import LargestRatio, smallest_epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.sweep import sweep
from audit.statements.decimals import Enclosure

IntArray = NDArray[np.int64]

MAX_DISTANCE = 4
"""The largest distance that is measured unless asked for more."""

MAX_ENTRIES = 1_000_000_000
"""The most entries (ordered pairs times outputs) that are compared at one distance (some ten
seconds)."""


@dataclass(frozen=True)
class GroupLoss:
    """What the databases exactly ``distance`` steps apart let out about each other.

    A step leads from a listed database to a listed neighbour; the distance of two databases is the
    least number of steps. ``pairs``: how many unordered pairs there are. ``epsilon``: the largest
    |ln ratio| over them; ``deltas``: δ at each ε, keyed as the user typed it; their witnesses are
    pairs at this distance, not neighbours. ``naive``: the distance times the smallest ε of
    neighbours, which ``epsilon`` never exceeds.

    A larger distance need not lose more: what matters are the two databases, not the way between.
    """

    distance: int
    pairs: int
    epsilon: Extreme
    naive: Enclosure
    deltas: Mapping[str, Extreme]


@dataclass(frozen=True)
class GroupLosses:
    """The losses at distance 1, 2, … up to the largest asked for, or the largest there is.

    ``left_out``: why they end earlier; empty where they do not. Databases that no steps connect
    have no distance.
    """

    losses: tuple[GroupLoss, ...]
    left_out: str


def group_losses(
    columns: Columns, epsilons: Mapping[str, Fraction], most: int = MAX_DISTANCE
) -> GroupLosses:
    """The smallest ε, and δ at each of ``epsilons``, between databases 1 to ``most`` steps apart.

    Guarantee
    ---------
    As for `audit.channels.measures.epsilon.epsilon` and `audit.channels.measures.delta.delta`, over
    the pairs at each distance. Backed by the comparison with all paths in
    ``tests/audit/channels/measures/test_groups.py``.
    """
    losses: list[GroupLoss] = []
    databases, outputs = len(columns.databases), len(columns.outputs)
    apart = islice(pairs_apart(columns.pairs, databases), most)
    for distance, pairs in enumerate(apart, start=1):
        if 2 * len(pairs) * outputs > MAX_ENTRIES:
            reason = (
                f"{len(pairs)} pairs at distance {distance} on {outputs} outputs are more than "
                f"{MAX_ENTRIES} comparisons"
            )
            return GroupLosses(tuple(losses), reason)
        found, deltas = _measure(columns, pairs, epsilons)
        single = losses[0].epsilon if losses else found
        naive = Enclosure(distance * single.enclosure.lower, distance * single.enclosure.upper)
        losses.append(GroupLoss(distance, len(pairs), found, naive, deltas))
    return GroupLosses(tuple(losses), "")


def pairs_apart(steps: IntArray, databases: int) -> Iterator[IntArray]:
    """The unordered pairs of databases at distance 1, 2, …, [pairs, 2] row numbers, until none is.

    ``steps``: the unordered pairs at distance 1. Breadth first from all databases at once.
    """
    both = np.concatenate([steps, steps[:, ::-1]])
    ones = np.ones(len(both), np.bool_)
    step = csr_array((ones, (both[:, 0], both[:, 1])), shape=(databases, databases))
    ends = seen = csr_array(eye_array(databases, dtype=np.bool_))
    while True:
        ends = csr_array((ends @ step) > seen)
        seen = csr_array(seen + ends)
        rows, columns = ends.nonzero()
        pairs = np.stack([rows, columns], axis=1)[rows < columns].astype(np.int64)
        if not len(pairs):
            return
        yield pairs


def _measure(
    columns: Columns, among: IntArray, epsilons: Mapping[str, Fraction]
) -> tuple[Extreme, dict[str, Extreme]]:
    # Nothing here is kept by row, and pairs far apart have almost as many steps as pairs.
    pairs, groups = among, [slice(0, len(among))]
    largest = LargestRatio(len(pairs))
    sticks = {text: HockeyStick(len(pairs), value) for text, value in epsilons.items()}
    sweep(columns, pairs, groups, [largest, *sticks.values()])
    for sums in sticks.values():
        sums.widen()
    deltas = {
        text: largest_delta(columns, pairs, sums, epsilons[text]) for text, sums in sticks.items()
    }
    return smallest_epsilon(columns, pairs, largest), deltas
