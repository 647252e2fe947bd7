"""The best theorems about one of a random number of runs, as the rules of repetition prove them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import mpmath
import numpy as np

from proofs.errors import ProofError
from proofs.kernel import Theorem, prove
from proofs.losses import Losses
from proofs.parts import Repetition
from proofs.profiles.entry_moments import pairs
from proofs.search.decimals import rounded_up, smallest_proved
from proofs.search.ends import Hints, enclose_delta, enclose_epsilon
from proofs.search.orders import (
    BITS,
    GOLDEN,
    float_divergence,
    known_orders,
    least_order,
    renyi_value,
)
from proofs.search.runs import Law, surely_above
from synthesizers.intervals import from_mpf, round_down, to_mpf

STEPS, FEW_STEPS = 16, 6
"""Steps of the search for the ε of the growth: it is known to a thousandth of the largest, and to a
twentieth where a profile is an integral."""

RESOLVED = Fraction(1, 10**15)
"""The δ down to which a profile is resolved where no smaller one is asked for."""

MOST_OTHER = Fraction(10**4)
"""The largest auxiliary order: beyond it, it adds next to nothing."""

AUXILIARY = tuple(1 + 2.0 ** (place / 2) for place in range(-12, 34))
"""Auxiliary orders that are compared for a Poisson number of runs."""


@dataclass(frozen=True)
class _Point:
    """A point of the profile of some pairs, and how it was found."""

    epsilon: Fraction
    delta: Fraction
    method: str
    hints: Hints

    @classmethod
    def at(cls, losses: Losses, epsilon: Fraction) -> _Point:
        ends = enclose_delta(losses, epsilon, RESOLVED)
        return cls(epsilon, rounded_up(ends.upper), ends.method, ends.hints)


@lru_cache(maxsize=64)
def at_delta(repetition: Repetition, delta: Fraction) -> Theorem:
    """(ε, ``delta``)-DP by two points of the run's profile; ProofError where it has no such."""
    losses, law = pairs(repetition.run.entries), Law(repetition.runs)
    own = round_down(delta / surely_above(law.mean), 60)
    ends = enclose_epsilon(losses, own)
    if ends.method == "sum":
        raise ProofError("the profile of a run is not looked at")
    last = _Point(ends.upper, own, ends.method, ends.hints)
    return _by_points(repetition, _least_growth(law, losses, last.epsilon), last, delta)


def at_epsilon(repetition: Repetition, epsilon: Fraction) -> Theorem:
    """The same at an ε, with the δ of what the least growth leaves of it."""
    losses, law = pairs(repetition.run.entries), Law(repetition.runs)
    first = _least_growth(law, losses, epsilon)
    with mpmath.workdps(60):
        growth = law.growth(to_mpf(first.epsilon), to_mpf(first.delta))
        left = to_mpf(epsilon) - growth * (1 + mpmath.mpf(10) ** -15)
    if left <= first.epsilon:
        raise ProofError("the growth leaves too little of epsilon")
    last = _Point.at(losses, round_down(from_mpf(left), 60))
    delta = surely_above(law.mean * to_mpf(last.delta)) if last.delta else Fraction(0)
    return _by_points(repetition, first, last, delta)


def _by_points(repetition: Repetition, first: _Point, last: _Point, delta: Fraction) -> Theorem:
    """The smallest ε found at a δ by the growth of one point, after the other one."""
    law = Law(repetition.runs)
    points = [last] if first.method != last.method else [first, last]
    given = {
        "method": last.method,
        "points": [[point.epsilon, point.delta] for point in points],
        "hints": [point.hints for point in points],
    }
    profile = prove("to-profile", [repetition.run.theorem], given)
    grows, at = points[0], last.epsilon
    own = {"runs": repetition.runs, "at": at, "auxiliary": grows.epsilon, "delta": delta}
    return smallest_proved(
        lambda: to_mpf(at) + law.growth(to_mpf(grows.epsilon), to_mpf(grows.delta)),
        lambda epsilon: prove("repeat", [profile], {**own, "epsilon": epsilon}),
    )


