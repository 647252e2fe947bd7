"""Does noise have its declared law? Exact tests at finite numbers of draws.

Events and cells are fixed before anything is drawn; their counts are binomial, and the empirical
distribution function has Massart's (1990) band. A test here never accuses by an approximation.

Draws may have been rounded, to a lattice or to a floating-point format: then all that is known of
the noise itself is how near it lies, and each chance is an interval over that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import bisect
from scipy.stats import binom

from audit.auditors.attack.guessing.guesses import at_least
from audit.auditors.noise_law.laws import MARGIN, FloatArray, NoiseLaw, upto

SCALE_LEVELS = (0.999, 0.99, 0.9, 0.5, 0.3, 0.2, 0.1, 0.03, 0.01)
"""Chances of the events |Z| > q that the scale is read from (0.2 tells a
Laplace scale best, with 65 % of the information of the draws; the frequent ones tell a scale that
is far too small, the rare ones the tails)."""

TAIL_LEVELS = (
    *(0.5, 0.25, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5),
    *(1e-6, 1e-8, 1e-10, 1e-13, 1e-16),
)
"""Chances of either tail, and of both (a tail that is cut off is seen
where a third of it lies; those rarer than a draw in all find tails that are too heavy)."""

CELLS = 64
"""Cells of about equal chance."""

POWER = 0.8
"""The chance of being seen at which a change counts as one that would have been seen (and a common
one)."""

SHARES = {"scale": 0.5, "tails": 0.2, "cells": 0.2, "band": 0.1}
"""Of the error (a scale is what is wrong most often)."""


@dataclass(frozen=True)
class Blur:
    """How far noise may lie from a draw z, by rounding: ``step`` or, if more, ``relative``·|z|."""

    step: float = 0.0
    relative: float = 0.0

    def at(self, draws: FloatArray | float) -> FloatArray:
        """[draws], how far; finite at infinity, which does not move."""
        size = np.abs(draws)
        return np.maximum(self.step, self.relative * np.where(np.isfinite(size), size, 0.0))


@dataclass(frozen=True)
class Place:
    """An event: ``low < Z <= high``, or |Z - centre| > high where it is ``outside``."""

    low: float
    high: float
    outside: bool = False

    def holds(self, draws: FloatArray, law: NoiseLaw) -> NDArray[np.bool_]:
        """[draws], whether it happened."""
        if self.outside:
            return abs(draws - law.centre) > self.high
        return (draws > self.low) & (draws <= self.high)

    def chance(self, law: NoiseLaw, blur: Blur) -> tuple[float, float]:
        """Its least and largest chance where draws are so far from the noise."""
        least, most = self._chance(law, blur, 1), self._chance(law, blur, -1)
        return max(0.0, least * (1 - MARGIN)), min(1.0, most * (1 + MARGIN))

    def _chance(self, law: NoiseLaw, blur: Blur, inwards: int) -> float:
        """Where each end of the event moves inwards, or outwards for -1."""
        if self.outside:
            reach = abs(law.centre) + self.high
            away = self.high + inwards * float(blur.at(reach))
            if away < 0:
                return 1.0
            below = law.centre - away
            # A discrete law has chance at the end itself, which is not outside.
            under = math.ceil(below) - 1 if law.discrete else below
            return float(law.above(law.centre + away) + upto(law, under))
        low = self.low + inwards * float(blur.at(self.low))
        high = self.high - inwards * float(blur.at(self.high))
        if not low < high:
            return 0.0
        # Differences of the smaller of the two tails keep their digits.
        if low >= law.centre:
            return float(law.above(low) - law.above(high))
        if high < law.centre:
            return float(upto(law, high) - upto(law, low))
        return float(1 - law.above(high) - upto(law, low))

    def words(self, law: NoiseLaw) -> str:
        """Such as "P[Z > 2]"."""
        centre = "Z" if law.centre == 0 else f"Z - {law.centre:g}"
        if self.outside:
            return f"P[|{centre}| > {self.high:.6g}]"
        if self.high == math.inf:
            return f"P[Z > {self.low:.6g}]"
        if self.low == -math.inf:
            return f"P[Z <= {self.high:.6g}]"
        if law.discrete and self.high == self.low + 1:
            return f"P[Z = {self.high:.6g}]"
        return f"P[{self.low:.6g} < Z <= {self.high:.6g}]"


@dataclass(frozen=True)
class Tested:
    """An event, how often it happened, and how likely that is under the declared law.

    ``ratio``: of the p-value and its share of the error; at most 1 rejects.
    """

    words: str
    count: int
    ratio: float


def scale_places(law: NoiseLaw) -> tuple[Place, ...]:
    """The events |Z - centre| > q that the scale is read from."""
    return _distinct(
        Place(-math.inf, _quantile(law, level / 2) - law.centre, True) for level in SCALE_LEVELS
    )


def tail_places(law: NoiseLaw) -> tuple[Place, ...]:
    """Either tail, and both, at each level."""
    found = []
    for level in TAIL_LEVELS:
        above = _quantile(law, level)
        below = 2 * law.centre - above - (1 if law.discrete else 0)
        both = _quantile(law, level / 2) - law.centre
        found += [Place(above, math.inf), Place(-math.inf, below), Place(-math.inf, both, True)]
    return _distinct(iter(found))


def cell_places(law: NoiseLaw) -> tuple[Place, ...]:
    """A partition of the line into cells of about equal chance, integers by themselves if few."""
    levels = np.arange(1, CELLS // 2 + 1) / CELLS
    right = [_quantile(law, float(level)) for level in levels]
    left = [2 * law.centre - place - (1 if law.discrete else 0) for place in right]
    ends = [-math.inf, *sorted({*left, *right}), math.inf]
    return tuple(map(Place, ends[:-1], ends[1:]))


def _distinct(places: Iterator[Place]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(places))


def _quantile(law: NoiseLaw, level: float) -> float:
    """Some q, at least the centre, with P[Z > q] near the level; whole for a discrete law.

    It only proposes an event, whose chance is then computed.
    """
    far = law.scale
    while law.above(law.centre + far) > level and far < law.scale * 2**20:
        far *= 2

    def over(place: float) -> float:
        return float(law.above(law.centre + place)) - level

    if over(0.0) <= 0:
        return law.centre
    found = law.centre + float(bisect(over, 0.0, far, xtol=1e-9 * law.scale))
    return float(round(found)) if law.discrete else found


def p_value(count: int, draws: int, chance: tuple[float, float]) -> float:
    """Two-sided, of a binomial count whose chance lies in the interval.

    Guarantee
    ---------
    At most x with probability at most x, where each draw has the event with a chance within the
    interval, independently: twice the smaller exact tail at the end that explains it best.
    Backed by ``tests/audit/auditors/noise_law/test_noise_fit.py``.
    """
    low, high = chance
    many = float(binom.sf(count - 1, draws, high)) if high > 0 else float(count == 0)
    few = float(binom.cdf(count, draws, low)) if low < 1 else float(count == draws)
    return min(1.0, 2 * (1 + MARGIN) * min(many, few))


def event_tests(
    places: Sequence[Place], draws: FloatArray, law: NoiseLaw, blur: Blur, error: float
) -> list[Tested]:
    """Each event's exact test at an equal share of the error."""
    found = []
    for place in places:
        count = int(np.count_nonzero(place.holds(draws, law)))
        chance = place.chance(law, blur)
        ratio = p_value(count, len(draws), chance) * len(places) / error
        words = f"{place.words(law)}: {count} of {len(draws)} draws, expected"
        found.append(Tested(f"{words} {_describe_expectation(chance, len(draws))}", count, ratio))
    return found


