"""Findings: what a property auditor saw, beside what was declared.

An auditor of properties looks at one part of a mechanism: the sensitivity of a query, the law of
a noise, the sum of a ledger, what depends on the data that should not. What it sees is a
`Finding`; whoever doubts it replays it by one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Detector(Enum):
    """Who saw it."""

    CHANNEL = "channel"
    TRANSCRIPT = "transcript"
    COMPOSITION = "composition"
    SENSITIVITY = "sensitivity"
    DATA_INDEPENDENCE = "data independence"
    NOISE_LAW = "noise law"
    UTILITY_SANITY = "utility sanity"
    ATTACK = "attack"
    BOUNDARY = "boundary"


class Rigour(Enum):
    """What the found value is.

    EXACT: the value itself, for all that the finding covers. FLOOR: the true value is at least
    this, shown by a pair that anyone can evaluate. STATISTICAL: so at the finding's error.
    """

    EXACT = "exact"
    FLOOR = "floor"
    STATISTICAL = "statistical"


@dataclass(frozen=True)
class Shown:
    """The smallest pair of neighbours that shows a violation, as plain data: what JSON can say.

    A database is a list of records, each a mapping from attribute to value, or a tuple of counts
    over the domain's cells.
    """

    first: Any
    second: Any


@dataclass(frozen=True)
class Finding:
    """One property of one subject: what was declared, what was found.

    ``about``: the property, such as "L1 sensitivity". ``declared``, ``found``: as text, exact
    numbers as integers or fractions. ``covers``: which databases, draws or parameters were looked
    at. ``pair``: None where no pair is involved. ``responsible``: the round, the column or the
    output at fault. ``replay``: a command or a few lines of Python that show the same again.
    ``error``: of a statistical finding, the largest chance that an honest subject is accused.
    """

    detector: Detector
    about: str
    violated: bool
    declared: str
    found: str
    rigour: Rigour
    covers: str
    replay: str
    pair: Shown | None = None
    responsible: str | None = None
    error: float | None = None

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Finding:
        """The finding that `to_json` wrote, as another process hands it over."""
        pair = plain["pair"]
        return cls(
            **{
                **plain,
                "detector": Detector(plain["detector"]),
                "rigour": Rigour(plain["rigour"]),
                "pair": None if pair is None else Shown(pair["first"], pair["second"]),
            }
        )

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data."""
        pair: Mapping[str, Any] | None = None
        if self.pair is not None:
            pair = {"first": self.pair.first, "second": self.pair.second}
        return {
            "detector": self.detector.value,
            "about": self.about,
            "violated": self.violated,
            "declared": self.declared,
            "found": self.found,
            "rigour": self.rigour.value,
            "covers": self.covers,
            "pair": pair,
            "responsible": self.responsible,
            "replay": self.replay,
            "error": self.error,
        }


def violations(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that speak against what was declared."""
    return tuple(finding for finding in findings if finding.violated)
