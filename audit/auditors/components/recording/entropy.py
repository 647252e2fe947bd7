"""The system's entropy as a run finds it: within a recorded run it follows from the run's seed."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

PLAIN: Callable[[int], bytes] = os.urandom
"""The system itself: while something is recorded, `os` has another function by this name."""

_RANDOM = random.Random


class System:
    """Where bytes come from; the system itself outside of recorded runs."""

    def __init__(self) -> None:
        self.source = PLAIN


SYSTEM = System()


def urandom(size: int, /) -> bytes:
    """So many bytes, as `os.urandom` gives them."""
    return SYSTEM.source(size)


def bytes_of(seed: int) -> Callable[[int], bytes]:
    """A source whose bytes follow from a seed, and repeat nothing that a seed makes elsewhere."""
    chance = _RANDOM(f"the system's entropy in run {seed}")
    return lambda size: chance.getrandbits(8 * size).to_bytes(size, "little")
