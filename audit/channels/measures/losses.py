"""Privacy losses ln(P/Q) of many pairs of rows on their outputs, in doubles.

What is known of P and Q is either one double each with a small relative error, or two ends each.
Of a term that falls as P and Q approach each other, whichever of them moves, the ends are attained
at two corners: P least with Q greatest, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

FUNCTION_ERROR = 32 * UNIT_ROUNDOFF
"""Relative error assumed of exp, expm1, log and log1p: 16 units in the last place. NumPy's own
tests allow 4 (numpy/_core/tests/test_umath_accuracy.py), the GNU C library reports at most 2
("Known maximum errors in math functions"). Checked in
``tests/audit/channels/measures/test_losses.py``."""

TIGHT = 1e-6
"""The largest relative error, times the order, of chances that one double stands for."""

BOUNDLESS = 1000.0
"""Stands for an infinite loss: it takes part only with P = 0, which leaves nothing of it."""


@dataclass(frozen=True, slots=True)
class Corner:
    """P and Q at one end each, P - Q and ln(P/Q); arrays [pairs, outputs]."""

    p: FloatArray
    q: FloatArray
    gap: FloatArray
    loss: FloatArray

    @classmethod
    def of(cls, p: FloatArray, q: FloatArray) -> Corner:
        """The corner of given ends. The loss keeps its relative precision, however small."""
        gap, smaller = p - q, np.minimum(p, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.abs(gap)
            loss /= smaller
            np.log1p(loss, out=loss)
        np.copysign(loss, gap, out=loss)
        zero = smaller == 0
        if zero.any():
            loss[zero] = BOUNDLESS * np.sign(gap[zero])
        return cls(p, q, gap, loss)

    def swap(self) -> Corner:
        """The same with P and Q changed over."""
        return Corner(self.q, self.p, -self.gap, -self.loss)


@dataclass(frozen=True, slots=True)
class Losses:
    """What is known of P, Q and the losses of some pairs, [pairs, outputs].

    ``low``: P at its lower end and Q at its upper one; ``high``: the other way round. They are one
    object, and ``level`` is None, where P and Q lie within a relative error of ``blur``, which is
    0 otherwise. ``level``: where P may equal Q. Of each pair, [pairs]: ``distance``: Σ |P - Q|,
    each at the corner where it is larger; ``top``: the largest loss, at least 0; ``unbounded``:
    whether Q may be 0 on an output where P may not. There ``high`` repeats ``low``.
    """

    low: Corner
    high: Corner
    blur: float
    level: BoolArray | None
    distance: FloatArray
    top: FloatArray
    unbounded: BoolArray


def ways(low: Corner, high: Corner, blur: float) -> Iterator[Losses]:
    """The losses of P towards Q, then of Q towards P, of the corners of `Losses`."""
    if low is high:
        distance = np.abs(low.gap).sum(axis=1)
        for corner in (low, low.swap()):
            top = corner.loss.max(axis=1, initial=0)
            yield Losses(corner, corner, blur, None, distance, top, np.zeros(len(top), bool))
        return
    level = (low.gap <= 0) & (high.gap >= 0)
    distance = np.maximum(np.abs(low.gap), np.abs(high.gap)).sum(axis=1)
    for least, most in ((low, high), (high.swap(), low.swap())):
        endless = (most.q == 0) & (most.p > 0)
        kept = _replace_where(most, endless, least) if endless.any() else most
        top = kept.loss.max(axis=1, initial=0)
        yield Losses(least, kept, 0.0, level, distance, top, endless.any(axis=1))


def _replace_where(corner: Corner, where: BoolArray, other: Corner) -> Corner:
    parts = ((side.p, side.q, side.gap, side.loss) for side in (other, corner))
    return Corner(*(np.where(where, *both) for both in zip(*parts, strict=True)))


def vagueness(lower: FloatArray, upper: FloatArray) -> float:
    """The relative error of the means of the ends of chances, rounding included; at most 1."""
    total = lower + upper
    widest = np.max((upper - lower) / np.where(total == 0, 1.0, total), initial=0.0)
    return float(widest) * (1 + 8 * UNIT_ROUNDOFF) + 2 * UNIT_ROUNDOFF
