"""Continuous Gaussian noise, rounded to whole numbers: the law of noisy sums over samples.

The sums are integers, so that the nearest integer to a sum plus a real draw is the sum plus the
rounded draw: post-processing of continuous noise, whose theorems hold of it, with chances that can
be listed. What is drawn on real data comes from doubles, not from real numbers: the hypothesis
``real-numbers``, which every theorem about continuous noise names, stands for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import InputError
from synthesizers.intervals import WORKING_BITS, Interval
from synthesizers.noise import require_positive
from synthesizers.normal import normal_cdf
from synthesizers.plain import PlainLaw
from synthesizers.queries import Sensitivity
from synthesizers.randomness import Entropy

LARGEST_DEVIATION = 2**32
"""The largest deviation. The doubles beyond e deviations, e a power of
two, lie e·2^-52 deviations apart, and are rounded to integers: fine enough up to here that odd ones
come as often as even ones, but for 2^-18 of it. With 2^52 nothing odd would lie beyond two."""


@dataclass(frozen=True, slots=True)
class RoundedGaussian(PlainLaw):
    """A continuous Gaussian draw of the given standard deviation, rounded to the nearest integer.

    Guarantee
    ---------
    ``mass`` and ``tail`` are intervals that hold the exact differences of Φ at half-integers; ties
    of the rounding have probability 0. ``sample`` has this law as far as doubles go: by Box and
    Muller (1958) of two words of 64 bits, so that nothing lies beyond 9.5 deviations, where the
    law has 1e-20. Backed by ``tests/synthesizers/test_gaussian_noise.py``.
    """

    deviation: Fraction
    name = "rounded-gaussian"

    def __post_init__(self) -> None:
        deviation = require_positive(self.deviation, "deviation of Gaussian noise")
        if deviation > LARGEST_DEVIATION:
            raise InputError("the deviation of Gaussian noise must be at most 2^32")
        object.__setattr__(self, "deviation", deviation)

    def mass(self, value: int) -> Interval:
        """P[Z = value]."""
        return _mass(self.deviation, abs(value))

    def tail(self, value: int) -> Interval:
        """P[Z >= value]."""
        if value >= 1:
            return _below(self.deviation, value)
        return 1 - self.tail(1 - value)

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """Independent draws."""
        pairs = (size + 1) // 2
        words = entropy.words(2 * pairs).astype(np.float64)
        # The first word is moved off 0, whose logarithm is not finite.
        radius = np.sqrt(-2 * np.log((words[:pairs] + 0.5) * 2.0**-64))
        angle = words[pairs:] * (2 * np.pi * 2.0**-64)
        drawn = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:size]
        return np.rint(drawn * float(self.deviation)).astype(np.int64)

    def cost(self, sensitivity: Sensitivity) -> Cost:
        """ρ = L2²/(2·deviation²); no finite ε (Bun & Steinke 2016, Proposition 1.6)."""
        if sensitivity.l2_squared == 0:
            return Cost.pure(Fraction(0))
        return Cost(UNBOUNDED.epsilon, self.mu_squared(sensitivity) / 2)

    def mu_squared(self, sensitivity: Sensitivity) -> Fraction:
        """(L2/deviation)²."""
        return sensitivity.l2_squared / self.deviation**2

    def shift_loss(self, shift: int) -> Fraction | None:
        """Infinite for every shift but 0: the ratio of chances grows without end."""
        return Fraction(0) if shift == 0 else None


@lru_cache(maxsize=4096)
def _below(deviation: Fraction, value: int) -> Interval:
    """P[draw < -(value - 1/2)], value >= 1."""
    return normal_cdf((Fraction(1, 2) - value) / deviation, WORKING_BITS)


@lru_cache(maxsize=4096)
def _mass(deviation: Fraction, size: int) -> Interval:
    if size == 0:
        return 1 - 2 * _below(deviation, 1)
    return _below(deviation, size) - _below(deviation, size + 1)
