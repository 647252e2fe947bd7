"""An honest program with one of its questions replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from synthesizers.curator import Curator, Output, Program
from synthesizers.events import Draw, Event, Measure, MeasureBest, MeasureSampled, Sanitize, Select
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.laws.public_laws import PublicLaw
from synthesizers.laws.table_laws import TableLaw
from synthesizers.noise import Noise
from synthesizers.queries import Query
from synthesizers.runs import Runs
from synthesizers.selection import Exponential

IntArray = NDArray[np.int64]

Instead = Callable[[Curator, Event], IntArray]
"""What is asked in place of an event: of the real curator, given the event of the honest program.
It returns what the honest program takes for its answer."""

Place = Callable[[int, Event], bool]
"""Which events are replaced, by their number (from 0) and themselves."""


def at(*numbers: int) -> Place:
    """The events of these numbers."""
    return lambda number, event: number in numbers


def every(kind: type[Event]) -> Place:
    """All events of a kind."""
    return lambda number, event: isinstance(event, kind)


def everywhere(number: int, event: Event) -> bool:
    """All events."""
    return True


@dataclass(frozen=True)
class Altered:
    """A program that runs an honest one and answers some of its questions otherwise.

    It declares no budget: its claim is the honest program's, and what it spends is found out.
    """

    honest: Program
    place: Place
    instead: Instead

    def __call__(self, curator: Curator) -> Output:
        """The output of the honest program, misled."""
        between = _Between(curator, self.place, self.instead)
        return self.honest(cast(Curator, between))


class _Between:
    """A curator for the honest program that asks the real one."""

    def __init__(self, curator: Curator, place: Place, instead: Instead) -> None:
        self._curator, self._place, self._instead = curator, place, instead
        self._asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._curator, name)

    def measure(self, query: Query, noise: Noise, *, low: int, high: int) -> IntArray:
        return self._answer(Measure(query, noise, low, high))

    def measure_sampled(
        self, query: Query, rate: Fraction, noise: RoundedGaussian, *, low: int, high: int
    ) -> IntArray:
        return self._answer(MeasureSampled(query, rate, noise, low, high))

    def measure_best(
        self, query: Query, noise: Noise, runs: Runs, *, low: int, high: int
    ) -> IntArray:
        return self._answer(MeasureBest(query, noise, runs, low, high))

    def select(self, scores: Query, noise: Exponential) -> int:
        return int(self._answer(Select(scores, noise))[0])

    def sanitize(self, law: TableLaw) -> IntArray:
        return self._answer(Sanitize(law))

    def draw(self, law: PublicLaw) -> IntArray:
        return self._answer(Draw(law))

    def _answer(self, event: Event) -> IntArray:
        number, self._asked = self._asked, self._asked + 1
        if self._place(number, event):
            return self._instead(self._curator, event)
        return ask(self._curator, event)


def ask(curator: Curator, event: Event) -> IntArray:
    """The curator's answer to an event."""
    match event:
        case Measure():
            return curator.measure(event.query, event.noise, low=event.low, high=event.high)
        case MeasureSampled():
            return curator.measure_sampled(
                event.query, event.rate, event.noise, low=event.low, high=event.high
            )
        case MeasureBest():
            return curator.measure_best(
                event.query, event.noise, event.runs, low=event.low, high=event.high
            )
        case Select():
            return np.array([curator.select(event.scores, event.noise)], np.int64)
        case Sanitize():
            return curator.sanitize(event.law)
        case Draw():
            return curator.draw(event.law)
