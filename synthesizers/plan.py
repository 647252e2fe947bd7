"""How large an enumeration is, said before it begins."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synthesizers.budget import Budget, UnlimitedBudget
from synthesizers.curator import (
    Curator,
    GenerationBegins,
    Program,
    Setting,
    ask_program,
    canonical_output,
)
from synthesizers.errors import TooLargeError, rounded_count
from synthesizers.events import (
    Databases,
    Event,
    Measure,
    MeasureBest,
    MeasureSampled,
    Outcome,
    Select,
    is_seed,
)

MAX_TRANSCRIPTS = 20_000_000
"""The most transcripts of one enumeration: some ten minutes of two cores
(`benchmarks/enumeration.py` prints the rates)."""


@dataclass(frozen=True)
class Plan:
    """How large an enumeration is, judged by the program's first path.

    ``transcripts``: the product of the widths of the questions on that path
    (exact for a program whose questions do not depend on its answers).
    """

    databases: int
    transcripts: int
    widest: str
    widest_width: int

    @property
    def products(self) -> int:
        """Databases × transcripts."""
        return self.databases * self.transcripts

    def require(self, cap: int) -> None:
        """Raise TooLargeError, naming the widest event, where the job passes the cap."""
        if self.transcripts > MAX_TRANSCRIPTS or self.products > cap:
            raise TooLargeError(
                f"the enumeration needs {rounded_count(self.transcripts)} transcripts for "
                f"{self.databases} databases; the cap is {rounded_count(MAX_TRANSCRIPTS)} "
                f"transcripts and {rounded_count(cap)} products. The widest event is "
                f"{self.widest}, of {rounded_count(self.widest_width)} outcomes: take fewer "
                "cells, records or bounds"
            )


def plan(
    program: Program, setting: Setting, databases: Databases, budget: Budget | None = None
) -> Plan:
    """Judge the size of an enumeration by one run; nothing is enumerated."""
    widths: list[tuple[int, Event]] = []

    def answer(event: Event) -> Outcome:
        if is_seed(event):
            raise GenerationBegins
        widths.append((event.width(databases), event))
        coordinates = event.coordinates(databases)
        return tuple(value for coordinate in coordinates for value in coordinate.outcomes[0])

    curator = Curator(setting, UnlimitedBudget() if budget is None else budget, answer)
    with contextlib.suppress(GenerationBegins):
        canonical_output(ask_program(program, curator), setting.domain)
    width, event = max(widths, key=lambda pair: pair[0], default=(1, None))
    name = "none" if event is None else describe(event)
    transcripts = math.prod(width for width, _ in widths)
    return Plan(len(databases.rows), transcripts, name, width)


def describe(event: Event) -> str:
    """An event in a few words."""
    match event:
        case Measure():
            return f"measure {event.query.kind} + {_law(event.noise.to_json())}"
        case MeasureSampled():
            law = _law(event.noise.to_json())
            return f"measure {event.query.kind} on a sample of rate {event.rate} + {law}"
        case MeasureBest():
            law, runs = _law(event.noise.to_json()), _law(event.runs.to_json())
            return f"the best of {runs} runs of measure {event.query.kind} + {law}"
        case Select():
            return f"select by {event.scores.kind} + {_law(event.noise.to_json())}"
        case _:
            return f"{event.kind} {event.law.name}"


def _law(parts: Mapping[str, Any]) -> str:
    parameters = ", ".join(f"{key}={value}" for key, value in parts.items() if key != "law")
    return f"{parts['law']}({parameters})"


def opening_question(
    program: Program, setting: Setting, budget: Budget | None = None
) -> Event | None:
    """The first question that is answered; None for a program that asks nothing, or a seed."""
    seen: list[Event] = []

    def answer(event: Event) -> Outcome:
        if not is_seed(event):
            seen.append(event)
        raise GenerationBegins

    limit = UnlimitedBudget() if budget is None else budget
    with contextlib.suppress(GenerationBegins):
        ask_program(program, Curator(setting, limit, answer))
    return seen[0] if seen else None


def first_outcomes(event: Event | None, databases: Databases) -> int:
    """How many outcomes the first coordinate of an event has (1 without an event)."""
    return 1 if event is None else len(event.coordinates(databases)[0].outcomes)
