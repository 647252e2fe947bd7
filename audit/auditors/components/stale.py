"""Noise that is not drawn afresh: the same in runs with other random numbers, or in each process.

Of floats two equal draws are enough. Whole numbers repeat honestly, so that a call is made in as
many more runs as its own law repeats it in with a chance of at most the error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.auditors.components.asking import Wanted
from audit.auditors.components.case import ALARM, MOST_TESTED, Case, state_finding
from audit.auditors.components.leaks import find_told
from audit.auditors.components.looking import Looked
from audit.auditors.components.recording.held import HELD
from audit.auditors.components.recording.steps import Call, Recording, Seeding
from audit.auditors.components.shrinking import shrink
from audit.statements.evidence import Decision
from audit.statements.finding import Finding

REPEATED = ALARM / 32
"""The largest chance that honest whole-number noise of a line is called the same in every run."""

MOST_RUNS = 500
"""The most runs that whole-number noise is compared in: enough for draws that are one number 96
times of a hundred."""

AGAIN = 40
"""Runs that show that a call repeats itself (a fair coin does so once in 10^12)."""

_SEEDS = 8_000_000
"""Where the seeds of these runs begin."""


@dataclass(frozen=True)
class Stale:
    """A call whose noise is not fresh: its number, its line, and the generator's, if that is known.

    ``held``: its generator has a fixed seed, and is held by a module.
    """

    number: int
    place: str
    maker: Seeding | None
    held: bool = False


def find_stale(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Noise that hides what the pair moves, and that is not fresh: one finding a line.

    Guarantee
    ---------
    Noise of whole numbers whose law is the one that its call names, new in each run, is said to
    be the same in every run with a chance of at most `REPEATED` a line. Backed by
    ``tests/audit/auditors/components/test_stale_noise.py``.
    """
    seen: set[str] = set()
    for looked in looks:
        for one in _list_stale(looked):
            call = looked.transcripts[0].first.steps[one.number]
            assert isinstance(call, Call)
            if one.place in seen or len(seen) == MOST_TESTED:
                continue
            if not one.held and not _is_float(call) and not _repeats(case, looked, one.number):
                continue
            seen.add(one.place)
            yield _state(case, looked, one, None if _is_float(call) or one.held else REPEATED)


def repeats_itself(case: Case, looks: Sequence[Looked]) -> bool:
    """Whether a call answers the same in `AGAIN` runs: its law says nothing of it then."""
    looked = looks[-1]
    one, other = (transcript.first for transcript in looked.transcripts[:2])
    numbers = [
        number
        for number, (step, same) in enumerate(zip(one.steps, other.steps, strict=False))
        if isinstance(step, Call) and step.answer and _answer_of(step) == _answer_of(same)
    ]
    if not numbers:
        return False
    start = _SEEDS - AGAIN * (1 + case.seed)
    made = case.ask([looked.pair.first], [Wanted(0, start + run) for run in range(AGAIN)])
    return any(_are_equal(one, made, number) for number in numbers)


def _list_stale(looked: Looked) -> Iterator[Stale]:
    """Calls that may be stale, by the two transcripts whose noise is as it is.

    Those whose noise hides what the pair moves, and choices by chances that it moves.
    """
    one, other = looked.transcripts[0], looked.transcripts[1]
    hiding = {draw for found in one.read.exposed if found.form.moved for draw in found.form.draws}
    steps, again = one.first.steps, other.first.steps
    chosen = {
        number
        for number, step in enumerate(steps)
        if isinstance(step, Call) and step.law == "choice" and step.value is not None
    }
    for number in sorted({draw[0] for draw in hiding} | (chosen if one.read.weighed else set())):
        if number >= min(len(steps), len(again)):
            continue
        call, same = steps[number], again[number]
        if not (isinstance(call, Call) and isinstance(same, Call)) or not call.answer:
            continue
        seeds = [step for step in steps[:number] if isinstance(step, Seeding) and step.seed]
        maker = seeds[-1] if seeds else None
        if maker is not None and maker.maker.startswith(HELD) and steps[number - 1] == maker:
            yield Stale(number, call.place, maker, held=True)
        elif call.answer == same.answer:
            yield Stale(number, call.place, maker)


