"""How long work still takes, from what it was estimated at and what it took so far."""

from __future__ import annotations

import time
from collections.abc import Callable

TRUSTED_SECONDS = 5.0
"""How much work's pace the estimates are trusted for, before that of the work itself."""


class Pace:
    """What is left of work that was estimated at so many ``seconds`` of one of ``jobs`` cores."""

    def __init__(
        self, seconds: float, jobs: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds, self._jobs, self._clock = seconds, jobs, clock
        self._begun = clock()
        self._taken = self._estimated = TRUSTED_SECONDS

    def add(self, estimated: float, taken: float) -> None:
        """Told what was done, and how long one core took for it."""
        self._estimated, self._taken = self._estimated + estimated, self._taken + taken

    def estimate_left(self, estimated: float, taken: float) -> float:
        """The seconds left, at the pace so far; the arguments say what is half done."""
        pace = (self._taken + taken) / (self._estimated + estimated)
        return max(0.0, pace * self.seconds / self._jobs - (self._clock() - self._begun))
