"""The best theorems about one of a random number of runs, as the rules of repetition prove them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import mpmath
import numpy as np

from proofs import accountants
from proofs.components import Component, Repetition
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Dominated, Private, RenyiCurve
from proofs.kernel import Theorem, prove
from proofs.losses import Losses
from proofs.search.decimals import power_of_ten, rounded_up, smallest_proved
from proofs.search.orders import (
    BITS,
    GOLDEN,
    float_divergence,
    known_orders,
    least_order,
    renyi_value,
)
from synthesizers.intervals import from_mpf, round_down, to_mpf

GAMMA_DIGITS = 12
"""Significant digits of a γ that follows from a mean."""

STEPS, FEW_STEPS = 16, 6
"""Steps of the search for the ε of the growth: it is known to a thousandth of the largest, and to a
twentieth where a profile is an integral."""

MOST_EPSILON = 1000
"""The largest ε of a run whose growth is told from its limit."""

RESOLVED = Fraction(1, 10**15)
"""The δ down to which a profile is resolved where no smaller one is asked for."""

MOST_OTHER = Fraction(10**4)
"""The largest auxiliary order: beyond it, it adds next to nothing."""

AUXILIARY = tuple(1 + 2.0 ** (place / 2) for place in range(-12, 34))
"""Auxiliary orders that are compared for a Poisson number of runs."""


def gamma_of(expected: Fraction, eta: Fraction) -> Fraction:
    """The γ of a truncated negative binomial number of runs of a mean above 1, rounded down."""
    if eta == 1:
        return 1 / expected
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    with mpmath.workdps(40):
        start = mpmath.log(to_mpf(expected)) + 20
        low, high = -4 * start / min(1, 1 + to_mpf(eta)), -(mpmath.mpf(10) ** -25)
        for _ in range(160):
            middle = (low + high) / 2
            more = _mean(mpmath.exp(middle), to_mpf(eta)) > to_mpf(expected)
            low, high = (middle, high) if more else (low, middle)
        found = from_mpf(mpmath.exp(low))
    unit = Fraction(10) ** (power_of_ten(found) - GAMMA_DIGITS + 1)
    return found // unit * unit


def _mean(gamma: mpmath.mpf, eta: mpmath.mpf) -> mpmath.mpf:
    if eta == 0:
        return (1 / gamma - 1) / -mpmath.log(gamma)
    return eta * (1 / gamma - 1) / -mpmath.expm1(eta * mpmath.log(gamma))


@dataclass(frozen=True)
class Law:
    """The numbers of a law of runs, at mpmath's precision."""

    runs: Mapping[str, Any]

    @property
    def poisson(self) -> bool:
        """Whether there may be no run."""
        return bool(self.runs["law"] == "poisson")

    @property
    def amount(self) -> mpmath.mpf:
        """γ, or a Poisson law's mean."""
        return to_mpf(Fraction(self.runs["mean" if self.poisson else "gamma"]))

    @property
    def eta(self) -> mpmath.mpf:
        """η; that of the growth where runs go on until one is accepted."""
        return to_mpf(Fraction(self.runs.get("eta", 0)))

    @property
    def mean(self) -> mpmath.mpf:
        """The mean, or what stands for it."""
        if self.poisson:
            return self.amount
        accepted = self.runs["law"] == "until-accepted"
        return 1 / self.amount if accepted else _mean(self.amount, self.eta)

    def growth(self, epsilon: mpmath.mpf, delta: mpmath.mpf) -> mpmath.mpf:
        """The growth of the rule ``repeat`` at a point of a profile."""
        odds, kept = mpmath.exp(epsilon), 1 - delta
        if self.poisson:
            return self.amount * (kept * mpmath.tanh(epsilon / 2) + delta)
        gamma, rest = self.amount, 1 - self.amount
        top = (1 + odds) * (gamma + rest * delta) + rest * kept * odds
        meeting = top / ((1 + odds) * gamma + rest * kept)
        return (1 + self.eta) * mpmath.log(max(meeting, 1 + rest * delta / gamma))

    def tail(self, other: mpmath.mpf, found: mpmath.mpf) -> mpmath.mpf:
        """What an auxiliary order adds to the divergence at every order; not for a Poisson law."""
        return (1 + self.eta) * ((1 - 1 / other) * found - mpmath.log(self.amount) / other)

    def excess(self, order: mpmath.mpf, other: mpmath.mpf, found: mpmath.mpf) -> mpmath.mpf:
        """The same of a Poisson law: μt, before it is divided by the order less one."""
        base = mpmath.log((1 - 1 / order) * (1 - 1 / other))
        return self.mean * order / (other - 1) * mpmath.exp((other - 1) * found + other * base)

    def divergence(
        self, order: mpmath.mpf, own: mpmath.mpf, other: mpmath.mpf, found: mpmath.mpf
    ) -> mpmath.mpf:
        """The bound of the rule ``repeat-renyi``."""
        if not self.poisson:
            return own + self.tail(other, found) + mpmath.log(self.mean) / (order - 1)
        size = (order - 1) * own + self.excess(order, other, found) + mpmath.log(self.mean)
        if size > mpmath.mpf(10) ** 6:
            return size / (order - 1)
        return mpmath.log(mpmath.exp(-self.mean) + mpmath.exp(size)) / (order - 1)


