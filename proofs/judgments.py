"""Judgments: what a theorem says, with the neighbours inside it.

`Stable` speaks of a query, `Private` of a mechanism. All numbers are rational;
where a formula's value is not, a theorem states a rational beyond it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.entries import Entries, Point, entry_to_json, require_curve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from synthesizers.neighbours import Neighbours
from synthesizers.neighbours import to_json as neighbours_to_json


@dataclass(frozen=True, slots=True)
class RenyiCurve:
    """(α, ε)-Rényi DP at every listed order α > 1, orders ascending (Mironov 2017)."""

    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        require_curve(self.points)


@dataclass(frozen=True, slots=True)
class Profile:
    """(ε, δ)-DP at every listed point, ε ascending."""

    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        epsilons = [epsilon for epsilon, _ in self.points]
        if not epsilons or epsilons != sorted(set(epsilons)) or epsilons[0] < 0:
            raise ProofError("a profile needs one or more ascending epsilons of at least 0")
        if any(not 0 <= delta < 1 for _, delta in self.points):
            raise ProofError("a profile needs every delta in [0, 1)")


@dataclass(frozen=True, slots=True)
class LossList:
    """The loss is the sum of those of ``entries``: the one guarantee that composes.

    Each entry bounds its own mechanism's loss, whatever was answered before. With no entries the
    outputs do not depend on the data.
    """

    entries: Entries


@dataclass(frozen=True, slots=True)
class Odometer:
    """A bound on the loss by what was spent when asking stopped.

    With chance at least 1 - δ, for every level at once: the privacy loss is at most ε_j if the
    spend is at most s_j. ``levels``: (s_j, ε_j), ascending, fixed in advance.
    """

    levels: tuple[Point, ...]
    delta: Fraction

    def __post_init__(self) -> None:
        spends = [spend for spend, _ in self.levels]
        if not spends or spends != sorted(set(spends)) or not 0 <= self.delta < 1:
            raise ProofError("an odometer needs one or more ascending levels, and 0 <= delta < 1")
        if any(min(level) < 0 for level in self.levels):
            raise ProofError("an odometer needs levels of at least 0")


Guarantee = LossList | ApproxDP | ZCDP | GaussianDP | RenyiCurve | Profile | Odometer
"""What a theorem may say of a mechanism; pure DP is ApproxDP with δ = 0."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """What a theorem is about: a base mechanism, or one made of ``parts``.

    ``parameters``: canonical JSON. ``parts``: each with how often it runs.
    """

    name: str
    parameters: str = "{}"
    parts: tuple[tuple[int, Mechanism], ...] = ()

    @classmethod
    def of(cls, name: str, parameters: dict[str, Any], *parts: tuple[int, Mechanism]) -> Mechanism:
        """The mechanism of parameters as plain data."""
        return cls(name, canonical(parameters), parts)

    def to_json(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        parts = [{"count": count, "mechanism": part.to_json()} for count, part in self.parts]
        return {"name": self.name, "parameters": json.loads(self.parameters), "parts": parts}


@dataclass(frozen=True, slots=True)
class Stable:
    """Between neighbours the query's answers move at most this far.

    ``l0``: how many answers move, None where nothing is known. ``l1``,
    ``l2_squared``, ``linf``: norms of the difference. ``integers``: all answers
    are integers. ``monotone``: all answers move in one direction. ``query``:
    canonical JSON.
    """

    query: str
    neighbours: Neighbours
    l0: int | None
    l1: Fraction
    l2_squared: Fraction
    linf: Fraction
    monotone: bool
    integers: bool

    def __post_init__(self) -> None:
        norms = (self.l1, self.l2_squared, self.linf, Fraction(self.l0 or 0))
        if min(norms) < 0:
            raise ProofError("a sensitivity must not be negative")
        if not self.linf**2 <= self.l2_squared <= self.l1**2:
            raise ProofError("a sensitivity needs linf <= l2 <= l1")

    def to_json(self) -> dict[str, Any]:
        """The judgment as plain data."""
        return {
            "judgment": "stable",
            **neighbours_to_json(self.neighbours),
            "l0": self.l0,
            "l1": str(self.l1),
            "l2_squared": str(self.l2_squared),
            "linf": str(self.linf),
            "monotone": self.monotone,
            "integers": self.integers,
        }


@dataclass(frozen=True, slots=True)
class Private:
    """The mechanism has the guarantee between all neighbours."""

    mechanism: Mechanism
    neighbours: Neighbours
    guarantee: Guarantee

    def to_json(self) -> dict[str, Any]:
        """The judgment as plain data, without the mechanism, which the steps before it name."""
        return {
            "judgment": "private",
            **neighbours_to_json(self.neighbours),
            "guarantee": guarantee_to_json(self.guarantee),
        }


Judgment = Stable | Private


def guarantee_to_json(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as plain data."""
    match guarantee:
        case ApproxDP(epsilon, delta):
            return {"kind": "approx", "epsilon": str(epsilon), "delta": str(delta)}
        case ZCDP(rho):
            return {"kind": "zcdp", "rho": str(rho)}
        case GaussianDP(mu):
            return {"kind": "gdp", "mu": str(mu)}
        case RenyiCurve(points):
            return {"kind": "renyi", "points": _points(points)}
        case Profile(points):
            return {"kind": "profile", "points": _points(points)}
        case LossList(entries):
            return {"kind": "losses", "losses": [entry_to_json(*entry) for entry in entries]}
        case Odometer(levels, delta):
            return {"kind": "odometer", "levels": _points(levels), "delta": str(delta)}


def canonical(data: object) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _points(points: tuple[Point, ...]) -> list[list[str]]:
    return [[str(first), str(second)] for first, second in points]
