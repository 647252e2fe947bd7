"""Laws of how often a question is asked anew before its best answer is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from synthesizers.budget import Cost
from synthesizers.errors import InputError
from synthesizers.exact import Exact, add, divide, multiply
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw
from synthesizers.randomness import Entropy, bernoulli

LEAST_GAMMA = Fraction(1, 10**6)
"""The smallest γ: a million runs on average (a choice of this project)."""

MOST_EPSILON = 1000
"""The largest ε of a run whose growth is worked out; beyond it, it is taken for its limit, 2ε."""

PLACES = 9
"""Decimals of a cost, which is rounded up, and beyond: no rule proves more at any order."""

COINS = 256


@dataclass(frozen=True, slots=True)
class GeometricRuns(PlainLaw):
    """K >= 1 with Pr[K = k] = γ(1-γ)^(k-1): after each run a coin of chance γ ends it.

    Guarantee
    ---------
    ``best`` is exact and sums to 1, ``sample`` has exactly this law given ideal random bits, and
    ``cost`` is at least what the rules ``repeat`` and ``repeat-zcdp`` prove. Backed by
    ``tests/synthesizers/test_best_events.py``.
    """

    gamma: Fraction
    name = "geometric"

    def __post_init__(self) -> None:
        gamma = require_positive(self.gamma, "gamma of a number of runs")
        if not LEAST_GAMMA <= gamma < 1:
            raise InputError(f"the gamma of a number of runs is below 1, at least {LEAST_GAMMA}")
        object.__setattr__(self, "gamma", gamma)

    def best(self, chances: Sequence[Exact]) -> list[Exact]:
        """The chances that the best run has each outcome, of those of one run, the worst first.

        With b the chance that a run is better than y: P(y)·γ/((γ + (1-γ)b)(γ + (1-γ)(b + P(y)))).
        """
        better: Exact = Fraction(0)
        end: Exact = self.gamma
        found = []
        for chance in reversed(chances):
            better = add(better, chance)
            start = add(self.gamma, multiply(1 - self.gamma, better))
            found.append(divide(multiply(self.gamma, chance), multiply(start, end)))
            end = start
        return found[::-1]

    def sample(self, entropy: Entropy) -> int:
        """A number of runs."""
        before = 0
        while True:
            ends = bernoulli(self.gamma.numerator, self.gamma.denominator, COINS, entropy)
            if ends.any():
                return before + int(ends.argmax()) + 1
            before += COINS

    def cost(self, run: Cost) -> Cost:
        """What the best run costs, of what one costs: ε + 2·ln((γ + e^ε)/(1 + γe^ε)), and its ρ.

        Sources: Liu & Talwar 2019; Papernot & Steinke 2022, Theorem 2 and Corollary 3.
        """
        epsilon = None if run.epsilon is None else self._epsilon(run.epsilon)
        rhos = [] if epsilon is None else [epsilon * epsilon / 2]
        if run.rho is not None:
            rhos.append(self._rho(run.rho) if run.rho else Fraction(0))
        return Cost(epsilon, min(rhos, default=None))

    def _epsilon(self, epsilon: Fraction) -> Fraction:
        limit = 3 * epsilon
        if epsilon > MOST_EPSILON:
            return limit
        odds = exp_interval(epsilon)
        growth = 2 * log_of((self.gamma + odds) / (1 + self.gamma * odds))
        return min(limit, epsilon + _rounded_up(growth))

    def _rho(self, rho: Fraction) -> Fraction:
        """The Rényi bound at an order of 1 + √(L/ρ), with L = ln(1/γ) and the auxiliary √(L/ρ)."""
        tail = log_interval(1 / self.gamma)
        other = max(Fraction(isqrt(int(tail.upper / rho * 2**40)), 2**20), Fraction(1025, 1024))
        fixed = (1 + other) * rho + 2 * (other - 1) * rho
        return fixed + _rounded_up((2 / other + 1 / other) * tail)


def _rounded_up(value: Interval) -> Fraction:
    return Fraction(ceil(value.upper * 10**PLACES) + 1, 10**PLACES)
