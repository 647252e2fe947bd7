"""Weights for the bound of one run: proposed here by search, in doubles, and trusted by nobody.

One pair (ε, δ) has one free number, A. A profile has a pair for each ε: the parts of the weights
rise towards one ε and fall behind it, both exponentially, as those of the linear program of all
weights do on small cases. These come within a tenth of its optimum, mostly.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import binom

from audit.auditors.one_run.bound import SMALLEST, Counts, Weights, bound_chance
from audit.auditors.one_run.profiles import bound_deltas, find_width
from proofs.guarantees import Guarantee

Array = NDArray[np.float64]

PLACES = np.linspace(-2.5, 1.5, 16)
"""Where the ε of a profile lie around the best one, in widths of the privacy loss."""

STEPS = 250
"""Evaluations of one search (twice as many gain less than a hundredth)."""


@lru_cache(maxsize=10_000)
def bound_right_guesses(guarantee: Guarantee, value: float, counts: Counts) -> float:
    """The smallest bound found on the chance of so many right guesses, under a claim.

    ``value``: of the claim's own parameter.
    """
    if counts.right <= 0 or counts.guesses == 0:
        return 1.0
    width = find_width(guarantee, value)
    weights = _weigh_pair(guarantee, value, counts)
    if width > 0:
        weights = _weigh_profile(guarantee, value, counts, width)
    return bound_chance(counts, weights, _deltas(guarantee, value, weights).tolist())


def _deltas(guarantee: Guarantee, value: float, weights: Weights) -> Array:
    return bound_deltas(guarantee, value, np.array(weights.epsilons))


def _weigh_pair(guarantee: Guarantee, value: float, counts: Counts) -> Weights:
    """The best weights of the claim's own ε."""
    deltas = _deltas(guarantee, value, Weights(0.0, (value,), ()))
    accuracy = 1 / (1 + math.exp(-value))
    least = max(float(binom.sf(counts.right - 1, counts.guesses, accuracy)), SMALLEST)
    # Just above, so that rounding upwards leaves no weights where none are needed.
    if deltas[0] == 0 or least > 0.5:
        return Weights(least * (1 + 1e-9), (value,), ())

    def cost(exponent: float) -> float:
        return math.log(_approximate(counts, Weights(math.exp(exponent), (value,), ()), deltas))

    found = minimize_scalar(cost, bounds=(math.log(least), 0.0), method="bounded")
    return Weights(max(math.exp(found.x), least), (value,), ())


def _weigh_profile(guarantee: Guarantee, value: float, counts: Counts, width: float) -> Weights:
    """Weights over several ε of a profile."""

    def build(place: Array) -> Weights:
        base, size, middle, rise, fall = place.tolist()
        epsilons = np.maximum(middle + PLACES * width, 0.0)
        slopes = np.where(PLACES < 0, math.exp(min(rise, 5.0)), -math.exp(min(fall, 5.0)))
        parts = np.exp(slopes * PLACES)
        lengths = math.exp(min(size, 50.0)) * parts / parts.sum()
        return Weights(
            math.exp(min(max(base, -90.0), 0.0)), tuple(epsilons.tolist()), tuple(lengths[:-1])
        )

    def cost(place: Array) -> float:
        weights = build(place)
        return math.log(_approximate(counts, weights, _deltas(guarantee, value, weights)))

    starts = [
        np.array([base, math.log(size / counts.right), middle * width, 1.0, 1.0])
        for base in (-30.0, -12.0)
        for size in (1.0, 3.0, 10.0)
        for middle in (1.0, 1.75, 2.5, 3.5, 5.0)
    ]
    start = min(starts, key=cost)
    simplex = start + np.vstack([np.zeros(5), np.diag([6.0, 1.0, 0.3 * width, 0.5, 0.5])])
    options: Any = {"maxfev": STEPS, "xatol": 1e-2, "fatol": 1e-3, "initial_simplex": simplex}
    return build(minimize(cost, start, method="Nelder-Mead", options=options).x)


def _approximate(counts: Counts, weights: Weights, deltas: Array) -> float:
    """`bound_chance` in doubles, and not cut at 1."""
    slopes = [math.exp(one) for one in weights.epsilons]
    ends, costs = [0.0], [0.0]
    for slope, length in zip(slopes, weights.lengths, strict=False):
        ends.append(ends[-1] + length)
        costs.append(costs[-1] + slope * length)
    level = highest = 0.0
    for right in range(counts.guesses, 0, -1):
        part = bisect_right(ends, level) - 1
        needed = (counts.guesses - right) * (costs[part] + slopes[part] * (level - ends[part]))
        level = (needed - weights.base + (right >= counts.right)) / right
        if level <= 0:
            level = 0.0
            if right < counts.right:
                break
        elif level > highest:
            highest = level
        if level > 1e100:
            return 1e300
    part = bisect_right(ends, level) - 1
    least = counts.guesses * (costs[part] + slopes[part] * (level - ends[part]))
    cuts = np.diff([*np.minimum(ends, highest), highest])
    return max(weights.base, least) + counts.canaries * float(cuts @ deltas)