def at_once(repetition: Repetition) -> list[Theorem]:
    """What is proved of a repeated mechanism whatever δ is asked for."""
    run, law = repetition.run, Law(repetition.runs)
    point, concentrated = run.of(ApproxDP), run.of(ZCDP)
    found = [] if point is None else _of_point(repetition, *point)
    if concentrated is not None and not law.poisson:
        found.append(_concentrated(repetition, *concentrated))
    return found


def _of_point(repetition: Repetition, premise: Theorem, point: ApproxDP) -> list[Theorem]:
    """(ε, δ), where δ stays below 1."""
    law = Law(repetition.runs)
    delta = _rounded(law.mean * to_mpf(point.delta)) if point.delta else Fraction(0)
    if delta >= 1:
        return []

    def value() -> mpmath.mpf:
        own = to_mpf(point.epsilon)
        if own > MOST_EPSILON:
            return own + (law.amount if law.poisson else (1 + law.eta) * own)
        return own + law.growth(own, mpmath.mpf(0))

    return [
        smallest_proved(
            value,
            lambda epsilon: prove(
                "repeat", [premise], {"runs": repetition.runs, "epsilon": epsilon, "delta": delta}
            ),
        )
    ]


def _rounded(value: mpmath.mpf) -> Fraction:
    """A rational of few digits surely above what mpmath found."""
    return rounded_up(from_mpf(value * (1 + mpmath.mpf(10) ** -12)), 14)


def _concentrated(repetition: Repetition, premise: Theorem, zcdp: ZCDP) -> Theorem:
    law, rho = Law(repetition.runs), zcdp.rho
    least = to_mpf(max(rho, Fraction(1, 10**12)))
    order = _near(1 + mpmath.sqrt(mpmath.log(law.mean) / least))
    other = _near(max(mpmath.sqrt(-mpmath.log(law.amount) / least), mpmath.mpf("1.001")))
    moments = [to_mpf(one) for one in (order, order * rho, other, other * rho)]
    orders = {"order": order, "auxiliary": other}
    return smallest_proved(
        lambda: law.divergence(*moments),
        lambda value: prove(
            "repeat-zcdp", [premise], {"runs": repetition.runs, "rho": value, **orders}
        ),
    )


def _near(order: mpmath.mpf) -> Fraction:
    return 1 + round_down(from_mpf(order - 1), BITS)


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
    own = round_down(delta / _rounded(law.mean), 60)
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
    delta = _rounded(law.mean * to_mpf(last.delta)) if last.delta else Fraction(0)
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
