"""Additive integer noise: each law with its exact chances beside its exact sampler.

A noisy answer is the true integer plus a draw. The laws are discrete, so they
can be enumerated and their samples carry no floating-point trace of the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import InputError, TooLargeError
from synthesizers.exact import Exact, ExpRational
from synthesizers.intervals import WORKING_BITS, Interval, exp_interval
from synthesizers.plain import PlainLaw, require_rational
from synthesizers.queries import Sensitivity
from synthesizers.randomness import Entropy

_ONE = Fraction(1)

MAX_GAUSSIAN_TERMS = 200_000
"""The most terms of a discrete Gaussian's normaliser that are summed exactly."""


class Noise(Protocol):
    """A law on the integers, symmetric about 0."""

    @property
    def name(self) -> str:
        """The law's name, as ledgers print it."""

    def mass(self, value: int) -> Exact:
        """P[Z = value]."""

    def tail(self, value: int) -> Exact:
        """P[Z >= value]; by symmetry also P[Z <= -value]."""

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """Independent draws of exactly this law."""

    def cost(self, sensitivity: Sensitivity) -> Cost:
        """The cost of noising a vector of the given sensitivity, one draw an answer."""

    def shift_loss(self, shift: int) -> Fraction | None:
        """The supremum over z of |ln P[z] / P[z + shift]|; None where it is infinite."""

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""


def require_positive(value: object, name: str) -> Fraction:
    """Return ``value`` as a Fraction; InputError unless it is a positive Fraction or int."""
    exact = require_rational(value, name)
    if exact <= 0:
        raise InputError(f"The {name} must be positive, not {exact}.")
    return exact


@dataclass(frozen=True, slots=True)
class _Laplace(PlainLaw):
    """What the two laws of a scale share: the loss of a shift, and so the cost."""

    scale: Fraction

    def __post_init__(self) -> None:
        scale = require_positive(self.scale, "scale of Laplace noise")
        object.__setattr__(self, "scale", scale)

    def cost(self, sensitivity: Sensitivity) -> Cost:
        """ε = L1/scale (Dwork et al. 2006; Ghosh et al. 2009); rounding is post-processing."""
        return Cost.pure(sensitivity.l1 / self.scale)

    def shift_loss(self, shift: int) -> Fraction:
        """|shift|/scale, attained where both ends of the shift lie on one side of 0."""
        return abs(shift) / self.scale


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(_Laplace):
    """P[z] ∝ exp(-|z|/scale), the two-sided geometric (Ghosh et al. 2009).

    Guarantee
    ---------
    ``mass`` and ``tail`` are exact: with a = e^(-1/scale), P[z] =
    (1-a)/(1+a)·a^|z| and P[Z >= t] = a^t/(1+a) for t >= 0. ``sample`` has
    exactly this law given ideal random bits (Canonne, Kamath & Steinke 2020,
    Algorithm 2). Backed by ``tests/synthesizers/test_noise.py``.
    """

    name = "discrete-laplace"

    @property
    def _normaliser(self) -> dict[Fraction, Fraction]:
        return {Fraction(0): _ONE, -1 / self.scale: _ONE}

    def mass(self, value: int) -> ExpRational:
        """P[Z = value]."""
        size = abs(value) / self.scale
        return ExpRational({-size: _ONE, -size - 1 / self.scale: -_ONE}, self._normaliser)

    def tail(self, value: int) -> ExpRational:
        """P[Z >= value]."""
        if value >= 0:
            return ExpRational({-value / self.scale: _ONE}, self._normaliser)
        return 1 - self.tail(1 - value)

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """Independent draws."""
        return samplers.discrete_laplace(self.scale, size, entropy)