def band(draws: FloatArray, law: NoiseLaw, blur: Blur, error: float) -> Tested:
    """The distribution function within Massart's (1990) band: P[sup > d] <= 2·exp(-2nd²).

    Guarantee
    ---------
    ``ratio`` at most 1 with probability at most ``error``, for any law, discrete ones included.
    Backed by ``tests/audit/auditors/noise_law/test_noise_fit.py``.
    """
    values, counts = np.unique(draws, return_counts=True)
    through = np.cumsum(counts) / len(draws)
    before = through - counts / len(draws)
    # P[Z < v] of a discrete law is P[Z <= v - 1]; and upto errs where it is near 1, by MARGIN.
    below = np.ceil(values) - 1 if law.discrete else values - blur.at(values)
    over = through - upto(law, values + blur.at(values)) - MARGIN
    under = upto(law, below) - before - MARGIN
    gaps = np.maximum(over, under)
    worst = int(np.argmax(gaps))
    distance = max(0.0, float(gaps[worst]))
    ratio = min(1.0, 2 * math.exp(-2 * len(draws) * distance**2)) / error
    at = f"the distribution function is off by {distance:.3g} at {values[worst]:.6g}"
    return Tested(at, int(counts[worst]), ratio)


def _describe_expectation(chance: tuple[float, float], draws: int) -> str:
    low, high = (f"{part * draws:.4g}" for part in chance)
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True)
class ScaleFound:
    """The scale that the draws fit, as a multiple of the declared one.

    ``low``, ``high``: the interval, empty (low > high) where no scale fits all events.
    ``best``: of the event that tells it best. ``rejected``: the declared one is excluded.
    """

    low: float
    high: float
    best: float
    rejected: bool


