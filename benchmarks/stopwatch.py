"""What every benchmark reads off: the time of one call, and the memory of the largest process."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_gigabytes() -> float:
    """The most memory that this process or one of its children has held."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(who).ru_maxrss for who in whose) / 1e6
