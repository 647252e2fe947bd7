"""Noise whose use nobody saw: where the output is, entry by entry, a statistic plus its draws.

Numbers that were copied into a plain array, or that code of another language added up, are no
longer traced. Each draw is changed by itself; an entry of the output that follows in proportion is
that draw's sum with something that the noise hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.forms import Exposed, Form, Read
from audit.auditors.components.looking import Looked, Transcript
from audit.auditors.components.recording.steps import Call, Entry, Operation, Recording

MOST = 40
"""The most draws that are changed."""

STEPS = (1, -3, 8)
"""By how much each is changed."""

CLOSE = 1e-9
"""How far off, relatively, an entry may be that follows in proportion (sums of doubles are)."""


def add_unseen(ask: Ask, looked: Looked) -> Looked:
    """The pair, with what the output itself shows of noise whose use was not seen.

    As it is where that explains nothing, or not the same in every transcript.
    """
    places = [one.leaves for one in looked.transcripts]
    if not places[0] or any(one != places[0] for one in places):
        return looked
    draws = _loose(looked.transcripts[0])
    if not draws or any(_loose(one) != draws for one in looked.transcripts):
        return looked
    found = [_follow(ask, looked, one, draws, places[0]) for one in looked.transcripts]
    first = found[0]
    if first is None or any(one is None or not _agree(first, one) for one in found):
        return looked
    transcripts = [_with(one, first) for one in looked.transcripts]
    return replace(looked, transcripts=tuple(transcripts))


def _with(transcript: Transcript, exposed: Sequence[Exposed]) -> Transcript:
    """The transcript whose output is explained by these."""
    explained = replace(
        transcript,
        second=replace(
            transcript.second, output=transcript.first.output, error=transcript.first.error
        ),
    )
    seen = replace(transcript.read, exposed=(*transcript.read.exposed, *exposed))
    explained.__dict__["read"] = seen
    return explained


def _loose(transcript: Transcript) -> tuple[Entry, ...]:
    """The draws without a value that no operation had to do with."""
    used = {
        one
        for step in transcript.first.steps
        if isinstance(step, Operation)
        for operand in step.operands
        for one in operand
        if isinstance(one, tuple)
    }
    told = {draw for one in transcript.read.exposed for draw in one.form.draws}
    found: list[Entry] = []
    for number, step in enumerate(transcript.first.steps):
        if isinstance(step, Call) and _unmoved(transcript.read, number):
            entries = [(number, place) for place in range(len(step.answer))]
            found += [one for one in entries if one not in used | told]
    return tuple(found) if len(found) <= MOST else ()


def _unmoved(read: Read, number: int) -> bool:
    return number in read.calls and all(
        isinstance(one, int | float) and not isinstance(one, bool)
        for one in read.calls[number].answer
    )


def _follow(
    ask: Ask,
    looked: Looked,
    transcript: Transcript,
    draws: Sequence[Entry],
    leaves: Sequence[int],
) -> tuple[Exposed, ...] | None:
    runs = [Wanted(0, transcript.seed, transcript.stretch)]
    for number, place in draws:
        answer = transcript.first.steps[number].answer
        for step in STEPS:
            changed: list[Any] = list(answer)
            changed[place] = answer[place] + step
            runs.append(
                Wanted(
                    0, transcript.seed, transcript.stretch, changes={number: changed}, taken="output"
                )
            )
    made = ask([looked.pair.first], runs)
    before = made[0]
    found = []
    for leaf in leaves:
        rates: dict[Entry, Fraction] = {}
        for at, draw in enumerate(draws):
            after = made[1 + at * len(STEPS) : 1 + (at + 1) * len(STEPS)]
            rate = _rate(before, after, leaf)
            if rate is None:
                return None
            if rate:
                rates[draw] = rate
        one, other = transcript.first.output[leaf], transcript.second.output[leaf]
        if not rates or not isinstance(one, int | float) or not isinstance(other, int | float):
            return None
        moved = _tidy(Fraction(other) - Fraction(one))
        step = transcript.first.steps[next(iter(rates))[0]]
        found.append(
            Exposed(Form(Fraction(0), moved, rates), "output", step.place, (-1, leaf))
        )
    return tuple(found)


def _rate(before: Recording, after: Sequence[Recording], leaf: int) -> Fraction | None:
    """By how much an entry follows a draw; None where it is not in proportion."""
    if any(len(one.output) != len(before.output) for one in after):
        return None
    values = [before.output[leaf], *(one.output[leaf] for one in after)]
    if not all(isinstance(value, int | float) for value in values):
        return None
    start, *rest = map(float, values)
    rates = [(value - start) / step for value, step in zip(rest, STEPS, strict=True)]
    if max(rates) - min(rates) > CLOSE * (1 + abs(start) + max(map(abs, rates))):
        return None
    return _tidy(Fraction(rates[-1]))


def _tidy(value: Fraction) -> Fraction:
    """A number that a sum of doubles rounded: the simplest fraction within `CLOSE`."""
    simple = value.limit_denominator(10**6)
    return simple if abs(simple - value) <= Fraction(CLOSE) * max(1, abs(value)) else value


def _agree(one: Sequence[Exposed], other: Sequence[Exposed]) -> bool:
    return [(a.form.moved, a.form.draws) for a in one] == [
        (b.form.moved, b.form.draws) for b in other
    ]
