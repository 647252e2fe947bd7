"""Moments of the privacy loss, Σ P^α·Q^(1-α) over outputs, for many pairs of rows in doubles.

With β = α - 1 and the loss ℓ = ln(P/Q) of an output, what is added up is

    t = P·(e^(βℓ) - 1)/β - (P - Q),        at β = 0  t = P·ℓ - (P - Q).

Rows sum to 1, so Σ P^α·Q^(1-α) = 1 + β·Σt, and at β = 0 Σt is the divergence of Kullback and
Leibler. No term is negative, so little is lost where all losses are small; and t falls as P and Q
approach each other, by its derivatives (1 + 1/β)·(e^(βℓ) - 1) by P and 1 - e^(αℓ) by Q. The same
holds of the derivative of β·t by β, s = P·e^(βℓ)·ℓ - (P - Q).

Errors. An operation on doubles is wrong by a factor within 1 ± u, u = 2^-53, a function of numpy
by one within 1 ± `FUNCTION_ERROR`, and an error of ℓ costs e^(βℓ) - 1 a factor (1 + βℓ) more. So
t and s are off by at most `_RATE`·(1 + βℓ) times t + 2·|P - Q| and s + 2·|P - Q|. Chances that are
off by a factor within 1 ± d move both, to first order, by at most 2·(1 + 2β)·d times the same, as
P·∂t/∂P = (1 + β)·g and Q·∂t/∂Q = -β·g - (P - Q) with g = t + (P - Q); and so for s. To second
order |P - Q| varies by another 2·d·(P + Q), whose sum is at most 4·d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.measures.losses import FUNCTION_ERROR, Corner, Losses

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RATE = 8 * FUNCTION_ERROR

STEEP = 600.0
"""From this βℓ on logarithms are added, as e^(βℓ) nears the end of the doubles."""

UNDERFLOW = 2.0**-1000
"""More than what the terms of one output lose below the normal doubles."""


@dataclass(frozen=True, slots=True)
class Tilted:
    """P·(e^(βℓ) - 1)/β at both corners, [pairs, outputs], all of it times ``scale``, [pairs].

    ``shift`` is -ln ``scale``. Σt is off by at most ``error``·(Σt + ``base``), Σs by at most
    ``error``·(Σs + ``slope_base``).
    """

    beta: FloatArray
    low: FloatArray
    high: FloatArray
    shift: FloatArray
    scale: FloatArray
    error: FloatArray
    base: FloatArray
    slope_base: FloatArray


def tilt_losses(losses: Losses, beta: FloatArray) -> Tilted:
    """What the sums at order 1 + β need; ``beta``: one for each pair, all 0 or all from 10^-9 on.

    Where no e^(βℓ) nears the end of the doubles it is taken as it is. Elsewhere it is
    e^(ln P + βℓ - shift), with an error that grows with the exponents, which are at most
    710 + 2·βℓ in size, and relative to P·e^(βℓ) = β·t + P + β·(P - Q).
    """
    top = beta * losses.top
    low = _growth(losses.low, beta)
    high = low if losses.low is losses.high else _growth(losses.high, beta)
    shift, scale = np.zeros(len(beta)), np.ones(len(beta))
    error = _RATE * (1 + top)
    distance = 2 * losses.distance + 4 * losses.blur
    base = distance.copy()
    steep = np.flatnonzero(top > STEEP)
    if len(steep):
        exponents = _exponents(losses.high, steep, beta)
        shift[steep] = np.maximum(exponents.max(axis=1), 0)
        scale[steep] = np.exp(-shift[steep])
        high[steep] = _scaled_growth(losses.high, exponents, steep, beta, shift)
        if low is not high:
            exponents = _exponents(losses.low, steep, beta)
            low[steep] = _scaled_growth(losses.low, exponents, steep, beta, shift)
        error[steep] = _RATE * (1000 + 3 * top[steep])
        base[steep] += losses.high.p[steep].sum(axis=1) / beta[steep]
    error += 3 * (1 + 2 * beta) * losses.blur
    return Tilted(beta, low, high, shift, scale, error, base * scale, distance * scale)


def _growth(corner: Corner, beta: FloatArray) -> FloatArray:
    """P·(e^(βℓ) - 1)/β, or P·ℓ where β is 0; infinite or undefined beyond the doubles."""
    if not beta.any():
        return corner.p * corner.loss
    growth = beta[:, None] * corner.loss
    with np.errstate(over="ignore", invalid="ignore"):
        np.expm1(growth, out=growth)
        growth *= corner.p
        growth *= 1 / beta[:, None]
    return growth


def _exponents(corner: Corner, steep: IntArray, beta: FloatArray) -> FloatArray:
    """ln(P·e^(βℓ)) of some pairs."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(corner.p[steep]) + beta[steep, None] * corner.loss[steep])


def _scaled_growth(
    corner: Corner, exponents: FloatArray, steep: IntArray, beta: FloatArray, shift: FloatArray
) -> FloatArray:
    powers = np.exp(exponents - shift[steep, None])
    powers -= np.exp(-shift[steep, None]) * corner.p[steep]
    return np.asarray(powers / beta[steep, None])


@dataclass(frozen=True, slots=True)
class Sums:
    """Ends of a sum over outputs, [pairs], before the rounding of the additions is counted."""

    low: FloatArray
    high: FloatArray


