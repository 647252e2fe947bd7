"""The best theorems about one of a random number of runs, as the rules of repetition prove them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import mpmath

from proofs import accountants
from proofs.components import Component, Repetition
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
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
from synthesizers.intervals import from_mpf, round_down, to_mpf

GAMMA_DIGITS = 12
"""Significant digits of a γ that follows from a mean."""

STEPS = 24
"""Steps of the search for the ε of the growth."""

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
    unit = rounded_up(found, 1) / 10**GAMMA_DIGITS
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
    own = to_mpf(point.epsilon)
    return [
        smallest_proved(
            lambda: own + law.growth(own, mpmath.mpf(0)),
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


def at_delta(repetition: Repetition, delta: Fraction) -> Theorem | None:
    """(ε, ``delta``)-DP by two points of the run's profile; None where it has no pairs."""
    pairs = repetition.run.of(Dominated)
    if pairs is None or delta == 0:
        return None
    theorem, dominated = pairs
    law = Law(repetition.runs)
    most = round_down(delta / _rounded(law.mean), 60)
    last = accountants.epsilon(dominated.losses, most)
    if last.method == "sum":
        return None
    first = _least_growth(law, dominated.losses, last.upper)
    points = {last.upper: (most, last.hints)}
    if first.method == last.method and first.at < last.upper and first.delta > most:
        points[first.at] = first.delta, first.hints
    ordered = sorted(points)
    given = {
        "method": last.method,
        "points": [[epsilon, points[epsilon][0]] for epsilon in ordered],
        "hints": [points[epsilon][1] for epsilon in ordered],
    }
    profile = prove("pair-to-profile", [theorem], given)
    slack = points[ordered[0]][0]
    own = {"runs": repetition.runs, "at": last.upper, "auxiliary": ordered[0], "delta": delta}
    return smallest_proved(
        lambda: to_mpf(last.upper) + law.growth(to_mpf(ordered[0]), to_mpf(slack)),
        lambda epsilon: prove("repeat", [profile], {**own, "epsilon": epsilon}),
    )


@dataclass(frozen=True)
class _Point:
    """A point of a profile, how it was found, and its growth."""

    at: Fraction
    delta: Fraction
    method: str
    hints: accountants.Hints
    growth: mpmath.mpf


def _least_growth(law: Law, losses: Losses, most: Fraction) -> _Point:
    """The point of the profile, from ε = 0 to ``most``, whose growth is least."""

    def point(share: float) -> _Point:
        at = round_down(most * Fraction(share), BITS)
        ends = accountants.delta(losses, at)
        delta = min(rounded_up(ends.upper), Fraction(1) - Fraction(1, 10**9))
        growth = law.growth(to_mpf(at), to_mpf(delta))
        return _Point(at, delta, ends.method, ends.hints, growth)

    low, high = 0.0, 1.0
    found = point(0.5)
    for _ in range(STEPS):
        shares = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        left, right = (point(share) for share in shares)
        low, high = (low, shares[1]) if left.growth < right.growth else (shares[0], high)
        found = min(found, left, right, key=lambda one: one.growth)
    return found


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
        return least_order(lambda at: float(self.law.tail(at, self.run.near(at))))

    @cached_property
    def _compared(self) -> list[tuple[float, float]]:
        return [(at, self.run.near(at)) for at in AUXILIARY]

    def near(self, order: float) -> float:
        own = self.run.near(order)
        if not self.law.poisson:
            other = float(self._other)
            return float(self.law.divergence(order, own, other, self.run.near(other)))
        return float(min(self.law.divergence(order, own, *one) for one in self._compared))

    def theorem(self, order: Fraction) -> Theorem:
        if self.law.poisson:
            at = to_mpf(order)
            best = least_order(lambda x: _capped(self.law.excess(at, x, self.run.near(x))))
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


def _capped(value: mpmath.mpf) -> float:
    """A double that grows with a number however large it is."""
    return float(mpmath.log(value))
