"""Probabilistic differential privacy: ε that may fail with a small probability.

Machanavajjhala et al. 2008, as used by Abowd & Vilhuber 2008. The worst case is
over databases; the average is over a *named* law of the confidential data, and
says nothing about any particular database.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Block, Columns
from audit.channels.measures.sweep import Chunk, group_pairs, sweep
from audit.statements.decimals import Enclosure
from synthesizers.exact import compare, times_exp
from synthesizers.intervals import exp_interval, float_above, float_below

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Marks = NDArray[np.uint8]

MAX_COMPARISONS = 60_000
"""The most entries within rounding of ε that are compared exactly."""


@dataclass(frozen=True)
class ProbabilisticDelta:
    """How often the loss towards some neighbour exceeds ε.

    ``worst``: the largest probability, given one database, of an output whose
    loss in either direction exceeds ε. ``table``: a database that attains it.
    ``average``: for each named data law, the probability of such an output when
    the database is drawn from it; the laws "…, less likely cells" count only
    outputs that are less likely under the database drawn than under a neighbour
    (the convention of Abowd & Vilhuber's Figure 1).
    """

    worst: Enclosure
    table: tuple[int, ...]
    average: dict[str, Enclosure]


def data_laws(columns: Columns) -> dict[str, tuple[Fraction, ...]]:
    """Named laws of the confidential database.

    "uniform": every listed database alike. "multinomial": n records drawn
    independently and uniformly over the cells (for two cells, Binomial(n, 1/2));
    only where all listed databases have one size and are complete.
    """
    count, cells = columns.databases.shape
    laws = {"uniform": (Fraction(1, count),) * count}
    sizes = {int(size) for size in columns.databases.sum(axis=1)}
    if len(sizes) == 1:
        size = sizes.pop()
        if count == math.comb(size + cells - 1, cells - 1):
            ways = [
                math.prod(map(math.comb, accumulate(row), row))
                for row in columns.databases.tolist()
            ]
            laws["multinomial"] = tuple(Fraction(way, cells**size) for way in ways)
    return laws


class LossBeyond:
    """Collects the chance, under every database, of outputs whose loss exceeds ε.

    ``either``: towards some neighbour in either direction; ``rarer``: as the less likely of the
    two. Enclosures, [2, databases] each, lower ends first.
    """

    def __init__(self, columns: Columns, epsilon: Fraction) -> None:
        self.either = np.zeros((2, len(columns.databases)))
        self.rarer = np.zeros((2, len(columns.databases)))
        self._columns = columns
        self._epsilon = epsilon
        factor = exp_interval(epsilon, 96)
        self._factors = float_below(factor.lower), float_above(factor.upper)
        self._comparisons = MAX_COMPARISONS
        self._marks = np.zeros((0, 0), np.uint8)

    def add(self, chunk: Chunk) -> None:
        """Mark what some pairs show on some columns."""
        if self._marks.shape != chunk.block.lower.shape:
            self._marks = np.zeros(chunk.block.lower.shape, np.uint8)
        shrink, stretch = 1 - chunk.ratio_error, 1 + chunk.ratio_error
        # Beyond the doubles only a quotient that is truly infinite passes.
        most = min(self._factors[1] * (1 + 2**-50), sys.float_info.max)
        least = self._factors[0] * (1 - 2**-50)
        low, high = chunk.low, chunk.high
        # Both ways round: P over Q, and Q over P.
        forward = (low.ratio * shrink > most, (high.ratio * stretch > least) & (high.p > 0))
        with np.errstate(divide="ignore"):
            bounds = 1 / np.array([least, most])
        back = (
            high.ratio * stretch < bounds[1] * (1 - 2**-50),
            (low.ratio * shrink < bounds[0] * (1 + 2**-50)) & (low.q > 0),
        )
        self._compare(chunk, chunk.sources, chunk.targets, *forward)
        self._compare(chunk, chunk.targets, chunk.sources, *back)
        either = _code(forward[0] | back[0], forward[1] | back[1])
        self._marks[chunk.sources] |= either | (_code(*back) << 2)
        self._marks[chunk.targets] |= either | (_code(*forward) << 2)

    def _compare(
        self,
        chunk: Chunk,
        above: IntArray,
        below: IntArray,
        certain: BoolArray,
        possible: BoolArray,
    ) -> None:
        """Decide exactly what the doubles leave open, as far as that is affordable."""
        exact = self._columns.exact
        if exact is None:
            return
        places = np.argwhere(possible & ~certain)
        if len(places) > self._comparisons:
            return
        self._comparisons -= len(places)
        for pair, place in places.tolist():
            column = chunk.block.first + place
            limit = times_exp(exact[below[pair], column], self._epsilon)
            order = compare(exact[above[pair], column], limit)
            if order is not None:
                certain[pair, place] = possible[pair, place] = order > 0

    def finish_block(self, block: Block) -> None:
        """Add up the chances of the outputs marked on these columns."""
        if self._marks.shape != block.lower.shape:
            return
        ends = block.lower * (1 - block.error), block.upper * (1 + block.error)
        slack = (len(self._columns.outputs) + 8) * UNIT_ROUNDOFF
        for sums, first in ((self.either, 0), (self.rarer, 2)):
            for end, factor in ((0, 1 - slack), (1, 1 + slack)):
                marked = np.where(self._marks & (1 << first + end), ends[end], 0.0)
                sums[end] += marked.sum(axis=1) * factor
        self._marks[:] = False

    def merge(self, other: LossBeyond) -> None:
        """Add what another part of the channel gave."""
        for mine, theirs in ((self.either, other.either), (self.rarer, other.rarer)):
            mine += theirs


def _code(certain: BoolArray, possible: BoolArray) -> Marks:
    """Two masks as the lowest two bits of one."""
    return np.asarray(certain.view(np.uint8) | (possible.view(np.uint8) << 1), np.uint8)


def probabilistic_delta(columns: Columns, epsilon: Fraction) -> ProbabilisticDelta:
    """The probabilistic δ at ε, worst case and averaged.

    Guarantee
    ---------
    The exact values lie in the enclosures: an entry whose comparison with ε the
    doubles leave open is compared exactly where the channel has exact chances,
    and otherwise counts for the upper end only. Backed by
    ``tests/audit/channels/measures/test_probabilistic.py``.
    """
    pairs, groups = group_pairs(columns, columns.pairs)
    beyond = LossBeyond(columns, epsilon)
    sweep(columns, pairs, groups, [beyond])
    return loss_beyond(columns, beyond)


def loss_beyond(columns: Columns, beyond: LossBeyond) -> ProbabilisticDelta:
    """The probabilistic δ of what a sweep collected."""
    low, high = beyond.either
    worst = int(np.argmax(low))
    average: dict[str, Enclosure] = {}
    for name, law in data_laws(columns).items():
        average[name] = _average(law, low, high)
        average[f"{name}, less likely cells"] = _average(law, *beyond.rarer)
    top = min(max(float(high.max()), float(low.max())), 1.0)
    ends = Enclosure(Fraction(min(float(low[worst]), top)), Fraction(top))
    return ProbabilisticDelta(ends, tuple(columns.databases[worst].tolist()), average)


def _average(law: tuple[Fraction, ...], low: FloatArray, high: FloatArray) -> Enclosure:
    ends = [
        sum(
            (weight * Fraction(value) for weight, value in zip(law, side, strict=True)), Fraction(0)
        )
        for side in (low.tolist(), high.tolist())
    ]
    return Enclosure(min(ends[0], Fraction(1)), min(ends[1], Fraction(1)))
