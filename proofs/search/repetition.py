"""The best theorems about one of a random number of runs, as the rules of repetition prove them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import mpmath
import numpy as np

from proofs import accountants
from proofs.components import Component, Repetition
from proofs.errors import ProofError
from proofs.guarantees import ZCDP
from proofs.judgments import Dominated, Private, RenyiCurve
from proofs.kernel import Theorem, prove
from proofs.losses import Losses
from proofs.search.decimals import rounded_up, smallest_proved
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
    hints: accountants.Hints

    @classmethod
    def at(cls, losses: Losses, epsilon: Fraction) -> _Point:
        ends = accountants.delta(losses, epsilon, RESOLVED)
        return cls(epsilon, rounded_up(ends.upper), ends.method, ends.hints)


@lru_cache(maxsize=64)
def at_delta(repetition: Repetition, delta: Fraction) -> Theorem | None:
    """(ε, ``delta``)-DP by two points of the run's profile; None where it has no such points."""
    pairs, law = repetition.run.of(Dominated), Law(repetition.runs)
    if pairs is None or delta == 0:
        return None
    theorem, dominated = pairs
    own = round_down(delta / surely_above(law.mean), 60)
    ends = accountants.epsilon(dominated.losses, own)
    if ends.method == "sum":
        return None
    last = _Point(ends.upper, own, ends.method, ends.hints)
    first = _least_growth(law, dominated.losses, last.epsilon)
    return _by_points(repetition, theorem, first, last, delta)


def at_epsilon(repetition: Repetition, epsilon: Fraction) -> Theorem | None:
    """The same at an ε, with the δ of what the least growth leaves of it; None if nothing is."""
    pairs, law = repetition.run.of(Dominated), Law(repetition.runs)
    if pairs is None:
        return None
    theorem, dominated = pairs
    first = _least_growth(law, dominated.losses, epsilon)
    with mpmath.workdps(60):
        growth = law.growth(to_mpf(first.epsilon), to_mpf(first.delta))
        left = to_mpf(epsilon) - growth * (1 + mpmath.mpf(10) ** -15)
    if left <= first.epsilon:
        return None
    last = _Point.at(dominated.losses, round_down(from_mpf(left), 60))
    delta = surely_above(law.mean * to_mpf(last.delta)) if last.delta else Fraction(0)
    return None if delta >= 1 else _by_points(repetition, theorem, first, last, delta)


def _by_points(
    repetition: Repetition, pairs: Theorem, first: _Point, last: _Point, delta: Fraction
) -> Theorem:
    """The smallest ε found at a δ by the growth of one point, after the other one."""
    law = Law(repetition.runs)
    points = [last] if first.method != last.method else [first, last]
    given = {
        "method": last.method,
        "points": [[point.epsilon, point.delta] for point in points],
        "hints": [point.hints for point in points],
    }
    profile = prove("pair-to-profile", [pairs], given)
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
    """The Rényi divergences of one run of a component: doubles to search by, and their theorems."""

    component: Component

    @cached_property
    def losses(self) -> Losses | None:
        """Its dominating pairs, None where it has none."""
        pairs = self.component.of(Dominated)
        return None if pairs is None else pairs[1].losses

    def near(self, order: float) -> float:
        """The divergence at an order, in doubles; ProofError where none is known."""
        known = [way(order) for way in self._ways]
        if not known:
            raise ProofError("no divergence of a component is known")
        return min(known)

    @cached_property
    def _ways(self) -> list[Callable[[float], float]]:
        ways: list[Callable[[float], float]] = []
        zcdp, losses = self.component.of(ZCDP), self.losses
        if self.component.repetition is not None:
            ways.append(_Repeated(self.component.repetition).near)
        if losses is not None:
            ways.append(lambda order: float_divergence(losses, order))
        elif zcdp is not None:
            rho = float(zcdp[1].rho)
            ways.append(lambda order: order * rho)
        return ways

    def orders(self, order: Fraction) -> list[Fraction]:
        """The orders near one at which the divergence is known well."""
        repetition = self.component.repetition
        if repetition is not None:
            return Divergences(repetition.run).orders(order)
        return [order] if self.losses is None else known_orders(self.losses, order)

    def theorem(self, order: Fraction, *others: Fraction) -> Theorem:
        """The divergences at some different orders; ProofError where none is known."""
        orders = sorted({order, *others})
        found, zcdp = [], self.component.of(ZCDP)
        pairs = self.component.of(Dominated)
        if self.component.repetition is not None:
            found.append(_Repeated(self.component.repetition).theorem(order))
        if pairs is not None:
            values = [renyi_value(pairs[1].losses, at) for at in orders]
            given = {"orders": orders, "epsilons": values}
            found.append(prove("pair-to-renyi", [pairs[0]], given))
        elif zcdp is not None:
            found.append(prove("zcdp-to-renyi", [zcdp[0]], {"orders": orders}))
        if not found:
            raise ProofError("no divergence of a component is known")
        return min(found, key=lambda one: value_at(one, order))


