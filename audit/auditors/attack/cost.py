"""What attackers cost."""

from __future__ import annotations

from enum import IntEnum


class Cost(IntEnum):
    """How long fitting takes on some ten thousand runs: a moment, tenths of a second, or more."""

    LOW = 0
    MIDDLE = 1
    HIGH = 2
