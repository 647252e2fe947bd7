"""Judgments: what a theorem says, with the neighbours inside it.

`Stable` speaks of a query, `Private` of a mechanism: of the one that the theorem's last step makes
of its premises and its parameters. All numbers are rational; where a formula's value is not, a
theorem states a rational beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from proofs.entries import (
    Entries,
    Point,
    RenyiCurve,
    entry_to_json,
    require_ascending,
    require_moves,
)
from proofs.errors import require
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.parameters import Known, Record, plain_fields, read_kind
from synthesizers.neighbours import Neighbours
from synthesizers.neighbours import to_json as neighbours_to_json


@dataclass(frozen=True, slots=True)
class Profile:
    """(ε, δ)-DP at every listed point, ε ascending."""

    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        require_ascending(self.points, "the points of a profile")
        ranges = all(epsilon >= 0 and 0 <= delta < 1 for epsilon, delta in self.points)
        require(ranges, "a profile needs every epsilon of at least 0, every delta in [0, 1)")


@dataclass(frozen=True, slots=True)
class LossList:
    """The loss is the sum of those of ``entries``: the one guarantee that composes.

    Each of ``losses`` bounds its own mechanism's loss, whatever was answered before. With none the
    outputs do not depend on the data.
    """

    losses: Entries


@dataclass(frozen=True, slots=True)
class Odometer:
    """A bound on the loss by what was spent when asking stopped.

    With chance at least 1 - δ, for every level at once: the privacy loss is at most ε_j if the
    spend is at most s_j. ``levels``: (s_j, ε_j), ascending, fixed in advance.
    """

    levels: tuple[Point, ...]
    delta: Fraction

    def __post_init__(self) -> None:
        require_ascending(self.levels, "the levels of an odometer")
        require(min(map(min, self.levels)) >= 0, "an odometer needs levels of at least 0")
        require(0 <= self.delta < 1, "an odometer needs 0 <= delta < 1")


def guarantee_from_json(data: Any, who: str = "a guarantee") -> Guarantee:
    """The guarantee of its plain data; ProofError for unknown kinds, names and ranges.

    Numbers are integers, or rationals as text. Losses come in their canonical order, equal ones
    as one entry, so that one guarantee has one form.

    Guarantee
    ---------
    ``guarantee_to_json`` gives the data back, with every number in its lowest terms. Backed by
    ``tests/proofs/rules/test_guarantee_json.py``.
    """
    return read_kind(KINDS, "kind", data, who)


Guarantee = Annotated[
    LossList | ApproxDP | ZCDP | GaussianDP | RenyiCurve | Profile | Odometer, guarantee_from_json
]
"""What a theorem may say of a mechanism; pure DP is ApproxDP with δ = 0."""

KINDS: dict[str, type[Guarantee]] = {
    "losses": LossList,
    "approx": ApproxDP,
    "zcdp": ZCDP,
    "gdp": GaussianDP,
    "renyi": RenyiCurve,
    "profile": Profile,
    "odometer": Odometer,
}
"""The kinds of guarantee, as plain data name them."""


def guarantee_to_json(guarantee: Guarantee) -> Record:
    """A guarantee as plain data."""
    if isinstance(guarantee, LossList):
        return {"kind": "losses", "losses": [entry_to_json(*one) for one in guarantee.losses]}
    (name,) = (name for name, kind in KINDS.items() if type(guarantee) is kind)
    return {"kind": name, **plain_fields(guarantee)}


@dataclass(frozen=True, slots=True)
class Stable:
    """Between neighbours the query's answers move at most this far.

    ``l0``: how many answers move, None where nothing is known. ``l1``,
    ``l2_squared``, ``linf``: norms of the difference. ``integers``: all answers
    are integers. ``monotone``: all answers move in one direction.
    """

    neighbours: Neighbours
    l0: Known
    l1: Fraction
    l2_squared: Fraction
    linf: Fraction
    monotone: bool
    integers: bool

    def __post_init__(self) -> None:
        require_moves(self.l0, self.l1, self.l2_squared, self.linf)

    def to_json(self) -> Record:
        """The judgment as plain data, the neighbours' own among them."""
        own = {**plain_fields(self), **neighbours_to_json(self.neighbours)}
        return {"judgment": "stable", **own}


@dataclass(frozen=True, slots=True)
class Private:
    """The mechanism has the guarantee between all neighbours."""

    neighbours: Neighbours
    guarantee: Guarantee

    def to_json(self) -> Record:
        """The judgment as plain data, the neighbours' own among them."""
        own = {
            **neighbours_to_json(self.neighbours),
            "guarantee": guarantee_to_json(self.guarantee),
        }
        return {"judgment": "private", **own}


Judgment = Stable | Private
