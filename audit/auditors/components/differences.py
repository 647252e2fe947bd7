"""What differs between neighbours though every noisy answer is the same: a finding a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from audit.auditors.components.case import MOST_TESTED, Case, read_on_both, state_finding
from audit.auditors.components.comparing import SLACK
from audit.auditors.components.forms import Differing
from audit.auditors.components.leaks import find_told
from audit.auditors.components.looking import Looked, Transcript, look
from audit.auditors.components.recording.steps import Call, Seeding
from audit.auditors.data_independence.pairs import smaller
from audit.statements.evidence import Decision
from audit.statements.finding import Finding
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP
from synthesizers.errors import ProtocolError

UNBOUNDED = frozenset({"laplace", "normal", "discrete laplace", "discrete gaussian"})
"""Laws two of which, of different scales, have densities whose ratio has no bound."""

_SCALE_TOLD = "the ratio of two such densities has no bound"
_SCALE_OPEN = "mechanisms whose scale follows the data need a theorem of their own"


def _first(case: Case, looks: Sequence[Looked], shows: Callable[[Looked], bool]) -> Looked | None:
    """The smallest pair that shows something, made smaller where that may be."""
    found = next((looked for looked in looks if shows(looked)), None)
    if found is None or not case.shrinks or len(found.pair.first) + len(found.pair.second) < 4:
        return found
    kept = found

    def still(pair: Pair) -> bool:
        nonlocal kept
        try:
            (tried,) = look(case.ask, [pair], case.seed)
        except ProtocolError:
            return False
        if shows(tried):
            kept = tried
            return True
        return False

    smaller(found.pair, still)
    return kept


def _differing(looked: Looked) -> Iterator[tuple[Transcript, Differing]]:
    for transcript in looked.transcripts:
        for one in transcript.read.differing:
            yield transcript, one


def find_scales(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Parameters of noise that are not the same on neighbours: one finding a line."""
    keys = dict.fromkeys(
        (one.about, one.place) for looked in looks for _, one in _differing(looked)
    )
    for key in keys:

        def shows(looked: Looked, key: tuple[str, str] = key) -> bool:
            return any((one.about, one.place) == key for _, one in _differing(looked))

        looked = _first(case, looks, shows)
        assert looked is not None
        transcript, one = next(
            found for found in _differing(looked) if (found[1].about, found[1].place) == key
        )
        against = key[0] == "scale of noise" and _told_apart_by_scale(case, looked, transcript, one)
        yield state_finding(
            case,
            looked,
            key[0],
            "the same on neighbours",
            f"{one.found}; {_SCALE_TOLD if against else _SCALE_OPEN}",
            one.place,
            Decision.VIOLATED if against else Decision.UNDECIDED,
        )


def _told_apart_by_scale(
    case: Case, looked: Looked, transcript: Transcript, one: Differing
) -> bool:
    """Whether noise of two scales can be read from the output, and the claim has no δ for it."""
    pure = isinstance(case.guarantee, ApproxDP) and case.guarantee.delta == 0
    if not pure or one.entry is None:
        return False
    calls = [transcript.read.calls.get(draw[0]) for draw in one.draws]
    if not all(call is not None and call.law in UNBOUNDED for call in calls):
        return False
    sums = [
        entry
        for entry, form in transcript.read.forms.items()
        if set(form.draws) == {one.entry} and entry != one.entry
    ]
    for entry in (sums or [one.entry])[-MOST_TESTED:]:
        readable = read_on_both(case, looked, [entry])
        if entry in readable and readable[entry].whole:
            return True
    return False


