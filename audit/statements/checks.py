"""Checks: what came of comparing a statement of a certificate with what was found anew."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from audit.statements.certificate import canonical
from audit.statements.decimals import Enclosure, Extended
from audit.statements.evidence import Bound, Side

NEAR = Fraction(1, 10**15)
"""How far, relatively, the two ends of one number may lie apart in 17 digits."""


class Status(Enum):
    """What came of re-checking one statement.

    WORD: nobody who reads the certificate can re-check it, and no verdict rests on it.
    """

    CONFIRMED = "confirmed"
    FALSE = "false or altered"
    UNCHECKED = "not re-checked"
    WORD = "the maker's word"


@dataclass(frozen=True)
class Check:
    """One statement of a certificate, and what came of it."""

    statement: str
    status: Status
    note: str = ""


@dataclass(frozen=True)
class Verification:
    """All checks of one certificate."""

    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        """1 where something is false or altered, 3 where something was not re-checked, else 0."""
        found = {check.status for check in self.checks}
        if Status.FALSE in found:
            return 1
        return 3 if Status.UNCHECKED in found else 0


def same(stated: Any, found: Any) -> bool:
    """Whether plain data are written alike: true is not 1, and 1 is not 1.0."""
    return canonical(stated) == canonical(found)


_ORDER = (Status.FALSE, Status.UNCHECKED, Status.WORD, Status.CONFIRMED)


def compare_bound(name: str, stated: Bound | None, found: Bound | None) -> Check:
    """A stated bound beside the one found; None where there is none.

    Confirmed if what is found implies it, false if both can't be true, otherwise not re-checked.
    """
    if stated == found:
        return Check(name, Status.CONFIRMED, "" if found else "none is stated")
    if stated is None or found is None:
        return Check(name, Status.FALSE, "a bound was added or dropped")
    ends, others = bounded_values(stated), bounded_values(found)
    alike = (stated.side, stated.covers, stated.rigour) == (found.side, found.covers, found.rigour)
    if not alike or ends.keys() != others.keys():
        return Check(name, Status.FALSE, "what it covers does not follow from the audit")
    return worst(*(compare_ends(name, ends[key], others[key], found.side) for key in others))


def bounded_values(bound: Bound) -> dict[str, Enclosure]:
    """What a bound bounds: ε, and the claim's own parameter."""
    return {"epsilon": bound.epsilon, **dict([] if bound.parameter is None else [bound.parameter])}


def worst(*checks: Check) -> Check:
    """The check that says least of several of one statement."""
    return min(checks, key=lambda check: _ORDER.index(check.status))


def compare_ends(name: str, stated: Enclosure, found: Enclosure, side: Side | None = None) -> Check:
    """Stated ends beside those found, both as they are written; ``side``: what they bound.

    Guarantee
    ---------
    Confirmed only if all that the stated ends say follows from those found: an enclosure holds the
    one found, a ceiling lies at or above it, a floor at or below it. Backed by
    ``tests/audit/statements/test_checks.py``.
    """
    if stated == found:
        return Check(name, Status.CONFIRMED)
    tighter = Check(name, Status.CONFIRMED, f"tighter today: {found}")
    match side:
        case Side.CEILING:
            if not _near(stated.lower, stated.upper):
                return Check(name, Status.FALSE, "a ceiling is one number")
            implied = found.upper <= stated.lower
            return tighter if implied else Check(name, Status.UNCHECKED, f"found today: {found}")
        case Side.FLOOR:
            if stated.upper != math.inf or stated.lower > found.lower:
                return Check(name, Status.FALSE, f"the audit finds {found}")
            return tighter
    if stated.lower <= found.lower and found.upper <= stated.upper:
        return tighter
    if stated.lower > found.upper or stated.upper < found.lower:
        return Check(name, Status.FALSE, f"the audit finds {found}")
    return Check(name, Status.UNCHECKED, f"narrower than what could be re-checked: {found}")


def _near(stated: Extended, found: Extended) -> bool:
    """Whether two ends are one number but for the rounding of decimals."""
    if isinstance(stated, float) or isinstance(found, float):
        return stated == found
    return abs(stated - found) <= abs(found) * NEAR
