"""The coins and choices of a run, and the part of all their outcomes that it stands for.

A uniform draw that code does nothing with but compare it with numbers could be any other on the
same side of all of these: such ranges of all draws are a run's *cell*, on which it goes the same
way, and whose size is its chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from audit.auditors.components.forms import COMPARED
from audit.auditors.components.recording.steps import Call, Entry, Operation, Recording
from audit.auditors.components.selections import chances_of_largest, scale_of
from audit.auditors.components.sources import (
    WHOLE,
    Range,
    Source,
    Uniform,
    several,
    sources_of,
)


@dataclass(frozen=True)
class Piece:
    """Where the t of a draw lies: ``within`` what; ``entries``: how many its call answers."""

    source: Source
    within: Range
    entries: int

    @property
    def chance(self) -> Fraction:
        """Its size."""
        return self.within[1] - self.within[0]


Cell = Mapping[Entry, Piece]
"""The pieces of a run's draws, in the order in which they were made; of an arrangement, which is
one draw, by its first entry."""


Line = tuple[Entry, Fraction, Fraction]
"""A number that is a multiple of a uniform draw's t, plus another: the draw and both."""


def cell_of(recording: Recording) -> Cell | None:
    """The cell of a run; None where draws are of other laws, used otherwise, or of a fixed seed."""
    cell: dict[Entry, Piece] = {}
    lines: dict[Entry, Line] = {}
    ranked: set[Entry] = set()
    for number, step in enumerate(recording.steps):
        if isinstance(step, Call) and scale_of(step) is not None:
            lines |= _start_noise(step, number)
        elif isinstance(step, Call):
            own = sources_of(step, number)
            if own is None:
                return None
            for entry, source in own.items():
                within: Range | None = WHOLE
                if isinstance(source, Uniform):
                    lines[entry] = entry, source.high - source.low, source.low
                else:
                    many = len(source.outcomes[0])
                    within = source.range_of(tuple(step.answer[entry[1] : entry[1] + many]))
                if within is None:
                    return None
                cell[entry] = Piece(source, within, len(step.answer))
        elif isinstance(step, Operation):
            if step.name == "argmax":
                selected = _select(recording, step, lines, ranked)
                if selected is None:
                    return None
                cell |= {(number, place): piece for place, piece in selected.items()}
            elif not _follow(recording, number, step, lines, cell):
                return None
        elif step.seed is not None:
            return None
    noise = {draw for draw, _, _ in lines.values() if draw not in cell}
    shown = any(entry in lines for entry in recording.released)
    return None if shown or noise != ranked else cell


def _start_noise(call: Call, number: int) -> Mapping[Entry, Line]:
    """Draws of noise that something has to rank: each by itself."""
    values = call.value or (0,)
    return {
        (number, place): ((number, place), Fraction(1), Fraction(0))
        for place in range(len(call.answer))
        if len(call.answer) % len(values) == 0
    }


def _select(
    recording: Recording, step: Operation, lines: Mapping[Entry, Line], ranked: set[Entry]
) -> Mapping[int, Piece] | None:
    """The choices of a ranking; ``ranked``: the noise that was, to which its own is added.

    Of a ranking that has nothing to do with noise there are none; None where it is no choice whose
    chances are known.
    """
    found: dict[int, Piece] = {}
    for place, (group, answer) in enumerate(zip(step.operands, step.answer, strict=True)):
        own = [lines.get(one) if isinstance(one, tuple) else None for one in group]
        if not any(own):
            continue
        known = [one for one in own if one is not None and one[1] == 1]
        draws = {draw for draw, _, _ in known}
        calls = [recording.steps[draw[0]] for draw in draws]
        kinds = {(one.law, scale_of(one)) for one in calls if isinstance(one, Call)}
        if len(draws) != len(group) or len(kinds) != 1 or draws & ranked:
            return None
        ((law, scale),) = kinds
        if scale is None:
            return None
        ranked |= draws
        values = [float(start + _locate(recording, draw)) / scale for draw, _, start in known]
        chances = chances_of_largest(law, values)
        source = None if chances is None else several([(k,) for k in range(len(group))], chances)
        within = None if source is None else source.range_of((answer,))
        if source is None or within is None:
            return None
        found[place] = Piece(source, within, len(step.answer))
    return found


def _locate(recording: Recording, draw: Entry) -> Fraction:
    """What a call adds to its noise itself."""
    call = recording.steps[draw[0]]
    values = call.value if isinstance(call, Call) and call.law == "gumbel" else None
    return Fraction(values[draw[1] % len(values)]) if values else Fraction(0)


def _follow(
    recording: Recording,
    number: int,
    step: Operation,
    lines: dict[Entry, Line],
    cell: dict[Entry, Piece],
) -> bool:
    """Whether an operation does nothing with uniform draws but what a cell can hold."""
    grouped = step.name.startswith(("reduced", "arg"))
    for place, answer in enumerate(step.answer):
        parts = step.operands[place] if grouped else [one[place] for one in step.operands]
        own = [at for at, one in enumerate(parts) if isinstance(one, tuple) and one in lines]
        if not own:
            continue
        if grouped or len(parts) > 2 or len(own) > 1:
            return False
        (at,) = own
        entry = parts[at]
        assert isinstance(entry, tuple)
        line = lines[entry]
        other = _value(recording, parts[1 - at]) if len(parts) == 2 else None
        if other is not None and not math.isfinite(other):
            return False
        if step.name in COMPARED and other is not None:
            if line[0] not in cell:
                return False
            below = bool(answer) == step.name.startswith("less")
            _narrow(cell, line, Fraction(other), below if at == 0 else not below)
            continue
        moved = _move(step.name, line, None if other is None else Fraction(other), at)
        if moved is None:
            return False
        lines[number, place] = moved
    return True


def _value(recording: Recording, part: Any) -> Any:
    return recording.steps[part[0]].answer[part[1]] if isinstance(part, tuple) else part


def _narrow(cell: dict[Entry, Piece], line: Line, other: Fraction, below: bool) -> None:
    """A line is below, or above, another number."""
    draw, rate, start = line
    low, high = cell[draw].within
    t = min(high, max(low, (other - start) / rate))
    within = (low, t) if below == (rate > 0) else (t, high)
    cell[draw] = replace(cell[draw], within=within)


def _move(name: str, line: Line, other: Fraction | None, at: int) -> Line | None:
    """The line that a sum or a multiple is; None of another operation."""
    draw, rate, start = line
    match name, other:
        case "negative", None:
            return draw, -rate, -start
        case "add", Fraction():
            return draw, rate, start + other
        case "subtract", Fraction():
            return (draw, rate, start - other) if at == 0 else (draw, -rate, other - start)
        case "multiply", Fraction() if other:
            return draw, rate * other, start * other
        case "divide", Fraction() if other and at == 0:
            return draw, rate / other, start / other
    return None
