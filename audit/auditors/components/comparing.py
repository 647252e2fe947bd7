"""Whether losses that add up break a claim, in each language of claims."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

from audit.auditors.components.pairs_of_chances import (
    ChanceLoss,
    delta_of,
    multiply,
    renyi_of,
)
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

ORDERS = (
    *(Fraction(257, 256), Fraction(9, 8), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4)),
    *(Fraction(8), Fraction(16), Fraction(64)),
)
"""Orders at which a claim of zCDP is compared (each is a floor)."""

EPSILONS = (*(Fraction(step, 8) for step in range(9)), *map(Fraction, ("3/2", "2", "3", "5")))
"""Where the curve of a claim of Gaussian DP is compared (each is a floor)."""

MOST_BESIDE = 64
"""The most different losses of choices beside noise: each asks for the noise's own δ."""

MOST_BESIDE_NORMAL = 1_000
"""The same beside normal noise, whose δ is a closed form."""

ROUNDED = 1e-15
"""What a sum of doubles up to 1 may be off."""

_BITS = 128


Spent = Loss | ChanceLoss
"""What a part can spend: a loss of the kernel, or a choice by its chances."""

End = Literal["lower", "upper"]


def violates(losses: Iterable[Spent], leak: float, guarantee: Guarantee) -> bool:
    """Whether independent losses, one of them infinite with chance ``leak``, break a claim.

    Guarantee
    ---------
    True only if the product of the losses' pairs is no pair of the guarantee, by more than
    `SLACK`. Backed by ``tests/audit/auditors/components/test_comparing.py``.
    """
    return _breaks(tuple(losses), leak, guarantee, "lower")


def may_violate(losses: Iterable[Spent], leak: float, guarantee: Guarantee) -> bool:
    """The same by the upper ends of what is enclosed: True, too, where nobody can compare them."""
    return _breaks(tuple(losses), leak, guarantee, "upper")


def _breaks(losses: tuple[Spent, ...], leak: float, guarantee: Guarantee, end: End) -> bool:
    if leak > 0 and not (isinstance(guarantee, ApproxDP) and leak <= guarantee.delta * (1 + SLACK)):
        return True
    choices = tuple(sorted((one for one in losses if isinstance(one, ChanceLoss)), key=repr))
    parts: list[Losses] = [((1, one),) for one in losses if not isinstance(one, ChanceLoss)]
    joined = join(parts, [1] * len(parts))
    if not choices:
        return bool(joined) and _violates(joined, guarantee, end)
    return any(
        _violates_beside(own, joined, guarantee, end)
        for own in (choices, tuple(one.turned for one in choices))
    )


@functools.lru_cache(maxsize=4096)
def _violates(losses: Losses, guarantee: Guarantee, end: End) -> bool:
    more = 1 + SLACK
    match guarantee:
        case ApproxDP(epsilon, delta) if delta == 0:
            return pure_of(_list_losses(losses)) > epsilon * more
        case ApproxDP(epsilon, delta):
            return _delta(losses, epsilon * more, end) > delta * more
        case GaussianDP(mu):
            if all(isinstance(loss, GaussianLoss) for _, loss in losses):
                return _sum_squares(losses) > (mu * more) ** 2
            square = (mu * more) ** 2
            return any(
                _delta(losses, one, end) > gaussian_delta(square, one, _BITS).upper * more
                for one in EPSILONS
            )
        case ZCDP(rho):
            return any(_renyi(losses, order, end) > rho * order * more for order in ORDERS)
        case RenyiDP(order, bound):
            return _renyi(losses, order, end) > bound * more


@functools.lru_cache(maxsize=4096)
def _violates_beside(
    choices: tuple[ChanceLoss, ...], losses: Losses, guarantee: Guarantee, end: End
) -> bool:
    """Choices beside losses that are the same in both directions, in the choices' direction."""
    more = 1 + SLACK
    match guarantee:
        case ApproxDP(epsilon, delta) if delta == 0:
            together = sum(one.epsilon for one in choices) + pure_of(_list_losses(losses))
            return together > epsilon * more
        case ZCDP(rho):
            return any(
                _renyi_beside(choices, losses, order, end) > rho * order * more for order in ORDERS
            )
        case RenyiDP(order, bound):
            return _renyi_beside(choices, losses, order, end) > bound * more
    product = multiply(choices)
    normal = all(isinstance(loss, GaussianLoss) for _, loss in losses)
    most = MOST_BESIDE_NORMAL if normal else MOST_BESIDE
    if product is None or (losses and len(product.outcomes) > most):
        return end == "upper"

    @functools.cache
    def rest(at: float) -> float:
        return float(_delta(losses, Fraction(at), end))

    def profile(at: Fraction) -> float:
        assert product is not None
        return delta_of(product, float(at), rest if losses else None)

    if isinstance(guarantee, GaussianDP):
        square = (guarantee.mu * more) ** 2
        return any(
            profile(one) > gaussian_delta(square, one, _BITS).upper * more + ROUNDED
            for one in EPSILONS
        )
    return profile(guarantee.epsilon * more) > guarantee.delta * more + ROUNDED


def _renyi_beside(
    choices: Sequence[ChanceLoss], losses: Losses, order: Fraction, end: End
) -> float:
    """Divergences of independent pairs add up."""
    own = math.fsum(renyi_of(one, float(order)) for one in choices)
    return own + (float(_renyi(losses, order, end)) if losses else 0.0)


def _sum_squares(losses: Losses) -> Fraction:
    squares = [count * one.mu_squared for count, one in losses if isinstance(one, GaussianLoss)]
    return sum(squares, Fraction(0))


def _list_losses(losses: Losses) -> list[Loss]:
    return [loss for count, loss in losses for _ in range(count)]


def _delta(losses: Losses, epsilon: Fraction, end: End) -> Fraction:
    """An end of δ(ε); the trivial one where no method encloses it."""
    try:
        return Fraction(getattr(enclose_delta(losses, epsilon), end))
    except ProofError:
        return Fraction(0 if end == "lower" else 1)


def _renyi(losses: Losses, order: Fraction, end: End) -> Fraction:
    """An end of the Rényi divergence of an order: those of independent losses add up."""
    moments = (count * _moment(loss, order - 1, end) for count, loss in losses)
    return sum(moments, Fraction(0)) / (order - 1)


def _moment(loss: Loss, order: Fraction, end: End) -> Fraction:
    return Fraction(getattr(log_moment(loss, order, "remove"), end))


def size_of(losses: Iterable[Spent]) -> float:
    """What orders pairs: the pure loss, or the squares of normal noise, whichever there is."""
    found = list(losses)
    squared = sum(float(one.mu_squared) for one in found if isinstance(one, GaussianLoss))
    rest = pure_of(one for one in found if not isinstance(one, GaussianLoss))
    # Discrete Gaussians have neither: they count by their squares.
    return squared + (rest if math.isfinite(rest) else _squares(found))


def _squares(losses: Iterable[Spent]) -> float:
    found = [(getattr(one, "shift", 0), getattr(one, "variance", None)) for one in losses]
    return sum(float(shift**2 / variance) for shift, variance in found if variance)
