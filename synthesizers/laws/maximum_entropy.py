"""Laws of maximum entropy on a few whole numbers, with mean 0 and a given variance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np

from synthesizers.errors import InputError
from synthesizers.intervals import to_mpf
from synthesizers.numerals import number_text

DIGITS = 40
"""Decimal digits to which a law is solved."""

GRID = 10**12
"""Chances are rounded to multiples of 1/`GRID` before they are compared: what machines may do
differently in the last of `DIGITS` digits does not show."""

MAX_STEPS = 200
"""Newton steps after which a law counts as not found."""

STEPS = (-1, 0, 1, 2)
"""How far a rounded chance may lie from the multiple below the exact one, in multiples."""

_FAR = 2**60


def variances(values: Sequence[int]) -> tuple[int, int]:
    """The least and the largest variance of laws of mean 0 on the values; 0 and 0 for none."""
    below = [-value for value in values if value < 0]
    above = [value for value in values if value > 0]
    if not below or not above:
        return 0, 0
    return 0 if 0 in values else min(below) * min(above), max(below) * max(above)


def maximum_entropy(values: Sequence[int], variance: Fraction) -> list[int]:
    """The chances of greatest entropy for mean 0 and that variance, in units of 1/`GRID`.

    They are proportional to exp(a·v + b·v²) (Cover & Thomas 2006, theorem
    12.1.1); for the least or the largest variance they sit on two values. The
    variance lies within `variances`, and above 0. Raises InputError where
    the equations could not be solved.
    """
    low, high = variances(values)
    if variance in (low, high):
        extreme = min if variance == low else max
        below = extreme(-value for value in values if value < 0)
        above = extreme(value for value in values if value > 0)
        shares = {-below: above, above: below}
        return [shares.get(value, 0) * GRID // (below + above) for value in values]
    with mpmath.workdps(DIGITS):
        wanted = to_mpf(variance)

        def chances(a: mpmath.mpf, b: mpmath.mpf) -> list[mpmath.mpf]:
            weights = [mpmath.exp(a * value + b * value**2) for value in values]
            total = mpmath.fsum(weights)
            return [weight / total for weight in weights]

        def moments(a: mpmath.mpf, b: mpmath.mpf) -> list[mpmath.mpf]:
            pairs = list(zip(chances(a, b), values, strict=True))
            return [mpmath.fsum(p * value**power for p, value in pairs) for power in range(5)]

        def error(a: mpmath.mpf, b: mpmath.mpf) -> list[mpmath.mpf]:
            _, first, second, _, _ = moments(a, b)
            return [first, second - wanted]

        def slopes(a: mpmath.mpf, b: mpmath.mpf) -> mpmath.matrix:
            _, first, second, third, fourth = moments(a, b)
            mixed = third - first * second
            return mpmath.matrix([[second - first**2, mixed], [mixed, fourth - second**2]])

        try:
            solution = mpmath.findroot(error, (0, 0), J=slopes, maxsteps=MAX_STEPS)
        except (ValueError, ZeroDivisionError):
            raise InputError(
                f"no law of variance {number_text(variance)} was found on {values[0]} to "
                f"{values[-1]}: it lies too near the limits, {low} and {high}"
            ) from None
        return [int(mpmath.nint(chance * GRID)) for chance in chances(*solution)]


def round_to_sum(values: Sequence[int], weights: Sequence[int], keys: int) -> list[int]:
    """Whole numbers near the shares of ``keys`` that the weights stand for, of sum ``keys``.

    Each lies less than 2 below its share, or at most 2 above. Among all such, the mean of
    the values is as near 0 as can be, and then the sum of the distances as small as can be.

    Guarantee
    ---------
    Integer arithmetic throughout, and ties are decided by order, so the result is
    the same on every machine. Backed by ``tests/synthesizers/laws/test_maximum_entropy.py``.
    """
    total, size = sum(weights), len(values)
    floors = [weight * keys // total for weight in weights]
    least, most = (
        sum(end(step * value for step in STEPS) for value in values) for end in (min, max)
    )
    # nearest[steps, moment]: the least distance of the values so far, by the sum of their steps
    # and of their steps times values, both counted from the least that may occur.
    zero = (-STEPS[0] * size, -least)
    nearest = np.full(((STEPS[-1] - STEPS[0]) * size + 1, most - least + 1), _FAR)
    nearest[zero] = 0
    picks = []
    for value, floor, weight in zip(values, floors, weights, strict=True):
        moved = []
        for step in STEPS:
            share = abs((floor + step) * total - weight * keys) if floor + step >= 0 else _FAR
            moved.append(np.roll(nearest, (step, step * value), (0, 1)) + share)
        options = np.minimum(moved, _FAR)
        picks.append(options.argmin(axis=0))
        nearest = options.min(axis=0)
    missing = keys - sum(floors)
    drift = sum(value * floor for value, floor in zip(values, floors, strict=True))
    reached = nearest[zero[0] + missing].tolist()
    _, _, moment = min(
        (abs(place + least + drift), distance, place)
        for place, distance in enumerate(reached)
        if distance < _FAR
    )
    at, found = (zero[0] + missing, moment), []
    for value, floor, pick in reversed(list(zip(values, floors, picks, strict=True))):
        step = STEPS[int(pick[at])]
        found.append(floor + step)
        at = (at[0] - step, at[1] - step * value)
    return found[::-1]
