"""Laws of how often a question is asked anew before its best answer is told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isqrt
from typing import ClassVar

from synthesizers.budget import Cost
from synthesizers.errors import InputError
from synthesizers.exact import Exact, add, divide, enclose, multiply
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw
from synthesizers.randomness import Entropy, bernoulli

LEAST_GAMMA = Fraction(1, 10**6)
"""The smallest γ: a million runs on average (a choice of this project)."""

MOST_EPSILON = 1000
"""The largest ε of a run whose growth is worked out; beyond it, it is taken for its limit."""

PLACES = 9
"""Decimals of a cost, which is rounded up, and beyond: no rule proves more at any order."""

COINS, WORDS = 256, 4
"""How many coins are tossed, and words drawn, at once."""

LEAST_STEP = Fraction(1, 2**10)
"""How far above 1 an order is at least."""

SMALL = Fraction(1, 2**48)
"""Below it ln(1 + x) is told from the first terms of its series."""


@dataclass(frozen=True, slots=True)
class _Runs(PlainLaw, ABC):
    """What the laws share: γ, and the cost of a truncated negative binomial number of runs."""

    gamma: Fraction
    shape: ClassVar[int]

    def __post_init__(self) -> None:
        gamma = require_positive(self.gamma, "gamma of a number of runs")
        if not LEAST_GAMMA <= gamma < 1:
            raise InputError(f"the gamma of a number of runs is below 1, at least {LEAST_GAMMA}")
        object.__setattr__(self, "gamma", gamma)

    def cost(self, run: Cost) -> Cost:
        """What the best run costs, of what one costs: ε + (1+η)·ln((γ + e^ε)/(1 + γe^ε)), its ρ.

        Sources: Liu & Talwar 2019; Papernot & Steinke 2022, Theorem 2 and Corollary 3.
        """
        epsilon = None if run.epsilon is None else self._epsilon(run.epsilon)
        rhos = [] if epsilon is None else [epsilon * epsilon / 2]
        if run.rho is not None:
            rhos.append(self._rho(run.rho) if run.rho else Fraction(0))
        return Cost(epsilon, min(rhos, default=None))

    @abstractmethod
    def _mean(self) -> Interval:
        """How many runs there are on average."""

    def _epsilon(self, epsilon: Fraction) -> Fraction:
        power = 1 + self.shape
        limit = (1 + power) * epsilon
        if epsilon > MOST_EPSILON:
            return limit
        odds = exp_interval(epsilon)
        growth = power * log_of((self.gamma + odds) / (1 + self.gamma * odds))
        return min(limit, epsilon + _rounded_up(growth))

    def _rho(self, rho: Fraction) -> Fraction:
        """The Rényi bound at the order 1 + √(ln E[K]/ρ) and the auxiliary one √(ln(1/γ)/ρ)."""
        runs, tail = log_of(self._mean()), log_interval(1 / self.gamma)
        less, other = _root(runs.upper / rho), max(_root(tail.upper / rho), 1 + LEAST_STEP)
        power = 1 + self.shape
        fixed = (1 + less) * rho + power * (other - 1) * rho
        return fixed + _rounded_up((power / other) * tail + runs / less)


@dataclass(frozen=True, slots=True)
class GeometricRuns(_Runs):
    """K >= 1 with Pr[K = k] = γ(1-γ)^(k-1): after each run a coin of chance γ ends it.

    Guarantee
    ---------
    ``best`` is exact and sums to 1, ``sample`` has exactly this law given ideal random bits, and
    ``cost`` is at least what the rules ``repeat`` and ``repeat-zcdp`` prove. Backed by
    ``tests/synthesizers/test_best_events.py``.
    """

    name = "geometric"
    shape = 1

    def best(self, chances: Sequence[Exact]) -> list[Exact]:
        """The chances that the best run has each outcome, of those of one run, the worst first.

        With b the chance that a run is better than y: P(y)·γ/((γ + (1-γ)b)(γ + (1-γ)(b + P(y)))).
        """
        ends = _ends(self.gamma, chances)
        products = [multiply(end, start) for start, end in pairwise(ends)]
        parts = zip(chances, products, strict=True)
        return [divide(multiply(self.gamma, chance), product) for chance, product in parts]

    def sample(self, entropy: Entropy) -> int:
        """A number of runs."""
        before = 0
        while True:
            ends = bernoulli(self.gamma.numerator, self.gamma.denominator, COINS, entropy)
            if ends.any():
                return before + int(ends.argmax()) + 1
            before += COINS

    def _mean(self) -> Interval:
        return enclose(1 / self.gamma)


@dataclass(frozen=True, slots=True)
class LogarithmicRuns(_Runs):
    """K >= 1 with Pr[K = k] = (1-γ)^k/(k·ln(1/γ)), of a cheaper best run.

    Guarantee
    ---------
    ``best`` are intervals that hold the exact chances, ``sample`` has exactly this law given ideal
    random bits, and ``cost`` is at least what the rules ``repeat`` and ``repeat-zcdp`` prove.
    Backed by ``tests/synthesizers/test_best_events.py``.
    """

    name = "logarithmic"
    shape = 0

    def best(self, chances: Sequence[Exact]) -> list[Exact]:
        """The chances that the best run has each outcome, of those of one run, the worst first.

        With b the chance that a run is better than y: ln(1 + (1-γ)P(y)/(γ + (1-γ)b))/ln(1/γ).
        """
        ends, whole = _ends(self.gamma, chances), log_interval(1 / self.gamma)
        rest = 1 - self.gamma
        parts = zip(chances, ends[1:], strict=True)
        return [_log1p(divide(multiply(rest, chance), end)) / whole for chance, end in parts]

    def sample(self, entropy: Entropy) -> int:
        """A number of runs: the first whose cumulated chance is above a uniform number."""
        uniform, bits, found = 0, 0, 0
        while not found:
            for word in entropy.words(WORDS).tolist():
                uniform, bits = uniform << 64 | word, bits + 64
            found = self._number(uniform, bits)
        return found

    def _number(self, uniform: int, bits: int) -> int:
        """The number for all of [uniform, uniform + 1)·2^-``bits``; 0 where it is not known.

        Sums of (1-γ)^j/j, rounded down and up, beside the number times ln(1/γ).
        """
        places = bits + 64
        whole = log_interval(1 / self.gamma, places)
        low = floor(uniform * whole.lower * 2**64)
        high = ceil((uniform + 1) * whole.upper * 2**64)
        top, bottom = (1 - self.gamma).as_integer_ratio()
        powers, sums, number = [1 << places] * 2, [0, 0], 0
        while sums[1] <= low:
            number += 1
            powers = [powers[0] * top // bottom, -(-powers[1] * top // bottom)]
            sums = [sums[0] + powers[0] // number, sums[1] - (-powers[1] // number)]
            if sums[0] >= high:
                return number
        return 0

    def _mean(self) -> Interval:
        return (1 / self.gamma - 1) / log_interval(1 / self.gamma)


Runs = GeometricRuns | LogarithmicRuns


def _ends(gamma: Fraction, chances: Sequence[Exact]) -> list[Exact]:
    """γ + (1-γ)b, b the chance of each outcome or a better one; then γ, of nothing at all.

    ``chances``: the worst first.
    """
    better: Exact = Fraction(0)
    found: list[Exact] = [gamma]
    for chance in reversed(chances):
        better = add(better, chance)
        found.append(add(gamma, multiply(1 - gamma, better)))
    return found[::-1]


def _log1p(value: Exact) -> Interval:
    """ln(1 + x) for x >= 0, of relative precision: between x - x²/2 and that with x³/3 more."""
    x = enclose(value)
    if x.upper > SMALL:
        return log_of(1 + x)
    low, high = x.lower, x.upper
    return Interval(low - low**2 / 2, high - high**2 / 2 + high**3 / 3)


def _root(value: Fraction) -> Fraction:
    """A number near a square root, above 0."""
    return max(Fraction(isqrt(int(value * 2**40)), 2**20), LEAST_STEP)


def _rounded_up(value: Interval) -> Fraction:
    return Fraction(ceil(value.upper * 10**PLACES) + 1, 10**PLACES)
