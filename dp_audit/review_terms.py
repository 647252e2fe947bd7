"""What a review is asked for in a short text: its time, and the part that one machine does."""

from __future__ import annotations

import re

from synthesizers.errors import InputError

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def read_budget(text: str) -> float:
    """The seconds of a time such as ``2h``; raises InputError for another text."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([a-z]+)", text.strip())
    if found is None or found[2] not in _UNITS or float(found[1]) <= 0:
        raise InputError(f"--budget reads a time such as 90s, 30m or 2h; found {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def read_shard(text: str) -> tuple[int, int]:
    """The i and n of ``i/n``; raises InputError for another text."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError(f"--shard reads i/n with i from 1 to n, such as 2/4; found {text!r}")
    return int(found[1]), int(found[2])