def _is_float(call: Call) -> bool:
    return all(isinstance(answer, float) for answer in call.answer)


def _repeats(case: Case, looked: Looked, number: int) -> bool:
    """Whether a call's whole numbers are the same in so many runs that no honest ones are."""
    base = looked.transcripts[0]
    chance = _chance_of_most(base.first.steps[number])
    if chance is None or not 0 < chance < 1:
        return False
    runs = math.ceil(math.log(REPEATED) / math.log(chance))
    if runs > MOST_RUNS:
        return False
    start = _SEEDS + MOST_RUNS * case.seed
    wanted = [Wanted(0, start + run) for run in range(runs)]
    return _are_equal(base.first, case.ask([looked.pair.first], wanted), number)


def _are_equal(base: Recording, others: Sequence[Recording], number: int) -> bool:
    call = base.steps[number]
    same = [one.steps[number] if number < len(one.steps) else None for one in others]
    return all(_answer_of(one) == _answer_of(call) for one in same)


def _answer_of(step: object) -> object:
    """What a call answered, by its primitive and its line."""
    return (step.primitive, step.place, step.answer) if isinstance(step, Call) else None


def _chance_of_most(step: object) -> float | None:
    """The largest chance of one answer of a call, by the law that it names; None where unknown."""
    assert isinstance(step, Call)
    chances = [_largest(step, place) for place in range(len(step.answer))]
    known = [one for one in chances if one is not None]
    return math.prod(known) if len(known) == len(chances) else None


def _largest(call: Call, place: int) -> float | None:
    def of(name: str) -> float:
        found = call.parameters.get(name, 0)
        found = found[place % len(found)] if isinstance(found, tuple) and found else found
        return float(found) if isinstance(found, int | float) else 0.0

    match call.law:
        case "choice" if call.value:
            return float(max(call.value))
        case "geometric" if 0 < of("p") < 1:
            return of("p")
        case "integers" if of("high") > of("low"):
            return 1 / (of("high") - of("low"))
        case "discrete laplace" if of("scale") > 0:
            return math.tanh(1 / (2 * of("scale")))
        case "discrete gaussian" if of("scale") > 0:
            rate = 1 / (2 * of("scale") ** 2)
            return 1 / (1 + 2 * sum(math.exp(-rate * step**2) for step in range(1, 40)))
    return None


def _state(case: Case, looked: Looked, one: Stale, error: float | None) -> Finding:
    def shows(tried: Looked) -> bool:
        return any((s.place, s.held) == (one.place, one.held) for s in _list_stale(tried))

    looked = shrink(case, looked, shows)
    place = one.maker.place if one.maker is not None and not one.held else one.place
    if one.held:
        assert one.maker is not None
        name = one.maker.maker.removeprefix(HELD)
        told = f"{one.place} draws from {name}, whose seed is {one.maker.seed} in every process"
        return state_finding(
            case,
            looked,
            "fresh noise",
            "another draw in each process",
            told,
            place,
            Decision.EXCEEDED,
        )
    made = f", by a generator with the seed {one.maker.seed}" if one.maker else ""
    alarm = case.alarm / (4 * MOST_TESTED)
    leak = find_told(case.ask, looked, case.seed, case.guarantee, alarm)
    refuted = leak is not None and leak.error <= alarm
    return state_finding(
        case,
        looked,
        "fresh noise",
        "another draw in each run",
        f"the noise of {one.place} is the same in every run{made}",
        place,
        Decision.VIOLATED if refuted else Decision.EXCEEDED,
        alarm if refuted else error,
    )
