"""Rules of repetition: a mechanism runs a random number of times, and one of its runs is told.

How many ``runs`` there are is drawn beforehand, without looking at the data, and never told:

- ``truncated-negative-binomial``: K >= 1 with Pr[K = k] ∝ (1-γ)^k·Γ(k + η)/k!, η > -1 (η = 1:
  geometric; η = 0: logarithmic); the best run is told, by a fixed order of the outcomes.
- ``poisson``: of a mean μ; the best run is told, or that there was none.
- ``until-accepted``: the first run whose outcome is acceptable; after each other one a coin of
  chance γ ends it, and then it is told that none was.

With the generating function f(x) = E[x^K], what is told has at an outcome y the chance of y in one
run, times f'(x) for an x between the chances that a run is worse than y, and no better than y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from proofs.entries import Point, RenyiCurve
from proofs.errors import ProofError, UndecidedError, require
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Private, Profile
from proofs.parameters import Positive, Share, read_fields, read_tag
from proofs.rules.rule import Conclusion, at_most_growing, curve_of, guarantee_of, restate, rule
from synthesizers.exact import Exact, enclose, multiply
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of

LAWS: dict[str, dict[str, Any]] = {
    "truncated-negative-binomial": {"eta": Fraction, "gamma": Share},
    "poisson": {"mean": Positive},
    "until-accepted": {"gamma": Share},
}
"""The laws of the number of runs, each with its parameters."""

MOST_SHAPE = 100
"""The largest η of a law of runs."""

MOST_POWER = 20_000
"""The largest exponent of e that is looked at; e to a power below minus this is 0 … e^-this."""


@dataclass(frozen=True, slots=True)
class RunLaw:
    """A law of the number of runs.

    ``amount``: γ, or the mean of ``poisson``. ``power``: f'(x) ∝ (1 - (1-γ)x)^-power, which is
    1 + η; and 1 for ``until-accepted``, where the same holds of x the chance of a refused run.
    """

    law: str
    amount: Fraction
    power: Fraction = Fraction(1)

    def mean(self, bits: int) -> Exact:
        """The mean number of runs, or 1/γ, the largest of ``until-accepted``: the largest f'."""
        gamma, shape = self.amount, self.power - 1
        if self.law == "poisson":
            return gamma
        if self.law == "until-accepted" or shape == 1:
            return 1 / gamma
        if shape == 0:
            return (1 / gamma - 1) / log_interval(1 / gamma, bits)
        rest = 1 - _exp(shape * log_interval(gamma, bits), bits)
        if rest.lower <= 0 <= rest.upper:
            raise UndecidedError("the mean number of runs cannot be told at this precision")
        return (shape * (1 / gamma - 1)) / rest

    def growth(self, epsilon: Fraction, delta: Fraction, bits: int) -> Interval:
        """At least ln f'(x)/f'(x') for chances x, x' of one event, under (ε, δ)-DP.

        The event's complement has chances b' <= min(e^ε·b + δ, 1 - e^-ε·(1 - b - δ)), which meet
        at b = (1-δ)/(1+e^ε), where the ratio is largest; or at b = 0, if δ is large beside γ.
        """
        odds = exp_interval(epsilon, bits)
        if self.law == "poisson":
            return self.amount * ((1 - delta) * ((odds - 1) / (odds + 1)) + delta)
        gamma = self.amount
        top = (1 + odds) * (gamma + (1 - gamma) * delta) + (1 - gamma) * (1 - delta) * odds
        meeting = top / ((1 + odds) * gamma + (1 - gamma) * (1 - delta))
        start = 1 + (1 - gamma) * delta / gamma
        ends = Interval(max(meeting.lower, start), max(meeting.upper, start))
        return self.power * log_of(ends, bits)


def _read_runs(given: Any, who: str) -> RunLaw:
    law = read_tag(LAWS, "law", given, f"{who}: it")
    own = read_fields({"law": str, **LAWS[law]}, given, f"{who}: it")
    found = RunLaw(law, own["mean" if law == "poisson" else "gamma"], 1 + own.get("eta", 0))
    require(0 < found.power <= 1 + MOST_SHAPE, f"eta is above -1, at most {MOST_SHAPE}")
    return found


Runs = Annotated[RunLaw, _read_runs]


@rule("repeat")
def repeat(
    premise: Private,
    runs: Runs,
    epsilon: Fraction,
    delta: Fraction,
    at: Fraction | None,
    auxiliary: Fraction | None,
) -> Conclusion:
    """An (ε, δ)-DP mechanism, repeated: (ε + growth, mean·δ)-DP; ε in nats.

    The growth of a law is that of `Runs`: for pure DP at most (1 + η)ε, so that the whole is
    (2 + η)ε-DP. Of a profile, ``at`` is the point that is ε and δ, and ``auxiliary`` that of the
    growth.

    Source: Liu & Talwar 2019, Theorems 3.1 to 3.4; Papernot & Steinke 2022, Corollary 3; Koskela,
    Redberg & Wang 2024 for profiles. The proofs, of sharper constants, are on the rule's page.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_repetition_rules.py``.
    """
    found = ApproxDP(epsilon, delta)
    if isinstance(premise.guarantee, Profile):
        if at is None or auxiliary is None:
            raise ProofError("of a profile, it needs the points at and auxiliary")
        own, grows = _point_at(premise.guarantee, at), _point_at(premise.guarantee, auxiliary)
    else:
        require(at is None and auxiliary is None, "at and auxiliary are points of a profile")
        given = guarantee_of(premise, ApproxDP)
        own, grows = (given.epsilon, given.delta), (given.epsilon, Fraction(0))
    _require_growth(runs, grows, found.epsilon - own[0])
    expected = "delta reaches the mean number of runs times that of one"
    at_most_growing(lambda bits: enclose(multiply(runs.mean(bits), own[1])), delta, expected)
    return restate(premise, found, "secret-runs")


