"""Rényi divergences at orders 2, 4, 8, …, of channels that are looked at only once.

Σ P^α·Q^(1-α) = Σ P·(P/Q)^(α-1) by repeated squaring: no logarithm and no exponential an entry,
which is what an order costs in `audit.channels.measures.renyi`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Block
from audit.channels.measures.sweep import Chunk, Side
from audit.statements.decimals import Enclosure, Extended
from synthesizers.intervals import log_interval

FloatArray = NDArray[np.float64]

ORDERS = (2, 4, 8, 16, 32)

_LOST = 2.0**-900
"""More than what underflow takes from the powers of one output."""


class PowerSums:
    """Collects Σ P^α·Q^(1-α) at `ORDERS` of every pair of neighbours, both ways round.

    ``low``, ``high``: ends of the sums before rounding is counted, [orders, 2, pairs].
    """

    def __init__(self, pairs: int) -> None:
        self.low = np.zeros((len(ORDERS), 2, pairs))
        self.high = np.zeros((len(ORDERS), 2, pairs))
        self._columns = 0
        self._blocks = 0
        self._error = 0.0
        self._ratio_error = 0.0

    def add(self, chunk: Chunk) -> None:
        """Take some pairs and columns into account."""
        self._error = max(self._error, chunk.error)
        self._ratio_error = max(self._ratio_error, chunk.ratio_error)
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            here = _sums(chunk.low)
            there = here if chunk.high is chunk.low else _sums(chunk.high)
        # P/Q at its lower end is Q/P at its upper end.
        self.low[:, 0, chunk.pairs] += here[:, 0]
        self.high[:, 1, chunk.pairs] += here[:, 1]
        self.high[:, 0, chunk.pairs] += there[:, 0]
        self.low[:, 1, chunk.pairs] += there[:, 1]

    def finish_block(self, block: Block) -> None:
        """Count the columns: each adds a rounding to the sums."""
        self._columns += block.lower.shape[1]
        self._blocks += 1

    def merge(self, other: PowerSums) -> None:
        """Add what another part of the channel gave."""
        self.low += other.low
        self.high += other.high
        self._columns += other._columns
        self._blocks += other._blocks + 1
        self._error = max(self._error, other._error)
        self._ratio_error = max(self._ratio_error, other._ratio_error)

    def divergences(self, epsilon: Enclosure) -> dict[Fraction, Enclosure]:
        """The largest D_α over neighbours at every order, of a channel with that smallest ε.

        Guarantee
        ---------
        The exact values lie in the enclosures. A power beyond the doubles leaves D between that of
        the order before and ε: D_α grows with α, up to ε. Backed by
        ``tests/audit/channels/measures/test_power_sums.py``.
        """
        found: dict[Fraction, Enclosure] = {}
        floor: Extended = Fraction(0)
        for place, order in enumerate(ORDERS):
            if epsilon.lower == math.inf:
                found[Fraction(order)] = Enclosure.infinite()
                continue
            low, high = self._ends(place, order)
            if math.isfinite(low):
                floor = max(floor, log_interval(Fraction(low), 96).lower / (order - 1))
            ceiling = epsilon.upper
            if math.isfinite(high):
                ceiling = min(ceiling, log_interval(Fraction(high), 96).upper / (order - 1))
            found[Fraction(order)] = Enclosure(floor, max(floor, ceiling))
        return found

    def _ends(self, place: int, order: int) -> tuple[float, float]:
        """The largest sum over pairs, between two doubles of at least 1."""
        roundings = 4 * order + self._columns + self._blocks + 16
        slack = order * self._ratio_error + 2 * self._error + roundings * UNIT_ROUNDOFF
        slack *= 1 + slack
        low = float(self.low[place].max(initial=1.0)) * (1 - slack)
        high = float(self.high[place].max(initial=1.0)) + self._columns * _LOST
        return max(low, 1.0), max(high * (1 + slack), 1.0)


def _sums(side: Side) -> FloatArray:
    """Σ P·(P/Q)^(α-1) and Σ Q·(Q/P)^(α-1) at every order, [orders, 2, pairs]."""
    sums = np.empty((len(ORDERS), 2, len(side.p)))
    for way, (weight, ratio) in enumerate(((side.p, side.ratio), (side.q, 1 / side.ratio))):
        power = ratio.copy()
        for place in range(len(ORDERS)):
            if place:
                # From α - 1 to 2α - 1.
                np.multiply(power, power, out=power)
                np.multiply(power, ratio, out=power)
            sums[place, way] = np.einsum("pc,pc->p", weight, power)
    return sums
