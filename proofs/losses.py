"""Privacy losses: the dominating pairs of distributions that composition multiplies.

A pair (P, Q) dominates a mechanism where, for every γ >= 0, its divergence
sup over events of P(S) - γ·Q(S) is at least that of the mechanism's outputs on
any two neighbours (Zhu, Dong & Wang 2022, Definition 7). Between neighbours
there are two directions, so each loss has two *sides*: on ``remove`` the first
database holds the unit's records and the second does not, on ``add`` the
reverse. Most losses here are the same on both; `sides` tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from proofs.parameters import AtLeast0, Chance, Positive, Range, Ranged, Share, Whole

Side = Literal["remove", "add"]
SIDES: tuple[Side, Side] = ("remove", "add")
Several = Annotated[int, Range(lambda number: number >= 2, "an integer from 2 on")]


@dataclass(frozen=True, slots=True, order=True)
class GaussianLoss(Ranged):
    """P = N(μ, 1), Q = N(0, 1): the loss is N(μ²/2, μ²) under P."""

    mu_squared: AtLeast0
    name = "gaussian"


@dataclass(frozen=True, slots=True, order=True)
class LaplaceLoss(Ranged):
    """P = Laplace(ε, 1), Q = Laplace(0, 1) on the real line, of scale 1 both."""

    epsilon: AtLeast0
    name = "laplace"


@dataclass(frozen=True, slots=True, order=True)
class DiscreteLaplaceLoss(Ranged):
    """P[z] ∝ e^(-rate·|z - shift|), Q[z] ∝ e^(-rate·|z|) on the integers; shift >= 0."""

    rate: Positive
    shift: Whole
    name = "discrete-laplace"


@dataclass(frozen=True, slots=True, order=True)
class DiscreteGaussianLoss(Ranged):
    """P[z] ∝ e^(-(z - shift)²/(2·variance)), Q[z] ∝ e^(-z²/(2·variance)), integers; shift >= 0."""

    variance: Positive
    shift: Whole
    name = "discrete-gaussian"


@dataclass(frozen=True, slots=True, order=True)
class ResponseLoss(Ranged):
    """The pair that dominates every (ε, δ)-DP mechanism (Kairouz, Oh & Viswanath 2015).

    Under P the loss is ∞ with chance δ, ε with chance (1-δ)·e^ε/(1+e^ε) and -ε with
    chance (1-δ)/(1+e^ε); with δ = 0 it is that of randomised response.
    """

    epsilon: AtLeast0
    delta: Chance = Fraction(0)
    name = "response"


@dataclass(frozen=True, slots=True, order=True)
class SampledGaussianLoss(Ranged):
    """A Gaussian on a Poisson sample, of rate q: (1-q)·N(0, 1) + q·N(μ, 1) against N(0, 1).

    On ``remove`` P is the mixture; on ``add`` Q is.
    """

    fraction: Share
    mu_squared: Positive
    name = "sampled-gaussian"


@dataclass(frozen=True, slots=True, order=True)
class AllocationLoss(Ranged):
    """A Gaussian in one of t steps drawn evenly: (1/t)·Σ N(μ·eᵢ, I) against N(0, I), i = 1 … t.

    On ``remove`` P is the mixture; on ``add`` Q is. The ratio of the mixture to N(0, I) is the mean
    of t independent e^(μx - μ²/2), x of law N(0, 1).
    """

    steps: Several
    mu_squared: Positive
    name = "allocation"


@dataclass(frozen=True, slots=True, order=True)
class FixedSizeLoss(Ranged):
    """A Gaussian on a sample of a fixed size, a share q of the records, one of which is replaced.

    With r = 1 - q + q·e^(μx - μ²/2) the loss is ln r where x > μ/2 under r·N(0, 1), -ln r where
    x > μ/2 under N(0, 1), and 0 with the rest of the chance: the same on both sides.
    """

    fraction: Share
    mu_squared: Positive
    name = "fixed-size"


Loss = (
    GaussianLoss
    | LaplaceLoss
    | DiscreteLaplaceLoss
    | DiscreteGaussianLoss
    | ResponseLoss
    | SampledGaussianLoss
    | AllocationLoss
    | FixedSizeLoss
)
Losses = tuple[tuple[int, Loss], ...]
"""Independent losses that add up, each with how often it occurs; equal ones are one entry."""

L = TypeVar("L", bound=Any)


def sides(losses: Iterable[tuple[int, object]]) -> tuple[Side, ...]:
    """The sides on which losses, or entries, differ: one stands for both without a mixture."""
    mixed = any(isinstance(loss, SampledGaussianLoss | AllocationLoss) for _, loss in losses)
    return SIDES if mixed else ("remove",)


def join(
    parts: Iterable[tuple[tuple[int, L], ...]], counts: Iterable[int]
) -> tuple[tuple[int, L], ...]:
    """The losses of all parts, part i ``counts[i]`` times over, in one canonical order.

    Gaussian losses become one: the sum of N(μᵢ²/2, μᵢ²) is such a loss again.

    Guarantee
    ---------
    Nothing is lost or rounded. Backed by ``tests/proofs/test_entries.py``.
    """
    total: dict[Any, int] = {}
    squared = Fraction(0)
    for losses, times in zip(parts, counts, strict=True):
        for count, loss in losses:
            if isinstance(loss, GaussianLoss):
                squared += times * count * loss.mu_squared
            else:
                total[loss] = total.get(loss, 0) + times * count
    if squared:
        total[GaussianLoss(squared)] = 1
    ordered = sorted(total.items(), key=lambda item: _order(item[0]))
    return tuple((count, loss) for loss, count in ordered if count)


def _order(loss: Any) -> tuple[Any, ...]:
    """The place of a loss: by its name, then by its numbers; an unknown one comes first."""
    values = [getattr(loss, field.name) for field in fields(loss)]
    return (loss.name, *(-1 if value is None else value for value in values))
