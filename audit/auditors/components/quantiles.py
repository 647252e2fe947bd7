"""Noise that code makes of a uniform draw by a formula: which law it is, asked of the code itself.

The uniform draw is set to chosen numbers, and what becomes of it is compared with the quantile
functions of known laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.looking import Looked, Transcript
from audit.auditors.components.parts import MIRRORED
from audit.auditors.components.recording.steps import Call, Entry, Operation, Recording

LEVELS = (0.001, 0.03, 0.11, 0.2, 0.37, 0.45, 0.55, 0.62, 0.75, 0.83, 0.96, 0.9995)
"""What the draw is set to: apart, in both tails, and at no place where code tends to branch."""

CLOSE = 1e-9
"""How far off, relatively, a formula in doubles may be of its law's quantile."""

MOST = 8
"""The most formulas that are asked about."""


_QUANTILES: Mapping[str, Callable[[float], float]] = {
    "laplace": lambda p: math.copysign(-math.log1p(-2 * abs(p - 0.5)), p - 0.5),
    "exponential": lambda p: -math.log1p(-p),
    "exponential, turned": lambda p: -math.log(p),
}
"""Of scale 1."""

Known = Mapping[tuple[str, str], tuple[str, float]]
"""By the place and the name of an operation, the law of what it makes, and its scale."""


def recognise(ask: Ask, looks: Sequence[Looked]) -> tuple[Looked, ...]:
    """The pairs, with the laws of draws that are formulas of one uniform draw."""
    found: dict[tuple[str, str], tuple[str, float]] = {}
    tried: set[tuple[str, str]] = set()
    for looked in looks:
        transcript = looked.transcripts[0]
        for entry, source in _formulas(transcript).items():
            step = transcript.read.pure[entry]
            key = (step.place, step.name)
            if key in tried or len(tried) == MOST:
                continue
            tried.add(key)
            law = _ask(ask, looked, transcript, entry, source)
            if law is not None:
                found[key] = law
    return tuple(_with(looked, found) for looked in looks) if found else tuple(looks)


def _with(looked: Looked, known: Known) -> Looked:
    transcripts = []
    for transcript in looked.transcripts:
        own = {
            entry: known[step.place, step.name]
            for entry, step in transcript.read.pure.items()
            if (step.place, step.name) in known
        }
        told = replace(transcript)
        told.__dict__["read"] = replace(transcript.read, known=own)
        transcripts.append(told)
    return replace(looked, transcripts=tuple(transcripts))


def _formulas(transcript: Transcript) -> Mapping[Entry, Entry]:
    """Draws that hide something and are made of one uniform draw, each with that."""
    hiding = {draw for one in transcript.read.exposed for draw in one.form.draws}
    found = {}
    for entry in hiding & set(transcript.read.pure):
        sources = find_sources(transcript.first, entry)
        calls = [transcript.first.steps[source[0]] for source in sources]
        if len(sources) == 1 and isinstance(calls[0], Call) and calls[0].law == "uniform":
            (found[entry],) = sources
    return found


def find_sources(recording: Recording, entry: Entry) -> set[Entry]:
    """The draws that an entry is made of."""
    open_, seen, found = [entry], {entry}, set()
    while open_:
        number, place = open_.pop()
        step = recording.steps[number]
        if not isinstance(step, Operation):
            found.add((number, place))
            continue
        for operand in step.operands:
            one = operand[place] if place < len(operand) else None
            if isinstance(one, tuple) and one not in seen:
                seen.add(one)
                open_.append(one)
    return found


def _ask(
    ask: Ask, looked: Looked, transcript: Transcript, entry: Entry, source: Entry
) -> tuple[str, float] | None:
    """The law of a formula, and its scale; None where it is none that is known."""
    answer = list(transcript.first.steps[source[0]].answer)
    runs = []
    for level in LEVELS:
        changed = [*answer]
        changed[source[1]] = level
        runs.append(
            Wanted(0, transcript.seed, transcript.stretch, changes={source[0]: tuple(changed)})
        )
    values = []
    for one in ask([looked.pair.first], runs):
        step = one.steps[entry[0]] if entry[0] < len(one.steps) else None
        same = isinstance(step, Operation) and entry[1] < len(step.answer)
        if not same or step is None:
            return None
        values.append(float(step.answer[entry[1]]))
    for law, quantile in _QUANTILES.items():
        rates = [value / quantile(level) for value, level in zip(values, LEVELS, strict=True)]
        scale = rates[0]
        close = all(abs(rate - scale) <= CLOSE * abs(scale) for rate in rates)
        if close and math.isfinite(scale) and scale:
            name = law.partition(",")[0]
            return name if scale > 0 or name == "laplace" else MIRRORED, abs(scale)
    return None