@rule("repeat-renyi")
def repeat_renyi(
    premise: Private,
    runs: Runs,
    orders: tuple[Fraction, ...],
    auxiliary: tuple[Fraction, ...],
    epsilons: tuple[Fraction, ...],
) -> Conclusion:
    """A Rényi curve, repeated: an ε at each of some orders, by an ``auxiliary`` order for each.

    With ε at the order α, ε̂ at the auxiliary order α̂, x = 1 + η, and m the mean of the law:
    ε' >= ε + x(1 - 1/α̂)ε̂ + x·ln(1/γ)/α̂ + ln(m)/(α-1), in nats. For ``poisson``:
    e^((α-1)ε') >= e^-μ + μ·e^((α-1)ε + μt), t = α/(α̂-1)·((1-1/α)(1-1/α̂))^α̂·e^((α̂-1)ε̂).

    Source: Papernot & Steinke 2022, Theorems 2 and 6; the proofs are on the rule's page.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_repetition_rules.py``.
    """
    curve = guarantee_of(premise, RenyiCurve)
    found = curve_of(orders, epsilons)
    require(len(auxiliary) == len(orders), "each order needs its auxiliary order")
    for (order, epsilon), other in zip(found.points, auxiliary, strict=True):
        one, two = _point_at(curve, order), _point_at(curve, other)
        at_most_growing(_divergence(runs, one, two), epsilon, "epsilon reaches that of the order")
    return restate(premise, found, "secret-runs")


@rule("repeat-zcdp")
def repeat_zcdp(
    premise: Private, runs: Runs, rho: Fraction, order: Fraction, auxiliary: Fraction
) -> Conclusion:
    """ρ-zCDP, repeated: ρ' at least the Rényi bound of `repeat_renyi` at one ``order`` α₀ > 1.

    No divergence at an order below α₀ is larger, and above it the bound grows by ρ <= ρ' a unit.
    Not for ``poisson``, whose bound has another form.

    Source: Papernot & Steinke 2022, Theorem 2; the argument is on the rule's page.

    Guarantee
    ---------
    Against exact divergences: ``tests/proofs/rules/test_repetition_rules.py``.
    """
    zcdp = guarantee_of(premise, ZCDP)
    require(runs.law != "poisson", "it knows no Poisson number of runs")
    require(min(order, auxiliary) > 1, "the orders are above 1")
    one, two = (order, order * zcdp.rho), (auxiliary, auxiliary * zcdp.rho)
    at_most_growing(_divergence(runs, one, two), rho, "rho reaches the divergence of the order")
    return restate(premise, ZCDP(rho), "secret-runs")


def _require_growth(runs: Runs, auxiliary: Point, most: Fraction) -> None:
    """Raise ProofError unless the growth at a point is at most ``most``."""
    epsilon, delta = auxiliary
    # The limits of the growth, for a γ close to 0 and for an ε without end.
    poisson = runs.law == "poisson"
    if runs.amount <= most if poisson else delta == 0 and runs.power * epsilon <= most:
        return
    if epsilon > MOST_POWER:
        raise UndecidedError("a growth of such an epsilon is not looked at")
    expected = "epsilon reaches that of one run and the growth"
    at_most_growing(lambda bits: runs.growth(epsilon, delta, bits), most, expected)


def _divergence(runs: Runs, one: Point, two: Point) -> Callable[[int], Interval]:
    """The bound on the divergence at the order of ``one``, by the auxiliary order of ``two``."""
    (order, epsilon), (other, divergence) = one, two
    if runs.law == "poisson":
        return lambda bits: _poisson_divergence(runs.amount, one, two, bits)
    fixed = epsilon + runs.power * (1 - 1 / other) * divergence

    def value(bits: int) -> Interval:
        tail = (runs.power / other) * log_interval(1 / runs.amount, bits)
        return fixed + tail + log_of(enclose(runs.mean(bits)), bits) / (order - 1)

    return value


def _poisson_divergence(mean: Fraction, one: Point, two: Point, bits: int) -> Interval:
    (order, epsilon), (other, divergence) = one, two
    base = log_interval((1 - 1 / order) * (1 - 1 / other), bits)
    power = (other - 1) * divergence + other * base
    if power.upper > MOST_POWER:
        raise UndecidedError("the divergence at the auxiliary order is too large to say anything")
    more = (order / (other - 1)) * _exp(power, bits)
    size = (order - 1) * epsilon + mean * more + log_interval(mean, bits)
    # ln(e^-mean + e^size), the larger of the two taken out.
    if size.lower >= -mean:
        total = size + log_of(1 + _exp(-mean - size, bits), bits)
    else:
        total = log_of(1 + _exp(size + mean, bits), bits) - mean
    return total / (order - 1)


def _point_at(curve: RenyiCurve | Profile, at: Fraction) -> Point:
    points = dict(curve.points)
    require(at in points, "the points that it uses are listed by the premise")
    return at, points[at]


def _exp(power: Interval, bits: int) -> Interval:
    """What holds e to each power of an interval up to `MOST_POWER`."""
    ends = [max(end, Fraction(-MOST_POWER)) for end in (power.lower, power.upper)]
    least = exp_interval(ends[0], bits).lower if ends[0] == power.lower else Fraction(0)
    return Interval(least, exp_interval(ends[1], bits).upper)
