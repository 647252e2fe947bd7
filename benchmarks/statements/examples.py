"""Mechanisms that have a guarantee, as counterexamples to what is said to follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from exceeding import channel_of
from laws import LossPair, Pair, RowPair
from reading import Mechanism

from audit.auditors.deciding import decide
from audit.statements.evidence import Decision
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.losses import DiscreteLaplaceLoss, GaussianLoss, ResponseLoss
from proofs.profiles.gaussian import gaussian_delta
from synthesizers.errors import InputError
from synthesizers.exact import ExpRational
from synthesizers.neighbours import AddRemove

BITS = 128
"""The precision at which a Gaussian is found to have a guarantee."""

HALVINGS = 24
"""The steps of each search for the mechanism that only just has it."""

ZERO = Fraction(0)


def premise_of(mechanism: Mechanism) -> Guarantee:
    """The guarantee by which a mechanism is known."""
    number = mechanism.number
    match mechanism.name:
        case "pure":
            delta = number("delta") if "delta" in mechanism.given else ZERO
            return ApproxDP(number("epsilon"), delta)
        case "zcdp":
            return ZCDP(number("rho"))
        case "gdp":
            return GaussianDP(number("mu"))
        case "renyi":
            return RenyiDP(number("alpha"), number("rdp"))
    raise InputError(f"{mechanism.name} is no guarantee")


def examples(premise: Guarantee, steps: int) -> Iterator[tuple[str, Pair]]:
    """Mechanisms that have a guarantee, on databases so many steps apart.

    Randomised response of ε has pure ε and ρ = ε·tanh(ε/2) (Steinke 2024, Theorem 5), and failing
    with chance δ it is (ε, δ)-DP (Kairouz, Oh & Viswanath 2015); discrete Laplace noise loses ε a
    step. A Gaussian of μ a step is μ²/2-zCDP and has the δ of Balle & Wang 2018. Two chances are
    tried for a Rényi guarantee, where their divergences are certified not to exceed it.
    """
    match premise:
        case ApproxDP(epsilon, delta):
            if steps == 1:
                yield "randomised response", LossPair(((1, ResponseLoss(epsilon, delta)),))
            if delta and (squared := _largest_gaussian(epsilon, delta)):
                yield "Gaussian noise", LossPair(((1, GaussianLoss(squared * steps**2)),))
            elif epsilon:
                yield "geometric noise", LossPair(((1, DiscreteLaplaceLoss(epsilon, steps)),))
        case ZCDP(rho):
            squared = 2 * rho * steps**2
            yield "Gaussian noise", LossPair(((1, GaussianLoss(squared)),))
            if steps == 1:
                yield "randomised response", LossPair(((1, ResponseLoss(_largest_response(rho))),))
        case GaussianDP(mu):
            squared = (mu * steps) ** 2
            yield "Gaussian noise", LossPair(((1, GaussianLoss(squared)),))
        case RenyiDP(order, bound):
            squared = 2 * bound / order * steps**2
            yield "Gaussian noise", LossPair(((1, GaussianLoss(squared)),))
            if steps == 1:
                yield from _two_chances(premise)


def _largest_gaussian(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A μ² nearly as large as (ε, δ)-DP allows; 0 where it is too small to be found."""
    low, high = ZERO, Fraction(100)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        fits = gaussian_delta(middle, epsilon, BITS).upper <= delta
        low, high = (middle, high) if fits else (low, middle)
    return low


def _largest_response(rho: Fraction) -> Fraction:
    """An ε with ε·tanh(ε/2) <= ρ, nearly the largest."""
    low, high = ZERO, rho + 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        odds = ExpRational.exp(middle)
        slope = (odds - 1) * middle / (odds + 1)
        fits = slope.enclosure().upper <= rho
        low, high = (middle, high) if fits else (low, middle)
    return low


@cache
def _two_chances(premise: RenyiDP) -> tuple[tuple[str, Pair], ...]:
    """Laws of two outputs, one of them rare, that keep a Rényi guarantee and nearly exhaust it."""
    found: list[tuple[str, Pair]] = []
    for size in (1, 2, 4, 8, 16, 32):
        p = Fraction(1, 2**size)
        low, high = ZERO, p
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            pair = RowPair((p, 1 - p), (middle, 1 - middle))
            kept = decide(channel_of(pair, AddRemove()), premise).decision is Decision.HOLDS
            low, high = (low, middle) if kept else (middle, high)
        found.append((f"an event of chances {p} and {high}", RowPair((p, 1 - p), (high, 1 - high))))
    return tuple(found)
