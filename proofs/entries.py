"""Entries: what each mechanism adds to the loss, in the one list that composes.

An entry keeps all that is known of a mechanism's loss: of noise the law and how far the answers
move, in each norm; of a mechanism known by a guarantee, that guarantee. Entries of mechanisms that
run one after another are joined; what holds of all of them together is read off the list
(`proofs.rules.readings`). Nothing is rounded on the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from proofs.errors import ProofError
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)

Point = tuple[Fraction, Fraction]

LAWS = ("laplace", "discrete-laplace", "discrete-gaussian")
"""The laws of `NoiseLoss`; Gaussian noise is a `GaussianLoss`, of which only μ² matters."""


def _require(condition: bool, expected: str) -> None:
    if not condition:
        raise ProofError(expected)


@dataclass(frozen=True, slots=True)
class NoiseLoss:
    """Independent noise of one law on each of some answers.

    ``amount``: the scale of a Laplace law, the variance parameter of the discrete Gaussian one.
    ``l0``, ``l1``, ``l2_squared``, ``linf``: how far the answers move; l0 may be unknown. Under the
    discrete laws the answers are integers.
    """

    law: str
    amount: Fraction
    l0: int | None
    l1: Fraction
    l2_squared: Fraction
    linf: Fraction
    name = "noise"

    def __post_init__(self) -> None:
        _require(self.law in LAWS, f"noise has one of the laws {', '.join(LAWS)}")
        _require(self.amount > 0, "noise has an amount above 0")
        norms = (self.l1, self.l2_squared, self.linf, Fraction(self.l0 or 0))
        _require(min(norms) >= 0, "a move is at least 0")
        _require(self.linf**2 <= self.l2_squared <= self.l1**2, "moves have linf <= l2 <= l1")

    @property
    def pairs(self) -> Losses:
        """The loss of one largest move, as often as the moves of all answers can need it.

        Moves with sum Linf are no worse than one of Linf (Dong, Roth & Su 2022, Theorem 2.14, for
        chains; Zhu, Dong & Wang 2022, Theorem 10, for products), and moves with sum L1, each at
        most Linf, fall into fewer than 2·L1/Linf groups with such sums. Of integer answers the
        largest move is an integer.
        """
        most = self.linf if self.law == "laplace" else Fraction(math.floor(self.linf))
        if most == 0:
            return ()
        groups = max(1, math.ceil(2 * self.l1 / most) - 1)
        count = groups if self.l0 is None else min(groups, self.l0)
        return ((count, self._pair(most)),) if count else ()

    def _pair(self, most: Fraction) -> LaplaceLoss | DiscreteLaplaceLoss | DiscreteGaussianLoss:
        if self.law == "laplace":
            return LaplaceLoss(most / self.amount)
        if self.law == "discrete-laplace":
            return DiscreteLaplaceLoss(1 / self.amount, int(most))
        return DiscreteGaussianLoss(self.amount, int(most))


@dataclass(frozen=True, slots=True)
class BoundedRangeLoss:
    """ε-bounded range (Dong, Durfee & Rogers 2020): the exponential mechanism's losses.

    All losses between two neighbours lie in an interval of length ε that holds 0.
    """

    epsilon: Fraction
    name = "bounded-range"

    def __post_init__(self) -> None:
        _require(self.epsilon >= 0, "a bounded range needs epsilon >= 0")


@dataclass(frozen=True, slots=True)
class ConcentratedLoss:
    """δ-approximate (ξ, ρ)-zCDP (Bun & Steinke 2016, Definition 8.1); ρ-zCDP for ξ = δ = 0."""

    xi: Fraction
    rho: Fraction
    delta: Fraction
    name = "concentrated"

    def __post_init__(self) -> None:
        _require(min(self.xi, self.rho) >= 0, "a concentrated loss needs xi >= 0 and rho >= 0")
        _require(0 <= self.delta < 1, "a concentrated loss needs 0 <= delta < 1")


@dataclass(frozen=True, slots=True)
class CurveLoss:
    """(α, ε)-Rényi DP at every listed order α > 1, orders ascending (Mironov 2017)."""

    points: tuple[Point, ...]
    name = "curve"

    def __post_init__(self) -> None:
        require_curve(self.points)

    def at(self, order: Fraction) -> Fraction:
        """ε at an order, that of the least listed one which is no smaller; ProofError beyond.

        Rényi divergences do not fall as the order grows (van Erven & Harremoës 2014, Theorem 3).
        """
        for listed, epsilon in self.points:
            if listed >= order:
                return epsilon
        raise ProofError("a curve lists no order that is so large")


Entry = (
    NoiseLoss
    | GaussianLoss
    | ResponseLoss
    | BoundedRangeLoss
    | SampledGaussianLoss
    | AllocationLoss
    | FixedSizeLoss
    | ConcentratedLoss
    | CurveLoss
)
Entries = tuple[tuple[int, Entry], ...]
"""Losses of mechanisms that run one after another, each with how often; equal ones are one."""

ENTRIES: dict[str, type[Entry]] = {
    kind.name: kind
    for kind in (
        NoiseLoss,
        GaussianLoss,
        ResponseLoss,
        BoundedRangeLoss,
        SampledGaussianLoss,
        AllocationLoss,
        FixedSizeLoss,
        ConcentratedLoss,
        CurveLoss,
    )
}
"""Every kind of entry by its name."""


def require_curve(points: tuple[Point, ...]) -> None:
    """Raise ProofError unless these are points of a Rényi curve."""
    orders = [order for order, _ in points]
    ascending = bool(orders) and orders == sorted(set(orders)) and orders[0] > 1
    _require(ascending, "a Rényi curve needs one or more ascending orders above 1")
    _require(min(epsilon for _, epsilon in points) >= 0, "a Rényi curve needs every epsilon >= 0")


def entry_to_json(count: int, entry: Entry) -> dict[str, Any]:
    """One entry of losses as plain data."""
    own = {field.name: _plain(getattr(entry, field.name)) for field in fields(entry)}
    return {"loss": entry.name, "count": count, **own}


def _plain(value: object) -> Any:
    if isinstance(value, tuple):
        return [[str(number) for number in point] for point in value]
    return str(value) if isinstance(value, Fraction) else value
