"""Checks: what came of comparing a statement of a certificate with what was found anew."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from audit.decimals import Enclosure, Extended
from synthesizers.errors import InputError

NEAR = Fraction(1, 10**9)
"""How far, relatively, ends computed in doubles may lie apart between machines."""


class Status(Enum):
    """What came of re-checking one statement."""

    CONFIRMED = "confirmed"
    FALSE = "false or altered"
    UNCHECKED = "not re-checked"


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


_ORDER = (Status.FALSE, Status.UNCHECKED, Status.CONFIRMED)


def compare_bound(name: str, old: Any, new: dict[str, Any] | None) -> Check:
    """A stated bound beside the one found, as plain data; None where there is none."""
    if old == new:
        return Check(name, Status.CONFIRMED, "" if new else "none is stated")
    if not isinstance(old, dict) or new is None:
        return Check(name, Status.FALSE, "a bound was added or dropped")
    measured = [key for key, value in new.items() if isinstance(value, dict)]
    if set(old) != set(new) or any(old[key] != new[key] for key in new if key not in measured):
        return Check(name, Status.FALSE, "what it covers does not follow from the audit")
    checks = [compare_ends(name, old[key], new[key]) for key in measured]
    return min(checks, key=lambda check: _ORDER.index(check.status))


def compare_ends(name: str, old: Any, new: dict[str, str]) -> Check:
    """Doubles may differ in their last digits between machines; certified ends still overlap."""
    try:
        stated, found = Enclosure.from_json(old), Enclosure.from_json(new)
        if stated.to_json() != old:
            return Check(name, Status.FALSE, "its numbers are not spelled as they are written")
    except (KeyError, TypeError, ValueError, InputError):
        return Check(name, Status.FALSE, "its numbers are malformed")
    apart = stated.lower > found.upper or stated.upper < found.lower
    near = _near(stated.lower, found.lower) and _near(stated.upper, found.upper)
    if apart or not near or found.lower == found.upper:
        return Check(name, Status.FALSE, f"the audit finds {found}")
    if stated.lower <= found.lower and found.upper <= stated.upper:
        return Check(name, Status.CONFIRMED)
    return Check(name, Status.UNCHECKED, f"narrower than what could be re-checked: {found}")


def _near(stated: Extended, found: Extended) -> bool:
    """Whether two ends are alike but for the rounding of doubles."""
    if isinstance(stated, float) or isinstance(found, float):
        return stated == found
    return abs(stated - found) <= abs(found) * NEAR