def find_unread(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """What was done with noise and data that nobody follows."""
    seen: dict[tuple[str, str], tuple[Looked, Differing]] = {}
    for looked in looks:
        for transcript in looked.transcripts:
            for one in transcript.read.unread:
                seen.setdefault((one.about, one.place), (looked, one))
    for (about, place), (looked, one) in seen.items():
        yield state_finding(
            case,
            looked,
            about,
            "noise that is added, or drawn by chances",
            one.found,
            place,
            Decision.UNDECIDED,
        )


def find_sensitivities(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Mechanisms whose value moves by more than they were told."""
    seen: set[str] = set()
    for looked in looks:
        for one, other in looked.calls():
            if one.sensitivity is None or one.value is None or other.value is None:
                continue
            moved = _distance(one, other)
            bound = Fraction(one.sensitivity)
            if one.place in seen or moved <= bound * (1 + SLACK):
                continue
            seen.add(one.place)
            yield state_finding(
                case,
                looked,
                "sensitivity that a mechanism was told",
                f"{float(bound):g}",
                f"{float(moved):g}",
                one.place,
                Decision.EXCEEDED,
            )


def _distance(one: Call, other: Call) -> Fraction:
    """How far a call's value moves, in its own norm (of "l2", the square is not taken back)."""
    assert one.value is not None and other.value is not None
    if len(one.value) != len(other.value):
        return Fraction(0)
    try:
        moved = [
            abs(Fraction(b) - Fraction(a)) for a, b in zip(one.value, other.value, strict=True)
        ]
    except (ValueError, OverflowError):
        return Fraction(0)
    if one.norm == "linf":
        return max(moved, default=Fraction(0))
    if one.norm == "l2":
        square = sum((one**2 for one in moved), Fraction(0))
        return Fraction(float(square) ** 0.5)
    return sum(moved, Fraction(0))


def find_stale(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Noise that hides what the pair moves, and is the same in runs with other random numbers."""
    seen: set[str] = set()
    for looked in looks:
        one, other = looked.transcripts[0], looked.transcripts[1]
        draws = {
            draw for found in one.read.exposed if found.form.moved for draw in found.form.draws
        }
        for number in sorted({draw[0] for draw in draws}):
            steps = one.first.steps, other.first.steps
            if number >= min(map(len, steps)):
                continue
            call, again = steps[0][number], steps[1][number]
            if not (isinstance(call, Call) and isinstance(again, Call)) or call.place in seen:
                continue
            fixed = all(isinstance(answer, float) for answer in call.answer)
            if not fixed or not call.answer or call.answer != again.answer:
                continue
            seen.add(call.place)
            seeds = [step for step in steps[0][:number] if isinstance(step, Seeding) and step.seed]
            made = f", by a generator with the seed {seeds[-1].seed}" if seeds else ""
            alarm = case.alarm / (4 * MOST_TESTED)
            told = find_told(case.ask, looked, case.seed, case.guarantee, alarm)
            refuted = told is not None and told.error <= alarm
            yield state_finding(
                case,
                looked,
                "fresh noise",
                "another draw in each run",
                f"the noise of {call.place} is the same in every run{made}",
                seeds[-1].place if seeds else call.place,
                Decision.VIOLATED if refuted else Decision.EXCEEDED,
                alarm if refuted else None,
            )
            if len(seen) == MOST_TESTED:
                return


def find_outputs(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Outputs that differ though all answers are the same; tested by plain runs."""
    differing = [one for one in looks if any(t.differs for t in one.transcripts)]
    tested = 0
    places: set[str] = set()
    for looked in differing:
        transcript = next(one for one in looked.transcripts if one.differs)
        place = _place_of_difference(transcript)
        if place in places or tested == MOST_TESTED:
            continue
        places.add(place)
        tested += 1
        alarm = case.alarm / (4 * MOST_TESTED)
        told = find_told(case.ask, looked, case.seed, case.guarantee, alarm)
        if told is not None:
            refuted = told.error <= alarm
            yield state_finding(
                case,
                looked,
                "output beside its noisy answers",
                "the same where all noisy answers are the same",
                f"{told.what} is one constant on one database and another on its neighbour"
                + (f", in all of {told.runs} plain runs" if refuted else ""),
                place,
                Decision.VIOLATED if refuted else Decision.EXCEEDED,
                alarm if refuted else None,
            )
            continue
        parted = transcript.second.parted
        what = "it goes on otherwise" if parted is not None else "the output differs"
        yield state_finding(
            case,
            looked,
            "control flow" if parted is not None else "output beside its noisy answers",
            "the same where all noisy answers are the same",
            f"{what}, though all its noisy answers are the same: data that nothing recorded hides, "
            "or noise whose use was not seen",
            place,
            Decision.UNDECIDED,
        )


def _place_of_difference(transcript: Transcript) -> str:
    """The first line that ran on one database alone, or else made another step, or returned."""
    one, other = transcript.first, transcript.second
    alone = set(one.lines) ^ set(other.lines)
    if other.parted is not None:
        _, there, here = other.parted
        # The second run ended where it parted, so that its lines are but the first ones.
        alone = set(other.lines) - set(one.lines)
        return min(alone, key=_line_number) if alone else there or here
    return min(alone, key=_line_number) if alone else one.returned or other.returned


def _line_number(place: str) -> int:
    number = place.rpartition(":")[2]
    return int(number) if number.isdigit() else 0
