"""What one run of a black box may take."""

from __future__ import annotations

from dataclasses import dataclass
from threading import TIMEOUT_MAX

from synthesizers.errors import InputError


@dataclass(frozen=True)
class Limits:
    """What one run may take: seconds on the clock, and megabytes of addresses."""

    seconds: float = 60
    megabytes: int = 4096

    def __post_init__(self) -> None:
        if not 0 < self.seconds < TIMEOUT_MAX or self.megabytes < 1:
            raise InputError("a run needs a limit of more than 0 seconds and at least 1 megabyte")