def estimate_scale(draws: FloatArray, law: NoiseLaw, blur: Blur, error: float) -> ScaleFound:
    """A confidence interval of the scale from the counts of |Z| > q at several q.

    Guarantee
    ---------
    Where draws are independent of a law of the declared family, the interval holds the scale but
    with probability ``error``, and ``rejected`` is false as often for the declared law: each q has
    Clopper & Pearson's (1934) interval at an equal share. Backed by
    ``tests/audit/auditors/noise_law/test_noise_fit.py``.
    """
    places = scale_places(law)
    share = error / (2 * len(places))
    ends: list[tuple[float, float]] = []
    rejected = False
    for place in places:
        count = int(np.count_nonzero(place.holds(draws, law)))
        least = at_least(count, len(draws), share)
        most = 1 - at_least(len(draws) - count, len(draws), share)
        low, high = place.chance(law, blur)
        rejected = rejected or p_value(count, len(draws), (low, high)) <= 2 * share
        # The largest chance of the event must reach its bound, the least one must not pass its.
        ends.append((_factor(place, law, blur, 1, least), _factor(place, law, blur, 0, most)))
    tightest = min(ends, key=lambda pair: pair[1] / pair[0] if pair[0] > 0 else math.inf)
    return ScaleFound(
        max(low for low, _ in ends),
        min(high for _, high in ends),
        math.sqrt(tightest[0] * tightest[1]),
        rejected,
    )


LARGEST_FACTOR = 2.0**20
"""How far from the declared scale a found one is looked for."""


def _factor(place: Place, law: NoiseLaw, blur: Blur, end: int, chance: float) -> float:
    """The factor of the scale at which an end of the event's chance, which grows, is ``chance``."""

    def excess(exponent: float) -> float:
        return place.chance(law.rescale(math.exp(exponent)), blur)[end] - chance

    reach = math.log(LARGEST_FACTOR)
    if excess(-reach) >= 0:
        return 0.0
    if excess(reach) <= 0:
        return math.inf
    return math.exp(float(bisect(excess, -reach, reach, xtol=1e-9)))


def least_visible_change(draws: int, law: NoiseLaw, blur: Blur, error: float) -> float:
    """The least relative change of scale, up or down, that is found with the chance POWER.

    Both directions are; inf where no change of a factor 16 is.
    """
    places = scale_places(law)
    accepted = [
        _accepted_counts(place.chance(law, blur), draws, error / len(places)) for place in places
    ]

    def power(factor: float) -> float:
        other = law.rescale(factor)
        return max(
            float(binom.cdf(few - 1, draws, truth) + binom.sf(many, draws, truth))
            for place, (few, many) in zip(places, accepted, strict=True)
            for truth in [place._chance(other, Blur(), 1)]
        )

    changes = []
    for direction in (1.0, -1.0):
        far = math.log(16)
        if power(math.exp(direction * far)) < POWER:
            return math.inf
        near = 0.0
        while far - near > 1e-4:
            middle = (near + far) / 2
            seen = power(math.exp(direction * middle)) >= POWER
            near, far = (near, middle) if seen else (middle, far)
        changes.append(abs(math.expm1(direction * far)))
    return max(changes)


def _accepted_counts(chance: tuple[float, float], draws: int, share: float) -> tuple[float, float]:
    """The least and the largest count that the event's test accepts, or a little more."""
    low, high = chance
    few, many = binom.ppf(share / 2, draws, low), binom.isf(share / 2, draws, high)
    return float(few) - 1, float(many) + 1
