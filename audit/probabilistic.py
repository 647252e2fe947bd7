"""Probabilistic differential privacy: ε that may fail with a small probability.

Machanavajjhala et al. 2008, as used by Abowd & Vilhuber 2008. The worst case is
over databases; the average is over a *named* law of the confidential data, and
says nothing about any particular database.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from audit.channel import UNIT_ROUNDOFF, Channel, scaled
from audit.decimals import Enclosure
from synthesizers.exact import compare, times_exp
from synthesizers.intervals import exp_interval, float_above, float_below

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

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


def data_laws(channel: Channel) -> dict[str, tuple[Fraction, ...]]:
    """Named laws of the confidential database.

    "uniform": every listed database alike. "multinomial": n records drawn
    independently and uniformly over the cells (for two cells, Binomial(n, 1/2));
    only where all listed databases have one size and are complete.
    """
    count, cells = channel.databases.shape
    laws = {"uniform": (Fraction(1, count),) * count}
    sizes = {int(size) for size in channel.databases.sum(axis=1)}
    if len(sizes) == 1:
        size = sizes.pop()
        if count == math.comb(size + cells - 1, cells - 1):
            ways = [
                math.prod(map(math.comb, accumulate(row), row))
                for row in channel.databases.tolist()
            ]
            laws["multinomial"] = tuple(Fraction(way, cells**size) for way in ways)
    return laws


def probabilistic_delta(channel: Channel, epsilon: Fraction) -> ProbabilisticDelta:
    """The probabilistic δ at ε, worst case and averaged.

    Guarantee
    ---------
    The exact values lie in the enclosures: an entry whose comparison with ε the
    doubles leave open is compared exactly where the channel has exact chances,
    and otherwise counts for the upper end only. Backed by
    ``tests/audit/test_probabilistic.py``.
    """
    either = [np.zeros(channel.lower.shape, bool) for _ in range(2)]
    rarer = [np.zeros(channel.lower.shape, bool) for _ in range(2)]
    budget = [MAX_COMPARISONS]
    for source, targets in enumerate(channel.partners):
        for target in targets.tolist():
            certain, possible = _exceeds(channel, source, target, epsilon, budget)
            for marks, mask in zip((either, rarer), (True, False), strict=True):
                if mask:
                    marks[0][source] |= certain
                    marks[1][source] |= possible
                marks[0][target] |= certain
                marks[1][target] |= possible
    low, high = _sums(channel.lower, either[0], -1), _sums(channel.upper, either[1], 1)
    worst = int(np.argmax(low))
    average: dict[str, Enclosure] = {}
    for name, law in data_laws(channel).items():
        average[name] = _averaged(law, low, high)
        average[f"{name}, less likely cells"] = _averaged(
            law, _sums(channel.lower, rarer[0], -1), _sums(channel.upper, rarer[1], 1)
        )
    top = min(max(float(high.max()), float(low.max())), 1.0)
    ends = Enclosure(Fraction(min(float(low[worst]), top)), Fraction(top))
    return ProbabilisticDelta(ends, channel.counts(worst), average)


def _exceeds(
    channel: Channel, source: int, target: int, epsilon: Fraction, budget: list[int]
) -> tuple[BoolArray, BoolArray]:
    """Where ln(P[·|source]/P[·|target]) > ε certainly, and possibly."""
    factor = exp_interval(epsilon, 96)
    high, low = float_above(factor.upper), float_below(factor.lower)
    up, down = 1 + 4 * UNIT_ROUNDOFF, 1 - 4 * UNIT_ROUNDOFF
    certain = channel.lower[source] > scaled(high * up, channel.upper[target])
    possible = channel.upper[source] > scaled(low * down, channel.lower[target])
    possible &= channel.upper[source] > 0
    open_ = np.flatnonzero(possible & ~certain)
    if channel.exact is None or len(open_) > budget[0]:
        return certain, possible
    budget[0] -= len(open_)
    for output in open_.tolist():
        order = compare(
            channel.exact[source, output], times_exp(channel.exact[target, output], epsilon)
        )
        if order is not None:
            certain[output] = possible[output] = order > 0
    return certain, possible


def _sums(chances: FloatArray, mask: BoolArray, direction: int) -> FloatArray:
    slack = (chances.shape[1] + 4) * UNIT_ROUNDOFF
    return np.asarray(np.where(mask, chances, 0.0).sum(axis=1) * (1 + direction * slack))


def _averaged(law: tuple[Fraction, ...], low: FloatArray, high: FloatArray) -> Enclosure:
    ends = [
        sum(
            (weight * Fraction(value) for weight, value in zip(law, side, strict=True)), Fraction(0)
        )
        for side in (low.tolist(), high.tolist())
    ]
    return Enclosure(min(ends[0], Fraction(1)), min(ends[1], Fraction(1)))
