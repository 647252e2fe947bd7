"""Which noisy answers can be read from the output: each is changed by itself, and looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.looking import Looked, Transcript
from audit.auditors.components.parts import Part
from audit.auditors.components.quantiles import find_sources
from audit.auditors.components.recording.steps import Call, Entry, Recording

NEAR = (1, 3, -2)
"""By how much an answer is changed, in whole numbers."""

FAR = (2**10, 2**12, -(2**10), -(2**12))
"""The same, far beyond the noise: there a clamped or rounded answer shows its tail."""

MOST = 60
"""The most answers that are changed."""

CLOSE = 1e-9
"""How far off, relatively, a change of an output may be and still be that of the answer."""


@dataclass(frozen=True)
class Readable:
    """How an answer shows in the output: as it is, or its far tails; ``leaf``: where."""

    leaf: int
    whole: bool
    up: bool
    down: bool


def find_readable(
    ask: Ask, looked: Looked, transcript: Transcript, entries: Sequence[Entry]
) -> Mapping[Entry, Readable]:
    """How each of these answers shows on the first database; those that don't are left out.

    An answer's place in the output must change with no other answer while the rest of them stay as
    they are, and with no draw: what else is random there would hide them better than it seems.
    """
    told = [entry for entry in dict.fromkeys(entries) if entry[0] < 0][:MOST]
    asked = [entry for entry in dict.fromkeys(entries) if entry[0] >= 0][:MOST]
    steps = (*NEAR, *FAR)
    runs = [Wanted(0, transcript.seed, transcript.stretch)]
    for number, place in asked:
        pinned = _pin(transcript, asked)
        answer = transcript.first.steps[number].answer[place]
        for step in steps:
            pinned[number][place] = answer + step
            changes = {one: tuple(kept) for one, kept in pinned.items()}
            runs.append(replace(runs[0], changes=changes, taken="output"))
    own = (*asked, *told)
    others = [
        _other_noise(transcript, [one for one in asked if one != entry], entry) for entry in own
    ]
    runs += [replace(runs[0], changes=changes, taken="output") for changes in others]
    made = ask([looked.pair.first], runs)
    before, beside = made[0], made[-len(others) :]
    after_change = {
        entry: made[1 + at * len(steps) : 1 + (at + 1) * len(steps)]
        for at, entry in enumerate(asked)
    }
    touched = {entry: _list_touched(before, after) for entry, after in after_change.items()}
    found: dict[Entry, Readable] = {}
    for entry, after in after_change.items():
        shared = set().union(*(touched[one] for one in asked if one != entry))
        shared |= _list_touched(before, [beside[own.index(entry)]])
        read = [_read(before, after, leaf) for leaf in sorted(touched[entry] - shared)]
        known = [one for one in read if one is not None]
        if known:
            found[entry] = max(known, key=lambda one: (one.whole, one.up + one.down))
    for entry in told:
        if entry[1] not in _list_touched(before, [beside[own.index(entry)]]):
            found[entry] = Readable(entry[1], True, True, True)
    return found


def _pin(transcript: Transcript, answers: Sequence[Entry]) -> dict[int, list[Any]]:
    """Changes that leave these answers as they are, whatever they are made of."""
    steps = transcript.first.steps
    pinned: dict[int, list[Any]] = {}
    for number, place in answers:
        kept = pinned.setdefault(number, [None] * len(steps[number].answer))
        kept[place] = steps[number].answer[place]
    return pinned


def _other_noise(
    transcript: Transcript, answers: Sequence[Entry], entry: Entry
) -> Mapping[int, Sequence[Any]]:
    """Changes of all draws but those of an answer, which leave the other answers as they are.

    What of the output they reach has noise that is not the answer's own.
    """
    own = _draws_of(transcript, entry)
    steps = transcript.first.steps
    changes: dict[int, list[Any]] = {}
    for number, step in enumerate(steps):
        if isinstance(step, Call):
            changes[number] = [
                None if (number, place) in own else _elsewhere(one, number + 1)
                for place, one in enumerate(step.answer)
            ]
    for number, kept in _pin(transcript, answers).items():
        own_changes = changes.setdefault(number, [None] * len(kept))
        changes[number] = [
            new if old is None else old for old, new in zip(kept, own_changes, strict=True)
        ]
    return changes


def _draws_of(transcript: Transcript, entry: Entry) -> set[Entry]:
    """The draws of an answer, and those that these are made of."""
    forms = [one.form for one in transcript.read.exposed if one.entry == entry]
    if entry in transcript.read.forms:
        forms.append(transcript.read.forms[entry])
    return {
        source
        for form in forms
        for draw in form.draws
        for source in (draw, *find_sources(transcript.first, draw))
    }


def _elsewhere(drawn: Any, number: int) -> Any:
    """Another draw, of those of between 0 and 1 another one of these."""
    if isinstance(drawn, bool) or not isinstance(drawn, int | float):
        return drawn
    if isinstance(drawn, int):
        return drawn + 1 + number % 3
    moved = drawn + 0.37 + number / 64
    return moved % 1 if 0 <= drawn < 1 else moved


def _list_touched(before: Recording, after: Sequence[Recording]) -> set[int]:
    """The places of the output that any of the changes reaches; all of them where it has others."""
    places: set[int] = set()
    for one in after:
        if len(one.output) != len(before.output):
            return set(range(len(before.output)))
        places |= {i for i, leaf in enumerate(one.output) if leaf != before.output[i]}
    return places


def _read(before: Recording, after: Sequence[Recording], leaf: int) -> Readable | None:
    if any(len(one.output) != len(before.output) for one in after):
        return None
    values = [before.output[leaf], *(one.output[leaf] for one in after)]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return None
    start, *rest = map(float, values)
    moves = [value - start for value in rest]
    rates = [move / step for move, step in zip(moves, (*NEAR, *FAR), strict=True)]
    size = max(map(abs, rates))
    noise = CLOSE * (1 + abs(start)) + CLOSE * size
    whole = size > 0 and max(rates) - min(rates) <= noise
    near = len(NEAR)
    up = rest[near + 1] - rest[near]
    down = rest[near + 2] - rest[near + 3]
    rising = moves[near] >= 0 and moves[near + 2] <= 0
    return Readable(leaf, whole, whole or (rising and up > 0), whole or (rising and down > 0))


def select_readable(parts: Sequence[Part], readable: Mapping[Entry, Readable]) -> tuple[Part, ...]:
    """The exact parts whose losses whoever sees the output has, too.

    All answers show as they are; or, of noise whose largest loss lies in a tail, those tails show
    that speak for the same database.
    """
    exact = [part for part in parts if part.exact and part.entries]
    whole = [
        part
        for part in exact
        if all(entry in readable and readable[entry].whole for entry in part.entries)
    ]
    for sign in (1, -1):
        tails = [part for part in exact if part in whole or _tails(part, readable, sign)]
        if len(tails) > len(whole):
            whole = tails
    return tuple(whole)


def _tails(part: Part, readable: Mapping[Entry, Readable], sign: int) -> bool:
    laws = {line.law for line in part.lines}
    if not laws <= {"laplace", "discrete laplace"} or len(part.entries) != 1:
        return False
    known = readable.get(part.entries[0])
    return known is not None and (known.up if sign * part.moved[0] > 0 else known.down)
