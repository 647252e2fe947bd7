"""Laws of a number of runs, and what is proved of a mechanism that is repeated by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Private
from proofs.kernel import Theorem, prove
from proofs.rules.rule import guarantee_of
from proofs.search.decimals import power_of_ten, rounded_up, smallest_proved
from synthesizers.intervals import from_mpf, round_down, to_mpf

BITS = 20
"""Significant bits of an order less one."""

GAMMA_DIGITS = 12
"""Significant digits of a γ that follows from a mean."""

MOST_EPSILON = 1000
"""The largest ε of a run whose growth is told from its limit."""

MOST_BITS = 10_000
"""The bits of the largest guarantee that is written down."""


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


def of_point(runs: Mapping[str, Any], premise: Theorem) -> Theorem:
    """(ε, δ) of one that repeats a mechanism of known (ε, δ); ProofError where δ reaches 1."""
    assert isinstance(premise.judgment, Private)
    law, point = Law(runs), guarantee_of(premise.judgment, ApproxDP)
    delta = surely_above(law.mean * to_mpf(point.delta)) if point.delta else Fraction(0)

    def value() -> mpmath.mpf:
        own = to_mpf(point.epsilon)
        if own > MOST_EPSILON:
            return own + (law.amount if law.poisson else (1 + law.eta) * own)
        return own + law.growth(own, mpmath.mpf(0))

    own = {"runs": runs, "delta": delta}
    return smallest_proved(
        value, lambda epsilon: prove("repeat", [premise], {**own, "epsilon": epsilon})
    )


def surely_above(value: mpmath.mpf) -> Fraction:
    """A rational of few digits surely above what mpmath found; ProofError beyond `MOST_BITS`."""
    if mpmath.mag(value) > MOST_BITS:
        raise ProofError(f"what the repeated mechanism guarantees is beyond 2^{MOST_BITS}")
    return rounded_up(from_mpf(value * (1 + mpmath.mpf(10) ** -12)), 14)


def concentrate_runs(runs: Mapping[str, Any], premise: Theorem) -> Theorem:
    """The ρ of the best orders, of a mechanism of known ρ; not for a Poisson law."""
    assert isinstance(premise.judgment, Private)
    law, rho = Law(runs), guarantee_of(premise.judgment, ZCDP).rho
    if law.poisson:
        raise ProofError("no ρ is known of a Poisson number of runs")
    least = to_mpf(max(rho, Fraction(1, 10**12)))
    order = _near(1 + mpmath.sqrt(mpmath.log(law.mean) / least))
    other = _near(max(mpmath.sqrt(-mpmath.log(law.amount) / least), mpmath.mpf("1.001")))
    moments = [to_mpf(one) for one in (order, order * rho, other, other * rho)]
    orders = {"order": order, "auxiliary": other}
    return smallest_proved(
        lambda: law.divergence(*moments),
        lambda value: prove("repeat-zcdp", [premise], {"runs": runs, "rho": value, **orders}),
    )


def _near(order: mpmath.mpf) -> Fraction:
    return 1 + round_down(from_mpf(order - 1), BITS)
