"""Bounds of what is drawn: refused at once where nothing lies between them."""

from __future__ import annotations

from synthesizers.errors import InputError
from synthesizers.plain import require_integer


def require_between(low: int, high: int, what: str, least: int = 0) -> tuple[int, int]:
    """Whole numbers with ``least <= low <= high``; raises InputError that names what they bound."""
    found_low = require_integer(low, f"least number of {what}")
    found_high = require_integer(high, f"largest number of {what}")
    if found_low < least:
        raise InputError(
            f"the least number of {what} must be at least {least}, found {found_low}; raise it"
        )
    if found_low > found_high:
        raise InputError(
            f"the least number of {what} is {found_low} and the largest {found_high}, so that "
            "there is none; exchange them or widen the bounds"
        )
    return found_low, found_high