@dataclass(frozen=True, slots=True)
class RoundedLaplace(_Laplace):
    """A continuous Laplace draw of the given scale, rounded to the nearest integer.

    Guarantee
    ---------
    ``mass`` and ``tail`` are exact differences of the Laplace distribution
    function at half-integers; ties of the rounding have probability 0.
    ``sample`` draws the rounded law itself, exactly. Backed by
    ``tests/synthesizers/test_noise.py``.
    """

    name = "rounded-laplace"

    def mass(self, value: int) -> ExpRational:
        """P[Z = value]."""
        rate = 1 / self.scale
        if value == 0:
            return 1 - ExpRational.exp(-rate / 2)
        near = -(abs(value) - Fraction(1, 2)) * rate
        half = Fraction(1, 2)
        return ExpRational({near: half, near - rate: -half}, {Fraction(0): _ONE})

    def tail(self, value: int) -> ExpRational:
        """P[Z >= value]."""
        if value >= 1:
            power = -(value - Fraction(1, 2)) / self.scale
            return ExpRational({power: Fraction(1, 2)}, {Fraction(0): _ONE})
        return 1 - self.tail(1 - value)

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """Independent draws."""
        return samplers.rounded_laplace(self.scale, size, entropy)


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(PlainLaw):
    """P[z] ∝ exp(-z²/(2·variance)) on the integers (Canonne, Kamath & Steinke 2020).

    Guarantee
    ---------
    ``mass`` and ``tail`` are intervals that hold the exact value; sums stop
    where a geometric series bounds the remainder, which is added. ``sample``
    has exactly this law given ideal random bits (Algorithm 3). Backed by
    ``tests/synthesizers/test_noise.py``.
    """

    variance: Fraction
    name = "discrete-gaussian"

    def __post_init__(self) -> None:
        variance = require_positive(self.variance, "variance of a discrete Gaussian law")
        object.__setattr__(self, "variance", variance)

    def mass(self, value: int) -> Interval:
        """P[Z = value]."""
        weight = exp_interval(-value * value / (2 * self.variance))
        return weight / _gaussian_normaliser(self.variance)

    def tail(self, value: int) -> Interval:
        """P[Z >= value]."""
        if value >= 1:
            return _gaussian_sum(self.variance, value) / _gaussian_normaliser(self.variance)
        return 1 - self.tail(1 - value)

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """Independent draws."""
        return samplers.discrete_gaussian(self.variance, size, entropy)

    def cost(self, sensitivity: Sensitivity) -> Cost:
        """ρ = L2²/(2·variance); no finite ε (Canonne, Kamath & Steinke 2020, Theorem 4)."""
        if sensitivity.l2_squared == 0:
            return Cost.pure(Fraction(0))
        return Cost(UNBOUNDED.epsilon, sensitivity.l2_squared / (2 * self.variance))

    def shift_loss(self, shift: int) -> Fraction | None:
        """Infinite for every shift but 0: the ratio of chances grows without end."""
        return Fraction(0) if shift == 0 else None


@lru_cache(maxsize=4096)
def _gaussian_sum(variance: Fraction, start: int) -> Interval:
    """An interval that holds Σ over z >= start (>= 1) of exp(-z²/(2·variance))."""
    # The terms fall below 2^-192 of the first within 17 standard deviations.
    if 17 * 17 * variance > MAX_GAUSSIAN_TERMS**2:
        raise TooLargeError(
            "the variance of a discrete Gaussian is too large for its exact law; "
            "take a smaller variance or analyse by sampling"
        )
    first = exp_interval(-Fraction(start * start) / (2 * variance), WORKING_BITS)
    total, value = first, start
    while True:
        # Later terms fall at least as fast as this ratio, so a geometric series bounds them.
        ratio = exp_interval(-Fraction(2 * value + 1) / (2 * variance), 64).upper
        term = exp_interval(-Fraction(value * value) / (2 * variance), WORKING_BITS)
        if ratio < 1:
            remainder = term.upper * ratio / (1 - ratio)
            if remainder * 2**WORKING_BITS <= total.lower:
                return Interval.around(total.lower, total.upper + remainder)
        value += 1
        total = total + exp_interval(-Fraction(value * value) / (2 * variance), WORKING_BITS)


@lru_cache(maxsize=256)
def _gaussian_normaliser(variance: Fraction) -> Interval:
    return 1 + 2 * _gaussian_sum(variance, 1)


def clamped_mass(noise: Noise, truth: int, answer: int, low: int, high: int) -> Exact:
    """P[clamp(truth + Z, low, high) = answer]: the tails lie on the end points.

    Guarantee
    ---------
    Exact given the law's own guarantee; sums to 1 over ``low … high``. Backed
    by ``tests/synthesizers/test_noise.py``.
    """
    if not low <= answer <= high:
        return Fraction(0)
    if low == high:
        return _ONE
    if answer == low:
        return noise.tail(truth - low)
    if answer == high:
        return noise.tail(high - truth)
    return noise.mass(answer - truth)
