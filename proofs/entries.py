"""Entries: what each mechanism adds to the loss, in the one list that composes.

An entry keeps all that is known of a mechanism's loss: of noise the law and how far the answers
move, in each norm; of a mechanism known by a guarantee, that guarantee. Entries of mechanisms that
run one after another are joined; what holds of all of them together is read off the list
(`proofs.rules.readings`). Nothing is rounded on the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, get_args

from proofs.errors import ProofError, require
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
    join,
)
from proofs.parameters import (
    AtLeast0,
    Chance,
    Count,
    Known,
    Positive,
    Ranged,
    Record,
    one_of,
    plain_fields,
    read_kind,
    reader,
)

Point = tuple[Fraction, Fraction]

LAWS = ("laplace", "discrete-laplace", "discrete-gaussian")
"""The laws of `NoiseLoss`; Gaussian noise is a `GaussianLoss`, of which only μ² matters."""


@dataclass(frozen=True, slots=True)
class NoiseLoss(Ranged):
    """Independent noise of one law on each of some answers.

    ``amount``: the scale of a Laplace law, the variance parameter of the discrete Gaussian one.
    ``l0``, ``l1``, ``l2_squared``, ``linf``: how far the answers move; l0 may be unknown. Under the
    discrete laws the answers are integers.
    """

    law: Annotated[str, one_of(LAWS)]
    amount: Positive
    l0: Known
    l1: Fraction
    l2_squared: Fraction
    linf: Fraction
    name = "noise"

    def __post_init__(self) -> None:
        Ranged.__post_init__(self)
        require_moves(self.l0, self.l1, self.l2_squared, self.linf)

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
class BoundedRangeLoss(Ranged):
    """ε-bounded range (Dong, Durfee & Rogers 2020): the exponential mechanism's losses.

    All losses between two neighbours lie in an interval of length ε that holds 0.
    """

    epsilon: AtLeast0
    name = "bounded-range"


@dataclass(frozen=True, slots=True)
class ConcentratedLoss(Ranged):
    """δ-approximate (ξ, ρ)-zCDP (Bun & Steinke 2016, Definition 8.1); ρ-zCDP for ξ = δ = 0."""

    xi: AtLeast0
    rho: AtLeast0
    delta: Chance
    name = "concentrated"


@dataclass(frozen=True, slots=True)
class RenyiCurve:
    """(α, ε)-Rényi DP at every listed order α > 1, orders ascending (Mironov 2017)."""

    points: tuple[Point, ...]
    name = "curve"

    def __post_init__(self) -> None:
        require_ascending(self.points, "the points of a Rényi curve")
        above = all(order > 1 and epsilon >= 0 for order, epsilon in self.points)
        require(above, "a Rényi curve needs every order above 1, every epsilon of at least 0")

    def at(self, order: Fraction) -> Fraction:
        """ε at an order, that of the least listed one which is no smaller; ProofError beyond.

        Rényi divergences do not fall as the order grows (van Erven & Harremoës 2014, Theorem 3).
        """
        for listed, epsilon in self.points:
            if listed >= order:
                return epsilon
        raise ProofError("a curve lists no order that is so large")


def require_moves(l0: int | None, l1: Fraction, l2_squared: Fraction, linf: Fraction) -> None:
    """Raise ProofError unless these may be the norms of one difference of answers."""
    require(min(l1, l2_squared, linf, Fraction(l0 or 0)) >= 0, "a move is at least 0")
    require(linf**2 <= l2_squared <= l1**2, "moves have linf <= l2 <= l1")


def require_ascending(points: tuple[Point, ...], name: str) -> None:
    """Raise ProofError unless there are points, and the first numbers of all ascend."""
    ascending = all(low < high for (low, _), (high, _) in pairwise(points))
    require(bool(points) and ascending, f"{name} are one or more, ascending")


Entry = (
    NoiseLoss
    | GaussianLoss
    | ResponseLoss
    | BoundedRangeLoss
    | SampledGaussianLoss
    | AllocationLoss
    | FixedSizeLoss
    | ConcentratedLoss
    | RenyiCurve
)
ENTRIES: dict[str, type[Entry]] = {kind.name: kind for kind in get_args(Entry)}
"""Every kind of entry by its name."""


def entry_to_json(count: int, entry: Entry) -> Record:
    """One entry of losses as plain data."""
    return {"loss": entry.name, "count": count, **plain_fields(entry)}


def entry_from_json(data: Any, who: str = "a loss") -> tuple[int, Entry]:
    """One loss and how often it occurs; ProofError for unknown kinds, names and ranges."""
    require(isinstance(data, dict), f"{who} to be named values")
    count = reader(Count)(data.get("count"), f"{who}: it needs count")
    own = {name: value for name, value in data.items() if name != "count"}
    return count, read_kind(ENTRIES, "loss", own, f"{who}: it")


def entries_from_json(data: Any, who: str) -> tuple[tuple[int, Entry], ...]:
    """The losses of a list, in their one order, so that a list has one form; or ProofError."""
    require(isinstance(data, list), f"{who} to be a list")
    entries = tuple(entry_from_json(entry, who) for entry in data)
    ordered = entries == join([entries], [1])
    require(ordered, "losses are listed by name and parameters, equal ones as one entry")
    return entries


CountedLoss = Annotated[tuple[int, Entry], entry_from_json]
Entries = Annotated[tuple[tuple[int, Entry], ...], entries_from_json]
"""Losses of mechanisms that run one after another, each with how often; equal ones are one."""
