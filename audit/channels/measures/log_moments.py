"""The curve f(α) = ln Σ P^α·Q^(1-α) of a pair of rows: at one order, and over all between two.

f is convex, f(1) = 0 and f' is the mean of the loss ℓ = ln(P/Q) under the weights P^α·Q^(1-α)
over their sum; f'' is its variance and f'''' its fourth cumulant. D_α is f(α)/(α - 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.measures.losses import FUNCTION_ERROR, TIGHT, Corner, Losses, vagueness, ways
from audit.channels.measures.moments import (
    bound_spread,
    divergence_sums,
    log_moment,
    slope_sums,
    tilt_losses,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

CHUNK = 1 << 16
"""Entries (pairs × outputs) that are looked at together, as in `audit.channels.measures.sweep`."""

_SLACK = 16 * UNIT_ROUNDOFF
"""More than the rounding of a few operations."""


@dataclass(frozen=True)
class Points:
    """Points of the curves of some pairs, one a pair.

    ``beta``: α - 1. ``low``, ``high``: ends of f(α); ``slope_low``, ``slope_high``: of f'(α).
    ``spread``: a ceiling of the fourth root of the mean of (ℓ - c)⁴, c some number between
    the ends of f'(α).
    """

    beta: FloatArray
    low: FloatArray
    high: FloatArray
    slope_low: FloatArray
    slope_high: FloatArray
    spread: FloatArray

    def take(self, chosen: NDArray[Any]) -> Points:
        """Some of the points."""
        return Points(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def ratios(self) -> tuple[FloatArray, FloatArray]:
        """Ends of D_α/α, the limit f'(1) where α is 1."""
        area = np.where(self.beta == 0, 1.0, self.beta * (1 + self.beta))
        low = np.where(self.beta == 0, self.slope_low, self.low) / area
        high = np.where(self.beta == 0, self.slope_high, self.high) / area
        return low * (1 - _SLACK), high * (1 + _SLACK)


