"""How many canaries are guessed, and what that can see: settled before any coin is looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import bisect
from scipy.stats import binom, norm

from audit.auditors.one_run.bound import Counts
from audit.auditors.one_run.p_values import find_p_value
from audit.auditors.one_run.profiles import bound_deltas, find_width
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee

SHARES = tuple(
    Fraction(*parts) for parts in ((1, 1), (3, 4), (1, 2), (1, 3), (1, 4), (1, 6), (1, 10))
)
"""Shares of canaries that may be guessed (p-values of neighbouring ones differ little)."""

MOST_GUESSED = 50_000
"""The most guesses of all runs (a floor of so many takes two minutes, also to verify)."""

UNLUCKY = 0.1
"""The chance with which fewer guesses are right than a plan counts on: one minus `POWER`."""


@dataclass(frozen=True)
class Plan:
    """How many coins are guessed, and what that sees.

    ``guesses``: of each run. ``accuracy``: how often they are right at the leak that must be seen,
    if canaries do not disturb each other; ``detected``: whether that refutes the claim with a
    chance of at least `POWER`.
    """

    guesses: int
    accuracy: float
    detected: bool


def make_plan(
    guarantee: Guarantee,
    value: float,
    leak: float,
    canaries: int,
    runs: int,
    alarm: float,
    guesses: int | None = None,
    one_sided: bool = False,
) -> Plan:
    """The number of guesses that shows a leak best, or that of the user, and whether it would.

    ``value``, ``leak``: of the claim's parameter, as claimed and as it must be seen.
    ``one_sided``: only one side of the coins is guessed, so that half of those shares are.
    """
    sides = 1 if one_sided else 2
    most = MOST_GUESSED // runs
    shares = [max(1, min(int(canaries * share * sides / 2), most)) for share in SHARES]
    plans = []
    for number in shares if guesses is None else [guesses]:
        accuracy = find_accuracy(guarantee, leak, min(1.0, 2 * number / sides / canaries))
        right = int(binom.ppf(UNLUCKY, number, accuracy))
        counts = [Counts(canaries, number, right)] * runs
        plans.append((find_p_value(counts, guarantee, value), number, accuracy))
    p_value, number, accuracy = min(plans)
    return Plan(number, accuracy, p_value <= alarm)


def find_accuracy(guarantee: Guarantee, leak: float, share: float) -> float:
    """How often the clearest guesses, of this share of canaries, are right at a leak.

    Of a score with Gaussian noise, or with Laplace's where the claim is pure.
    """
    if isinstance(guarantee, ApproxDP) and guarantee.delta == 0:
        return _laplace(leak, share)
    mu = find_width(guarantee, leak) or _find_mu(guarantee, leak)

    def beyond(place: float) -> float:
        return float(norm.sf(place - mu / 2) + norm.sf(place + mu / 2)) - share

    place = 0.0 if share >= 1 else float(bisect(beyond, 0.0, mu / 2 + 40.0))
    return min(float(norm.sf(place - mu / 2)) / share, 1.0)


def _laplace(epsilon: float, share: float) -> float:
    """Scores are the coin with Laplace noise: those outside of 0 … 1 say most, and alike."""
    outside = (1 + math.exp(-epsilon)) / 2
    best = 1 / (1 + math.exp(-epsilon))
    if share <= outside:
        return best
    # Guessed wherever a score lies by more than this from the middle.
    near = float(
        bisect(lambda t: 1 - math.exp(-epsilon / 2) * math.sinh(epsilon * t) - share, 0, 0.5)
    )
    return (1 - math.exp(-epsilon * (0.5 - near)) / 2) / share


def _find_mu(guarantee: Guarantee, epsilon: float) -> float:
    """The μ of a Gaussian with this ε at the claim's δ."""
    assert isinstance(guarantee, ApproxDP)
    delta, place = float(guarantee.delta), np.array([epsilon])

    def beyond(mu: float) -> float:
        return float(bound_deltas(GaussianDP(Fraction(1)), mu, place)[0]) - delta

    return float(bisect(beyond, 1e-6, 100.0)) if beyond(1e-6) < 0 else 1e-6
