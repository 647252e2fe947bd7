"""Floors: what the chances of right and wrong guesses say of a claim, in the claim's own language.

With P the law of (coin, output), Q the law of (other coin, output): a right guess has the chance
c under P and w under Q, a wrong one w under P and c under Q, no guess 1 - c - w under both. Each
guarantee bounds a divergence between P and Q, which are a fair mixture of both orders of the two
databases, and what is found of these three events is at most the divergence of the whole (data
processing).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import bisect
from scipy.special import ndtri
from scipy.stats import binom

from audit.auditors.attack.guessing.guesses import Chances, Guesses, chances
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Side
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import InputError

SLACK = 1e-9
"""Absolute and relative margin for the rounding of doubles in a floor (some thousand times what the
formulas lose)."""

BETTOR_SHARE = Fraction(1, 10)
"""In batch mode a bettor runs along with the binomial test, and counts where the audit is
interrupted. This is its part of every error, so that both together keep the whole (the binomial's
gap to the truth is then 3 % wider at 95 %)."""

SMALLEST = 1e-300
"""The smallest p-value that is told apart from others."""


def takes_distance(guarantee: Guarantee) -> bool:
    """Whether databases at a distance k show something of it without loss: pure ε and GDP.

    Pure: kε (Dwork & Roth 2014, Theorem 2.2). GDP: kμ (Dong, Roth & Su 2022, Theorem 2.14).
    """
    return isinstance(guarantee, GaussianDP) or (
        isinstance(guarantee, ApproxDP) and guarantee.delta == 0
    )


def rate_matters(guarantee: Guarantee) -> bool:
    """Whether the rate of guesses enters the floor: not for pure ε."""
    return not (isinstance(guarantee, ApproxDP) and guarantee.delta == 0)


def floor(found: Chances, guarantee: Guarantee, distance: int = 1) -> float:
    """The largest value of the claim's own parameter that the chances exclude everything below.

    Of ε at the claim's δ, of ρ, of μ, or of ε(α) at the claim's order; 0 where they say nothing.

    Guarantee
    ---------
    Every mechanism that satisfies the guarantee between neighbours, with a value of its parameter
    below the floor, gives no rule such chances between databases at ``distance``. Lower chances
    than ``found`` come from the same rule by random abstaining and random errors, so bounds from
    below suffice. Backed by ``tests/audit/auditors/attack/guessing/test_floors.py``.
    """
    if distance != 1 and not takes_distance(guarantee):
        raise InputError("databases apart by more than one step say nothing sharp of this claim")
    if found.accuracy <= 0.5 or (rate_matters(guarantee) and found.wrong <= 0):
        return 0.0
    match guarantee:
        case ApproxDP(delta=delta):
            value = _epsilon(found, float(delta))
        case GaussianDP():
            value = float(ndtri(found.correct) - ndtri(found.wrong))
        case RenyiDP(alpha=order):
            value = float(_renyi(found, np.array([float(order)]))[0])
        case ZCDP():
            value = _zcdp(found)
    return float(max(0.0, value * (1 - SLACK) - SLACK) / distance)


def _epsilon(found: Chances, delta: float) -> float:
    """From c <= e^ε w + δ, halved on both sides for a one-sided rule.

    Given that a guess is made with chance g, c/g <= (e^ε + δ/g) / (1 + e^ε).
    """
    extra = delta / found.rate if delta > 0 else 0.0
    if found.accuracy <= extra:
        return 0.0
    # The chances are below 1, as bounds from finitely many runs are.
    return math.log(found.accuracy - extra) - math.log1p(-found.accuracy)


def _renyi(found: Chances, orders: NDArray[np.float64]) -> NDArray[np.float64]:
    """[orders], the Rényi divergence of the events (van Erven & Harremoës 2014, equation 1)."""
    c, w = found.correct, found.wrong
    others = (1 - c, 1 - w) if found.one_sided else (w, c)
    # Logarithms: at a large order the terms themselves are beyond the doubles.
    terms = [orders * math.log(p) + (1 - orders) * math.log(q) for p, q in ((c, w), others)]
    if not found.one_sided and c + w < 1:
        terms.append(np.full_like(orders, math.log1p(-(c + w))))
    return np.asarray(np.logaddexp.reduce(terms)) / (orders - 1)


def _zcdp(found: Chances) -> float:
    """The largest of Rényi divergence over order (Bun & Steinke 2016, Definition 1.1), by a grid.

    Each order by itself is a sound floor, so that a grid loses tightness at most.
    """
    orders = 1 + np.exp2(np.arange(-40, 25) / 4)
    return float((_renyi(found, orders) / orders).max())


def p_value(guesses: Guesses, guarantee: Guarantee, distance: int = 1) -> float:
    """The smallest error at which the floor exceeds what is claimed; 1 where none does.

    Guarantee
    ---------
    A p-value of the hypothesis that the claim holds: floors grow with the error, so that under
    the claim it is at most x with probability at most x.
    """
    if guesses.number == 0 or 2 * guesses.correct <= guesses.number:
        return 1.0
    limit = float(claimed_value(guarantee))
    if not rate_matters(guarantee):
        accuracy = 1 / (1 + math.exp(-limit * distance))
        found = float(binom.sf(guesses.correct - 1, guesses.number, accuracy))
        return min(1.0, max(found * (1 + SLACK), SMALLEST))

    def beyond(exponent: float) -> float:
        error = math.exp(exponent)
        return floor(chances(guesses, error, True), guarantee, distance) - limit

    lowest, highest = math.log(SMALLEST), math.log(1 - 1e-9)
    if beyond(highest) <= 0:
        return 1.0
    if beyond(lowest) > 0:
        return SMALLEST
    return min(1.0, math.exp(_first_above(beyond, lowest, highest)))


def _first_above(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function is above 0, next to where it becomes so.

    By its sign alone: where 0 is claimed, floors of many errors are exactly 0, and none above it.
    """

    def sign(place: float) -> float:
        return 1.0 if function(place) > 0 else -1.0

    return float(bisect(sign, low, high, xtol=1e-6)) + 2e-6


