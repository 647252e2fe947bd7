"""The smallest ε of a channel: the largest |ln ratio| over neighbours and outputs.

Doubles find the candidates; where the channel has exact chances, the candidates are compared
exactly, so that equality is decided as an equality.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Block, Columns
from audit.channels.measures.extreme import MAX_EXACT_TERMS, Extreme, decide, witness_of
from audit.channels.measures.sweep import RATIO_ERROR, Chunk, group_pairs, orient, ratios, sweep
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Witness
from synthesizers.exact import Exact, ExpRational, compare, divide, enclose, log_enclosure
from synthesizers.intervals import log_interval

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Place:
    """A ratio's row in the numerator, its row in the denominator, its column."""

    source: int
    target: int
    output: int


class LargestRatio:
    """Collects the largest ratio of chances of every pair of neighbours, both ways round.

    ``low``, ``high``: enclosures of the largest P/Q and Q/P, [2, pairs]. ``best``: where the
    largest lower end was met.
    """

    def __init__(self, pairs: int) -> None:
        self.low = np.ones((2, pairs))
        self.high = np.ones((2, pairs))
        self.best: Place | None = None
        self._top = 0.0

    def add(self, chunk: Chunk) -> None:
        """Take some pairs and columns into account."""
        below, above = chunk.low.ratio, chunk.high.ratio
        one = below is above
        most, least = below.max(axis=1), below.min(axis=1)
        tops = most if one else above.max(axis=1)
        bottoms = least if one else above.min(axis=1)
        with np.errstate(divide="ignore"):
            # The least of P/Q at its upper end is the greatest of Q/P at its lower end.
            lows, highs = np.stack([most, 1 / bottoms]), np.stack([tops, 1 / least])
        shrink, stretch = 1 - chunk.ratio_error, 1 + chunk.ratio_error
        part = np.s_[:, chunk.pairs]
        np.maximum(self.low[part], lows * shrink, out=self.low[part])
        np.maximum(self.high[part], highs * stretch, out=self.high[part])
        if lows.max() > self._top:
            self._top = float(lows.max())
            way, pair = divmod(int(lows.argmax()), lows.shape[1])
            # 0/0 counts as 1, but shows nothing.
            if way == 0:
                column = np.where(chunk.high.p[pair] > 0, below[pair], 0.0).argmax()
            else:
                column = np.where(chunk.low.q[pair] > 0, above[pair], math.inf).argmin()
            rows = int(chunk.sources[pair]), int(chunk.targets[pair])
            source, target = rows if way == 0 else rows[::-1]
            self.best = Place(source, target, chunk.block.first + int(column))

    def finish_block(self, block: Block) -> None:
        """Nothing is left to do."""

    def merge(self, other: LargestRatio) -> None:
        """Take over what another part of the channel gave."""
        np.maximum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)
        if other._top > self._top:
            self.best, self._top = other.best, other._top


def epsilon(columns: Columns) -> Extreme:
    """The smallest ε such that the channel is ε-differentially private, in nats.

    Abowd & Vilhuber 2008, equation (3): the largest |ln ratio| over neighbours
    and outputs. Infinite where a zero stands beside a non-zero.

    Guarantee
    ---------
    The exact value lies in ``enclosure``; ``value`` is the exact e^ε. Backed by
    the comparison with all pairs in fractions in
    ``tests/audit/channels/measures/test_epsilon_and_delta.py``.
    """
    pairs, groups = group_pairs(columns, columns.pairs)
    largest = LargestRatio(len(pairs))
    sweep(columns, pairs, groups, [largest])
    return smallest_epsilon(columns, pairs, largest)


def smallest_epsilon(columns: Columns, pairs: IntArray, largest: LargestRatio) -> Extreme:
    """The smallest ε of the ratios that a sweep collected, decided exactly where possible."""
    if not len(pairs):
        return Extreme(Enclosure(Fraction(0), Fraction(0)), Fraction(1), None)
    best = largest.best
    floor, ceiling = float(largest.low.max()), float(largest.high.max())
    if best is None:
        # Every chance may be 0 for all that is known of it: no ratio has a lower end.
        above = math.inf if math.isinf(ceiling) else log_interval(Fraction(ceiling), 96).upper
        return Extreme(Enclosure(Fraction(0), above), None, None)
    if math.isinf(floor):
        return Extreme(Enclosure.infinite(), None, _witness(columns, best))
    if columns.exact is not None:
        exact = _exact_largest(columns.exact, columns, pairs, largest)
        if exact is not None:
            ratio, place = exact
            ends = log_enclosure(ratio)
            lower = max(ends.lower, Fraction(0))
            enclosure = Enclosure(lower, max(ends.upper, lower))
            return Extreme(enclosure, ratio, _witness(columns, place))
    upper = math.inf if math.isinf(ceiling) else log_interval(Fraction(ceiling), 96).upper
    lower = max(log_interval(Fraction(floor), 96).lower, Fraction(0))
    return Extreme(Enclosure(lower, upper), None, _witness(columns, best))


def _witness(columns: Columns, place: Place) -> Witness:
    return witness_of(columns, place.source, place.target, [place.output])


def _exact_largest(
    exact: NDArray[np.object_], columns: Columns, pairs: IntArray, largest: LargestRatio
) -> tuple[Exact, Place] | None:
    """The exact largest ratio among the entries that may attain it, with where it is attained."""
    floor = float(largest.low.max())
    places: list[Place] = []
    for way, pair in np.argwhere(largest.high >= floor).tolist():
        source, target = orient(pairs, way, pair)
        places += [
            Place(source, target, first + output)
            for first, side in ratios(columns, source, target)
            for output in np.flatnonzero(
                (side.ratio[0] * (1 + RATIO_ERROR) >= floor) & (side.p[0] > 0)
            ).tolist()
        ]
        if len(places) > MAX_EXACT_TERMS:
            return None
    best: tuple[Exact, Place] | None = None
    for place in places:
        below = exact[place.target, place.output]
        if enclose(below).lower <= 0:
            return None
        ratio = divide(exact[place.source, place.output], below)
        order = 1 if best is None else compare(ratio, best[0])
        if order is None:
            return None
        if order > 0:
            best = ratio, place
    return best


def decide_epsilon(columns: Columns, wanted: Fraction) -> tuple[Decision, Extreme]:
    """Whether the channel is ``wanted``-DP, with its smallest ε."""
    extreme = epsilon(columns)
    return decide(extreme, ExpRational.exp(wanted), wanted), extreme