def divergence_sums(losses: Losses, tilt: Tilted) -> Sums:
    """Σt times ``tilt.scale``. Infinite ends are for the caller to set."""

    def terms(corner: Corner, growth: FloatArray) -> FloatArray:
        return growth - _scale(corner.gap, tilt)

    return _sums(losses, tilt, terms, tilt.base)


def slope_sums(losses: Losses, tilt: Tilted) -> Sums:
    """Σs times ``tilt.scale``, the derivative of β·Σt by β. Infinite ends are as before."""

    def terms(corner: Corner, growth: FloatArray) -> FloatArray:
        slopes = _powers(corner, growth, tilt)
        slopes *= corner.loss
        slopes -= _scale(corner.gap, tilt)
        return slopes

    return _sums(losses, tilt, terms, tilt.slope_base)


def _sums(
    losses: Losses,
    tilt: Tilted,
    terms: Callable[[Corner, FloatArray], FloatArray],
    base: FloatArray,
) -> Sums:
    """Sums of the lower and of the upper ends of terms that are known at both corners."""
    here = terms(losses.low, tilt.low)
    lost = UNDERFLOW * here.shape[1]
    if losses.level is None:
        total = here.sum(axis=1)
        wrong = tilt.error * (total + base) + lost
        return Sums(total - wrong, total + wrong)
    there = terms(losses.high, tilt.high)
    far = np.maximum(here, there).sum(axis=1)
    near = np.minimum(here, there, out=here)
    np.copyto(near, 0.0, where=losses.level)
    wrong = tilt.error * (far + base) + lost
    return Sums(near.sum(axis=1) - wrong, far + wrong)


def bound_spread(losses: Losses, tilt: Tilted, centre: FloatArray, total: FloatArray) -> FloatArray:
    """A ceiling of (Σ w·(ℓ - centre)⁴)^(1/4) with weights w = P^α·Q^(1-α) over their sum, [pairs].

    ``total``: a floor of that sum, times ``tilt.scale``.
    """
    away = np.abs(losses.high.loss - centre[:, None])
    if losses.level is not None:
        np.maximum(away, np.abs(losses.low.loss - centre[:, None]), out=away)
    away *= away
    away *= away
    weights = _powers(losses.high, tilt.high, tilt)
    # P·(e^(βℓ) - 1) + P may lose what is small beside P.
    weights += _scale(losses.high.p, tilt) * (2 * _RATE)
    with np.errstate(divide="ignore", invalid="ignore"):
        away *= weights
        root = (away.sum(axis=1) / total) ** 0.25
    # 1% for all relative errors, and the absolute ones of a loss: its own, below 2^11, and blur.
    found = root * 1.01 + 2.0**-36 + 3 * losses.blur
    return np.where(np.isnan(found), np.inf, found)


def _powers(corner: Corner, growth: FloatArray, tilt: Tilted) -> FloatArray:
    """P^α·Q^(1-α) times ``tilt.scale``."""
    powers = growth * tilt.beta[:, None]
    powers += _scale(corner.p, tilt)
    return powers


def _scale(values: FloatArray, tilt: Tilted) -> FloatArray:
    return values * tilt.scale[:, None] if tilt.shift.any() else values


def divergences(
    sums: Sums, beta: FloatArray, shift: FloatArray, additions: FloatArray | int
) -> Sums:
    """D_α of Σt times e^-``shift``, of any shape; ``beta`` is positive, or 0 all over.

    ``additions``: how many doubles were added up, in any order (Higham 2002, chapter 4).
    """
    if not beta.any():
        rounding = _rounding(additions)
        return Sums(np.maximum(sums.low, 0) * (1 - rounding), sums.high * (1 + rounding))
    moments = log_moment(sums, beta, shift, additions)
    slack = 4 * UNIT_ROUNDOFF
    return Sums(moments.low / beta * (1 - slack), moments.high / beta * (1 + slack))


def log_moment(
    sums: Sums, beta: FloatArray, shift: FloatArray, additions: FloatArray | int
) -> Sums:
    """ln Σ P^α·Q^(1-α), which is at least 0, of Σt times e^-``shift``, as for `divergences`."""
    rounding = _rounding(additions)
    low, below = _log_moment(beta * np.maximum(sums.low, 0) * (1 - rounding), shift)
    high, above = _log_moment(beta * np.maximum(sums.high, 0) * (1 + rounding), shift)
    with np.errstate(invalid="ignore"):
        top = high + above
    return Sums(np.fmax(low - below, 0), np.where(np.isnan(top), np.inf, top))


def _rounding(additions: FloatArray | int) -> FloatArray | float:
    return (additions + 16) * UNIT_ROUNDOFF


def _log_moment(excess: FloatArray, shift: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln(1 + ``excess``·e^shift), and how far off it may be."""
    # e^-shift may be lost beside the excess; where both are, the logarithm is minus infinity.
    with np.errstate(divide="ignore"):
        steep = np.log(np.exp(-shift) + excess)
    plain = np.log1p(excess)
    value = np.where(shift == 0, plain, shift + steep)
    size = np.where(shift == 0, plain, 1 + shift + np.abs(steep))
    return value, 4 * FUNCTION_ERROR * size