def _least_growth(law: Law, losses: Losses, most: Fraction) -> _Point:
    """The point of the profile below an ε at which the growth is least, by golden sections."""

    def point(share: float) -> tuple[mpmath.mpf, float, _Point]:
        found = _Point.at(losses, round_down(most * Fraction(share), BITS))
        bounded = min(to_mpf(found.delta), 1)
        return law.growth(to_mpf(found.epsilon), bounded), share, found

    low, high = 0.0, 1.0
    left, right = point(1 - GOLDEN), point(GOLDEN)
    for _ in range(FEW_STEPS if left[2].method == "contour" else STEPS):
        if left[0] < right[0]:
            high, right = right[1], left
            left = point(high - GOLDEN * (high - low))
        else:
            low, left = left[1], right
            right = point(low + GOLDEN * (high - low))
    return min(left, right, key=lambda one: one[0])[2]


@dataclass(frozen=True)
class Divergences:
    """The Rényi divergences of a repeated mechanism: doubles to search by, and their theorem."""

    repetition: Repetition

    @cached_property
    def law(self) -> Law:
        """The law of the number of runs."""
        return Law(self.repetition.runs)

    def near(self, order: float) -> float:
        """The divergence at an order, in doubles."""
        mean, tail, compared = self._numbers
        own = self._run(order)
        if not compared:
            return own + tail + math.log(mean) / (order - 1)
        more = min(_excess(order, *one) for one in compared)
        size = (order - 1) * own + math.log(mean) + mean * more
        return float(np.logaddexp(size, -mean)) / (order - 1)

    def curve(self, orders: Sequence[Fraction]) -> Theorem:
        """The divergences at some ascending orders; ProofError where a run has none."""
        run = self.repetition.run
        found = [self._at(order) for order in orders]
        known = sorted({*orders, *(other for _, other in found)})
        values = [renyi_value(run.entries, at) for at in known]
        premise = prove("to-renyi", [run.theorem], {"orders": known, "epsilons": values})
        given = {
            "runs": self.repetition.runs,
            "orders": orders,
            "auxiliary": [other for _, other in found],
            "epsilons": [surely_above(value) for value, _ in found],
        }
        return prove("repeat-renyi", [premise], given)

    def _run(self, order: float) -> float:
        try:
            return float_divergence(self.repetition.run.entries, order)
        except OverflowError:
            return math.inf

    @cached_property
    def _other(self) -> Fraction:
        """The auxiliary order of every order; not for a Poisson law."""
        best = least_order(lambda at: float(self.law.tail(at, self._run(at))))
        return min(best, MOST_OTHER)

    @cached_property
    def _numbers(self) -> tuple[float, float, list[tuple[float, float]]]:
        """The mean, the tail, and the auxiliary orders to compare, in doubles."""
        mean = float(self.law.mean)
        if self.law.poisson:
            return mean, 0.0, [(at, self._run(at)) for at in AUXILIARY]
        other = float(self._other)
        return mean, float(self.law.tail(other, self._run(other))), []

    def _at(self, order: Fraction) -> tuple[mpmath.mpf, Fraction]:
        """The divergence at an order, and the auxiliary order that gives it."""
        if self.law.poisson:
            best = least_order(lambda at: _log_excess(float(order), at, self._run(at)))
            best = min(best, MOST_OTHER)
        else:
            best = self._other
        entries, found = self.repetition.run.entries, []
        own = to_mpf(renyi_value(entries, order))
        with mpmath.workdps(60):
            for other in known_orders(entries, best):
                more = to_mpf(other), to_mpf(renyi_value(entries, other))
                found.append((self.law.divergence(to_mpf(order), own, *more), other))
        return min(found)


def _log_excess(order: float, other: float, found: float) -> float:
    """ln of what a Poisson law adds at an order for each run, before division, in doubles."""
    base = math.log1p(-1 / order) + math.log1p(-1 / other)
    return math.log(order / (other - 1)) + (other - 1) * found + other * base


def _excess(order: float, other: float, found: float) -> float:
    return math.exp(min(_log_excess(order, other, found), 700.0))