def join(parts: Sequence[Points]) -> Points:
    """All points of several."""
    names = [field.name for field in fields(Points)]
    return Points(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class Rows:
    """Enclosed chances of some rows of a channel, [rows, outputs] each."""

    lower: FloatArray
    upper: FloatArray

    @cached_property
    def _vague(self) -> float:
        return vagueness(self.lower, self.upper)

    @cached_property
    def _centre(self) -> FloatArray:
        return np.asarray((self.lower + self.upper) / 2)

    def losses(self, sources: IntArray, targets: IntArray, beta: float) -> Losses:
        """The losses of pairs, by one double a chance where that is close enough at ``beta``."""
        if self._vague * (1 + beta) <= TIGHT:
            corner = Corner.of(self._centre[sources], self._centre[targets])
            return next(ways(corner, corner, self._vague))
        low = Corner.of(self.lower[sources], self.upper[targets])
        return next(ways(low, Corner.of(self.upper[sources], self.lower[targets]), 0.0))


def points(rows: Rows, sources: IntArray, targets: IntArray, beta: FloatArray) -> Points:
    """The points at orders 1 + ``beta``, all 1 or all above it, of pairs of rows by number.

    Guarantee
    ---------
    The exact values lie between the ends for all rows within theirs that sum to 1. Backed by the
    comparison in high precision in ``tests/audit/channels/measures/test_log_moments.py``.
    """
    step = max(1, CHUNK // rows.lower.shape[1])
    parts = [slice(start, start + step) for start in range(0, len(beta), step)]
    return join([_points(rows, sources[part], targets[part], beta[part]) for part in parts])


def _points(rows: Rows, sources: IntArray, targets: IntArray, beta: FloatArray) -> Points:
    losses = rows.losses(sources, targets, float(beta.max()))
    tilt = tilt_losses(losses, beta)
    outputs = rows.lower.shape[1]
    # Of the additions, and of the scale.
    rounding = outputs * UNIT_ROUNDOFF + 4 * FUNCTION_ERROR
    sums, slopes = divergence_sums(losses, tilt), slope_sums(losses, tilt)
    value = log_moment(sums, beta, tilt.shift, outputs)
    floor = (tilt.scale + beta * np.maximum(sums.low, 0)) * (1 - rounding)
    ceiling = (tilt.scale + beta * sums.high) * (1 + rounding)
    with np.errstate(divide="ignore", over="ignore"):
        slope_high = slopes.high / floor * (1 + rounding)
        slope_low = np.maximum(slopes.low, 0) / ceiling * (1 - rounding)
        spreads = bound_spread(losses, tilt, (slope_low + slope_high) / 2, floor)
    high, slope_high, spreads = (
        np.where(losses.unbounded, np.inf, end) for end in (value.high, slope_high, spreads)
    )
    return Points(beta, value.low, high, slope_low, slope_high, spreads)


def ceilings(left: Points, right: Points) -> FloatArray:
    """Upper ends of D_α/α over all orders from those of ``left`` to those of ``right``.

    The lesser of two bounds. The chord is above f, by convexity. The cubic with f's values and
    slopes at both ends a, b falls short of f by f''''(ξ)·(α - a)²·(b - α)²/24. Either way f is
    below a polynomial; its coefficients of Bernstein over those of α·(α - 1), all of them
    positive, are nowhere exceeded by the quotient of the two.

    Guarantee
    ---------
    No quotient in between is larger, of the rows that the points are of. Backed by
    ``tests/audit/channels/measures/test_log_moments.py``.
    """
    width = right.beta - left.beta
    here = left.beta * (1 + left.beta)
    there = right.beta * (1 + right.beta)
    middle = here + (1 + 2 * left.beta) * width / 2
    with np.errstate(over="ignore", invalid="ignore"):
        chord = _largest_quotient(
            [left.high, (left.high + right.high) / 2, right.high], [here, middle, there]
        )
        rise, fall = left.slope_high * width / 3, right.slope_low * width / 3
        first, second = left.high + rise, right.high - fall
        error = 8 * UNIT_ROUNDOFF * (left.high + right.high + rise + fall)
        bulge = fourth_cumulants(left, right, width) * width**4 / 144 * (1 + _SLACK)
        cubic = _largest_quotient(
            [
                left.high,
                (left.high + 3 * first) / 4 + error,
                (first + second) / 2 + error + bulge,
                (right.high + 3 * second) / 4 + error,
                right.high,
            ],
            [
                here,
                (here + middle) / 2,
                (here + 4 * middle + there) / 6,
                (middle + there) / 2,
                there,
            ],
        )
    return np.minimum(chord, cubic)


def fourth_cumulants(left: Points, right: Points, width: FloatArray) -> FloatArray:
    """Ceilings of f'''' in between: the fourth cumulant is at most the fourth central moment.

    Take c between the slopes at the ends, and d the difference of the slopes. The weighted sum
    of (ℓ - c)⁴·e^(-cα) is convex in α, so no larger than at one end, and the sum of the weights
    times e^(-cα) is no smaller than there times e^(-d·width). Moving the centre by up to d adds d
    to the fourth root (Minkowski), first from the points' centres to c, then to the mean.
    """
    drift = right.slope_high - left.slope_low
    root = (np.maximum(left.spread, right.spread) + drift) * np.exp(drift * width / 4) + drift
    return root**4


def _largest_quotient(above: Sequence[FloatArray], below: Sequence[FloatArray]) -> FloatArray:
    """The largest of the quotients; the first is left out where it is 0/0, at order 1."""
    quotients = [
        np.where(q == 0, -np.inf, p / np.where(q == 0, 1.0, q))
        for p, q in zip(above, below, strict=True)
    ]
    largest = np.max(quotients, axis=0) * (1 + _SLACK)
    return np.where(np.isnan(largest), np.inf, largest)
