"""Durations in words."""

from __future__ import annotations

SOME_SECONDS = 10.0
"""What takes less time is not worth a figure."""


def spell_seconds(seconds: float) -> str:
    """So many seconds as whoever waits for them says it."""
    if seconds < SOME_SECONDS:
        return "some seconds"
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"about {seconds / length:.0f} {unit}"
    return f"about {seconds:.0f} s"
