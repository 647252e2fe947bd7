"""δ(∞): the largest chance of outputs under a database that its neighbour can't give."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Block, Columns
from audit.channels.measures.extreme import MAX_EXACT_TERMS, event_chance
from audit.channels.measures.sweep import Chunk, group_pairs, orient, sweep
from audit.statements.decimals import Enclosure
from synthesizers.exact import enclose


class _Impossible:
    """Collects the chance of outputs that the neighbour can't give, both ways round.

    ``low``, ``high``: enclosures of the sums but for rounding, [2, pairs].
    """

    def __init__(self, pairs: int) -> None:
        self.low = np.zeros((2, pairs))
        self.high = np.zeros((2, pairs))
        self.error = 0.0

    def add(self, chunk: Chunk) -> None:
        """Take some pairs and columns into account."""
        low, high, part = chunk.low, chunk.high, chunk.pairs
        self.error = max(self.error, chunk.error)
        self.low[0, part] += np.where(low.q == 0, low.p, 0.0).sum(axis=1)
        self.low[1, part] += np.where(high.p == 0, high.q, 0.0).sum(axis=1)
        # A ratio may be infinite where, for all that is known, the chance below it is 0.
        self.high[0, part] += np.where(np.isinf(high.ratio), high.p, 0.0).sum(axis=1)
        self.high[1, part] += np.where(low.ratio == 0, low.q, 0.0).sum(axis=1)

    def finish_block(self, block: Block) -> None:
        """Nothing is left to do."""


def impossible_mass(columns: Columns) -> Enclosure:
    """δ(∞): the largest chance of outputs under a database that its neighbour can't give.

    Guarantee
    ---------
    The exact value lies inside: a chance that may be 0 counts for the upper end only, and sums of
    doubles are widened by their own rounding; for exact channels with few enough candidates
    (`MAX_EXACT_TERMS`) it is exact. Backed by ``tests/audit/channels/measures/test_impossible.py``.
    """
    pairs, groups = group_pairs(columns, columns.pairs)
    sums = _Impossible(len(pairs))
    sweep(columns, pairs, groups, [sums])
    slack = sums.error * (1 + sums.error) + (len(columns.outputs) + 8) * UNIT_ROUNDOFF
    low, high = sums.low * (1 - slack), sums.high * (1 + slack)
    floor, ceiling = float(low.max(initial=0.0)), min(float(high.max(initial=0.0)), 1.0)
    candidates = np.argwhere((high >= floor) & (high > 0)).tolist()
    if columns.exact is None or len(candidates) * len(columns.outputs) > MAX_EXACT_TERMS:
        return Enclosure(Fraction(min(floor, ceiling)), Fraction(ceiling))
    found = [Enclosure(Fraction(0), Fraction(0))]
    for way, pair in candidates:
        source, target = orient(pairs, way, pair)
        lower_row, upper_row = (ends[0] for ends in columns.rows([target]))
        never = np.flatnonzero(upper_row == 0).tolist()
        small = np.flatnonzero(lower_row == 0).tolist()
        perhaps = [o for o in small if enclose(columns.exact[target, o]).lower <= 0]
        lower = event_chance(columns, source, never).lower
        found.append(Enclosure(lower, event_chance(columns, source, perhaps).upper))
    return Enclosure(max(e.lower for e in found), max(e.upper for e in found))
