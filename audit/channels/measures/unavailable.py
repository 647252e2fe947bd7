"""A measure that a channel does not have, or that would take too long."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unavailable:
    """There is no value, for a reason that ends a sentence "not available: …"."""

    reason: str
