"""Events in a few words, for messages and reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synthesizers.events import Event, Measure, MeasureBest, MeasureSampled, Select


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
