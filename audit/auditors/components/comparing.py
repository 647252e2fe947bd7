"""Whether losses that add up break a claim, in each language of claims."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from fractions import Fraction

from audit.auditors.components.parts import pure_of
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.losses import GaussianLoss, Loss, Losses, join
from proofs.profiles.gaussian import gaussian_delta
from proofs.profiles.moments import log_moment
from proofs.search.ends import enclose_delta

SLACK = Fraction(1, 10**9)
"""Relative margin against the accusation: parameters such as 1/0.3 are doubles, and what follows
from them is no closer than a few times 2^-53."""

ORDERS = (Fraction(9, 8), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(16), Fraction(64))
"""Orders at which a claim of zCDP is compared (each is a floor)."""

EPSILONS = (Fraction(0), Fraction(1, 4), Fraction(1), Fraction(3))
"""Where the curve of a claim of Gaussian DP is compared (each is a floor)."""

_BITS = 128


def violates(losses: Iterable[Loss], leak: float, guarantee: Guarantee) -> bool:
    """Whether independent losses, one of them infinite with chance ``leak``, break a claim.

    Guarantee
    ---------
    True only if the product of the losses' pairs is no pair of the guarantee, by more than
    `SLACK`. Backed by ``tests/audit/auditors/components/test_comparing.py``.
    """
    parts: list[Losses] = [((1, loss),) for loss in losses]
    joined = join(parts, [1] * len(parts))
    if leak > 0 and not (isinstance(guarantee, ApproxDP) and leak <= guarantee.delta * (1 + SLACK)):
        return True
    return bool(joined) and _violates(joined, guarantee)


@functools.lru_cache(maxsize=4096)
def _violates(losses: Losses, guarantee: Guarantee) -> bool:
    more = 1 + SLACK
    match guarantee:
        case ApproxDP(epsilon, delta) if delta == 0:
            return pure_of(_list_losses(losses)) > epsilon * more
        case ApproxDP(epsilon, delta):
            return _delta(losses, epsilon * more) > delta * more
        case GaussianDP(mu):
            if all(isinstance(loss, GaussianLoss) for _, loss in losses):
                return _sum_squares(losses) > (mu * more) ** 2
            square = (mu * more) ** 2
            return any(
                _delta(losses, one) > gaussian_delta(square, one, _BITS).upper * more
                for one in EPSILONS
            )
        case ZCDP(rho):
            return any(_renyi(losses, order) > rho * order * more for order in ORDERS)
        case RenyiDP(order, bound):
            return _renyi(losses, order) > bound * more


def _sum_squares(losses: Losses) -> Fraction:
    squares = [count * one.mu_squared for count, one in losses if isinstance(one, GaussianLoss)]
    return sum(squares, Fraction(0))


def _list_losses(losses: Losses) -> list[Loss]:
    return [loss for count, loss in losses for _ in range(count)]


def _delta(losses: Losses, epsilon: Fraction) -> Fraction:
    """A floor of δ(ε)."""
    try:
        return enclose_delta(losses, epsilon).lower
    except ProofError:
        return Fraction(0)


def _renyi(losses: Losses, order: Fraction) -> Fraction:
    """A floor of the Rényi divergence of an order: those of independent losses add up."""
    moments = (count * log_moment(loss, order - 1, "remove").lower for count, loss in losses)
    return sum(moments, Fraction(0)) / (order - 1)


def size_of(losses: Iterable[Loss]) -> float:
    """What orders pairs: the pure loss, or the squares of normal noise, whichever there is."""
    found = list(losses)
    squared = sum(float(one.mu_squared) for one in found if isinstance(one, GaussianLoss))
    rest = pure_of(one for one in found if not isinstance(one, GaussianLoss))
    # Discrete Gaussians have neither: they count by their squares.
    return squared + (rest if math.isfinite(rest) else _squares(found))


def _squares(losses: Iterable[Loss]) -> float:
    found = [(getattr(one, "shift", 0), getattr(one, "variance", None)) for one in losses]
    return sum(float(shift**2 / variance) for shift, variance in found if variance)