def value_at(theorem: Theorem, order: Fraction) -> Fraction:
    """The ε of a theorem about Rényi divergences at one of its orders."""
    judgment = theorem.judgment
    assert isinstance(judgment, Private) and isinstance(judgment.guarantee, RenyiCurve)
    return dict(judgment.guarantee.points)[order]


@dataclass(frozen=True)
class _Repeated:
    """The Rényi divergences of a repeated mechanism."""

    repetition: Repetition

    @cached_property
    def law(self) -> Law:
        return Law(self.repetition.runs)

    @cached_property
    def run(self) -> Divergences:
        return Divergences(self.repetition.run)

    @cached_property
    def _other(self) -> Fraction:
        """The auxiliary order of every order; not for a Poisson law."""
        best = least_order(lambda at: float(self.law.tail(at, self.run.near(at))))
        return min(best, MOST_OTHER)

    @cached_property
    def _numbers(self) -> tuple[float, float, list[tuple[float, float]]]:
        """The mean, the tail, and the auxiliary orders to compare, in doubles."""
        mean = float(self.law.mean)
        if self.law.poisson:
            return mean, 0.0, [(at, self.run.near(at)) for at in AUXILIARY]
        other = float(self._other)
        return mean, float(self.law.tail(other, self.run.near(other))), []

    def near(self, order: float) -> float:
        mean, tail, compared = self._numbers
        own = self.run.near(order)
        if not compared:
            return own + tail + math.log(mean) / (order - 1)
        more = min(_excess(order, *one) for one in compared)
        size = (order - 1) * own + math.log(mean) + mean * more
        return float(np.logaddexp(size, -mean)) / (order - 1)

    def theorem(self, order: Fraction) -> Theorem:
        if self.law.poisson:
            best = least_order(lambda at: _log_excess(float(order), at, self.run.near(at)))
            best = min(best, MOST_OTHER)
        else:
            best = self._other
        found = []
        for other in self.run.orders(best):
            premise = self.run.theorem(order, other)
            pairs = [(to_mpf(at), to_mpf(value_at(premise, at))) for at in (order, other)]
            found.append((self.law.divergence(*pairs[0], *pairs[1]), other, premise))
        value, other, premise = min(found, key=lambda one: one[0])
        given = {"runs": self.repetition.runs, "orders": [order], "auxiliary": [other]}
        return smallest_proved(
            lambda: value,
            lambda epsilon: prove("repeat-renyi", [premise], {**given, "epsilons": [epsilon]}),
        )


def _log_excess(order: float, other: float, found: float) -> float:
    """ln of what a Poisson law adds at an order for each run, before division, in doubles."""
    base = math.log1p(-1 / order) + math.log1p(-1 / other)
    return math.log(order / (other - 1)) + (other - 1) * found + other * base


def _excess(order: float, other: float, found: float) -> float:
    return math.exp(min(_log_excess(order, other, found), 700.0))