def claimed_value(guarantee: Guarantee) -> Fraction:
    """The claimed value of the parameter that `floor` speaks of."""
    match guarantee:
        case ApproxDP(epsilon=value) | RenyiDP(epsilon=value):
            return value
        case ZCDP(rho=value) | GaussianDP(mu=value):
            return value


def claimed_name(guarantee: Guarantee) -> str:
    """The name of that parameter in certificates."""
    match guarantee:
        case ApproxDP():
            return "epsilon"
        case RenyiDP():
            return "rdp"
        case ZCDP():
            return "rho"
        case GaussianDP():
            return "mu"


def floor_bound(
    guesses: Guesses, guarantee: Guarantee, error: float, distance: int, covers: str
) -> Bound:
    """The floor as a certificate's bound: of ε at the claim's δ, and of the claim's parameter."""
    found = chances(guesses, error, rate_matters(guarantee))
    own = floor(found, guarantee, distance)
    if isinstance(guarantee, ApproxDP):
        return Bound(Side.FLOOR, at_or_above(own), covers, "statistical")
    epsilon = floor(found, ApproxDP(Fraction(0)), distance)
    parameter = (claimed_name(guarantee), at_or_above(own))
    return Bound(Side.FLOOR, at_or_above(epsilon), covers, "statistical", parameter)


def at_or_above(value: float) -> Enclosure:
    """Everything from a floor upwards."""
    return Enclosure(Fraction(value), math.inf)


def binomial_floor(
    guesses: Guesses, guarantee: Guarantee, error: Fraction, distance: int, covers: str
) -> Bound:
    """The binomial's floor, at its part of ``error``."""
    return floor_bound(guesses, guarantee, float(error * (1 - BETTOR_SHARE)), distance, covers)


def binomial_p_value(guesses: Guesses, guarantee: Guarantee, distance: int) -> float:
    """The p-value of the claim by the binomial, which has its part of every error."""
    return min(1.0, p_value(guesses, guarantee, distance) / float(1 - BETTOR_SHARE))
