"""Following an attack: its runs counted as they are made, whatever they are made for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, cast

from audit.auditors.effort import Watch
from audit.parallel import Map
from audit.subjects.runs import Runs


class Following:
    """Tells a watch of each block of runs: how many there are by now, and the last floor.

    ``share``: makes an attack's calls, in its place; ``watch``: what the attack is to tell.
    Runs beside the attack's own, of first looks and of checks, count too.
    """

    def __init__(self, share: Map, watch: Watch | None, total: int) -> None:
        self._share = share
        self._watch = watch
        self._total = total
        self._made = 0
        self._floor = 0.0

    def share(
        self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[Any]:
        """The results of calls, each told as it comes."""
        # Whoever leaves these results before the last leaves those behind them.
        with closing(cast(Any, self._share(function, calls))) as results:
            for result in results:
                if isinstance(result, Runs):
                    self._made = min(self._made + len(result), self._total)
                    self._tell()
                yield result

    def watch(self, made: int, total: int, floor: float) -> None:
        """Told by the attack how far it is: the floor, and the runs that it needed no call for."""
        self._made, self._total, self._floor = max(made, self._made), total, floor
        self._tell()

    def _tell(self) -> None:
        if self._watch is not None:
            self._watch(self._made, self._total, self._floor)
