"""Noise whose use nobody saw: where the output is, entry by entry, a statistic plus its draws.

Numbers that were copied into a plain array, or that code of another language added up, are no
longer traced. Each draw is changed by itself; an entry of the output that follows in proportion is
that draw's sum with something that the noise hides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.forms import Exposed, Read
from audit.auditors.components.looking import Looked, Transcript
from audit.auditors.components.multiples import Form
from audit.auditors.components.recording.steps import Call, Entry, Operation, Recording

MOST = 40
"""The most draws that are changed."""

STEPS = (1, -3)
"""By how much each is changed."""

FOLLOWED = (0, 3)
"""The transcripts in which they are: one with the noise as it is, one with the most of it."""

MOST_RUNS = 2_000
"""The most runs that all this may take; pairs that are left over are not looked at."""

CLOSE, SIMPLEST = 1e-9, 10**6
"""How far off, relatively, an entry may be that follows in proportion (sums of doubles are), and
the largest denominator of what it is then taken for."""

CLOSE_SINGLE, SIMPLEST_SINGLE = 1e-6, 1000
"""The same where all numbers are of single precision."""

Rates = Mapping[int, Mapping[Entry, Fraction]]
"""By the place of the output, by how much it follows each draw."""


def add_unseen(ask: Ask, looks: Sequence[Looked]) -> tuple[Looked, ...]:
    """The pairs, each with what the output itself shows of noise whose use was not seen.

    A pair is as it is where that explains nothing, or not the same in every transcript.
    """
    asked: dict[str, tuple[Looked, tuple[Entry, ...]]] = {}
    runs = 0
    kept: list[Looked] = []
    for looked in looks:
        draws = _candidates(looked)
        key = _key(looked.pair.first)
        if draws and key not in asked:
            more = len(FOLLOWED) * (1 + len(draws) * len(STEPS))
            if runs + more > MOST_RUNS:
                continue
            runs += more
            asked[key] = looked, draws
        kept.append(looked)
    if not asked:
        return tuple(kept)
    found = _follow(ask, asked)
    return tuple(_explain(looked, found.get(_key(looked.pair.first))) for looked in kept)


def _key(database: object) -> str:
    return json.dumps(database, sort_keys=True)


def _candidates(looked: Looked) -> tuple[Entry, ...]:
    """The draws that may explain how the output of a pair differs; none where they can't."""
    places = [one.leaves for one in looked.transcripts]
    if not places[0] or any(one != places[0] for one in places):
        return ()
    draws = [_loose(one) for one in looked.transcripts]
    return draws[0] if all(one == draws[0] for one in draws) else ()


def _explain(looked: Looked, rates: Sequence[Rates] | None) -> Looked:
    """A pair whose outputs differ by numbers that loose draws hide, the same in all transcripts."""
    if rates is None or not _candidates(looked):
        return looked
    found = []
    for leaf in looked.transcripts[0].leaves:
        follows = rates[0].get(leaf)
        if any(one.get(leaf) != follows for one in rates):
            return looked
        moved = {_measure_move(transcript, leaf) for transcript in looked.transcripts}
        if not follows or len(moved) != 1 or None in moved:
            return looked
        (move,) = moved
        assert move is not None
        number = next(iter(follows))[0]
        place = looked.transcripts[0].first.steps[number].place
        found.append(Exposed(Form(Fraction(0), move, follows), "output", place, (-1, leaf)))
    transcripts = [_with(one, found) for one in looked.transcripts]
    return replace(looked, transcripts=tuple(transcripts))


def _measure_move(transcript: Transcript, leaf: int) -> Fraction | None:
    one, other = transcript.first.output[leaf], transcript.second.output[leaf]
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if not numbers or not (math.isfinite(one) and math.isfinite(other)):
        return None
    size = max(abs(one), abs(other))
    return _tidy(Fraction(other) - Fraction(one), size, _are_single([one, other]))


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
    ask: Ask, asked: Mapping[str, tuple[Looked, tuple[Entry, ...]]]
) -> Mapping[str, tuple[Rates, ...]]:
    """How outputs on first databases follow their draws, in some of the transcripts."""
    databases = [looked.pair.first for looked, _ in asked.values()]
    runs: list[Wanted] = []
    for place, (looked, draws) in enumerate(asked.values()):
        for which in FOLLOWED:
            transcript = looked.transcripts[which]
            base = Wanted(place, transcript.seed, transcript.stretch, taken="output")
            runs.append(base)
            for number, at in draws:
                answer = transcript.first.steps[number].answer
                for step in STEPS:
                    changed: list[Any] = list(answer)
                    changed[at] = answer[at] + step
                    runs.append(replace(base, changes={number: changed}))
    made = iter(ask(databases, runs))
    found: dict[str, tuple[Rates, ...]] = {}
    for key, (_, draws) in asked.items():
        rates = []
        for _ in FOLLOWED:
            before = next(made)
            after = {draw: [next(made) for _ in STEPS] for draw in draws}
            leaves = range(len(before.output))
            rates.append({leaf: _rates(before, after, leaf) for leaf in leaves})
        found[key] = tuple(rates)
    return found


def _rates(
    before: Recording, after: Mapping[Entry, Sequence[Recording]], leaf: int
) -> Mapping[Entry, Fraction]:
    """By how much an entry follows each draw; nothing where it does not in proportion."""
    rates: dict[Entry, Fraction] = {}
    for draw, runs in after.items():
        rate = _rate(before, runs, leaf)
        if rate is None:
            return {}
        if rate:
            rates[draw] = rate
    return rates


def _rate(before: Recording, after: Sequence[Recording], leaf: int) -> Fraction | None:
    """By how much an entry follows a draw; None where it is not in proportion."""
    if any(len(one.output) != len(before.output) for one in after):
        return None
    values = [before.output[leaf], *(one.output[leaf] for one in after)]
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in values):
        return None
    start, *rest = map(float, values)
    single = _are_single(values)
    rates = [(value - start) / step for value, step in zip(rest, STEPS, strict=True)]
    close = CLOSE_SINGLE if single else CLOSE
    if max(rates) - min(rates) > close * (1 + abs(start) + max(map(abs, rates))):
        return None
    return _tidy(Fraction(rates[-1]), abs(start), single)


def _are_single(values: Sequence[Any]) -> bool:
    """Whether all numbers have single precision, and not all are whole."""
    with np.errstate(over="ignore"):
        single = all(float(np.float32(value)) == value for value in values)
    return single and any(float(value) != int(value) for value in values)


def _tidy(value: Fraction, size: float, single: bool) -> Fraction:
    """A number that sums of floats of a size rounded: the simplest fraction that is close."""
    simple = value.limit_denominator(SIMPLEST_SINGLE if single else SIMPLEST)
    close = Fraction(CLOSE_SINGLE if single else CLOSE)
    near = close * max(Fraction(1), abs(value), Fraction(size))
    return simple if abs(simple - value) <= near else value
