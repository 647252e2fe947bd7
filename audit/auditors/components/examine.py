"""Component mode: what calls of noise inside foreign code hide, spend and leave bare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.components.asking import Ask
from audit.auditors.components.comparing import SLACK, violates
from audit.auditors.components.forms import Differing
from audit.auditors.components.leaks import find_told
from audit.auditors.components.looking import STRETCHES, Looked, Transcript, look
from audit.auditors.components.parts import Line, Part
from audit.auditors.components.quantiles import recognise
from audit.auditors.components.readable import Readable, find_readable, shown
from audit.auditors.components.recording.named import Named
from audit.auditors.components.recording.steps import Call, Entry, Seeding
from audit.auditors.components.stated_laws import examine_laws
from audit.auditors.components.unseen import add_unseen
from audit.auditors.data_independence.pairs import smaller
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP, Guarantee
from proofs.losses import Loss
from synthesizers.errors import ProtocolError

NAME = "components"

ALARM = 1e-6
"""The largest probability that an honest subject is accused by runs."""

MOST_TESTED = 4
"""The most pairs whose outputs are tested by runs; each has its share of the alarm."""

MOST_PAIRS = 48
"""Pairs that are looked at unless told otherwise."""


HIDDEN = "the two given databases show it; --data-is-public shows how"
"""What is told of databases that are the user's own."""

BESIDE = frozenset(
    {
        *("scale of noise", "parameter of noise", "output beside its noisy answers"),
        *("control flow", "fresh noise"),
    }
)
"""What findings are about that say what depends on the data beside noisy answers."""


@dataclass(frozen=True, eq=False)
class Case:
    """What is examined: how it is asked, against which claim, on which pairs of neighbours.

    ``named``: functions that are recorded as one call each. ``shrinks``: a pair may be made
    smaller. ``hidden``: it holds databases of the user, of which nothing is told. ``alarm``: the
    error of what runs refute. ``again``: the command that shows the same.
    """

    ask: Ask
    guarantee: Guarantee
    pairs: Sequence[Pair]
    seed: int = 0
    named: Sequence[Named] = ()
    shrinks: bool = True
    hidden: bool = False
    alarm: float = ALARM
    again: str = ""

    def covers(self) -> str:
        """What was looked at."""
        largest = max(max(len(pair.first), len(pair.second)) for pair in self.pairs)
        return (
            f"{len(self.pairs)} pairs of neighbours, of at most {largest} records, "
            f"{len(STRETCHES)} transcripts each; by the word of the process that ran the subject"
        )

    def shown(self, looked: Looked) -> Shown | None:
        """The pair as a finding shows it."""
        return None if self.hidden else Shown(looked.pair.first, looked.pair.second)


@dataclass(frozen=True)
class Examined:
    """The findings, and the table of what each line of the worst pair spends."""

    findings: tuple[Finding, ...]
    lines: tuple[Line, ...]


def examine(case: Case) -> Examined:
    """Record a subject on all pairs and judge what is seen.

    Raises ProtocolError where it can't be recorded, or every run raises.

    Guarantee
    ---------
    VIOLATED only of losses of answers that were changed one by one and read from the output, on
    neighbours, or where plain runs refute the claim at the alarm's error; both by the word of the
    process that ran the subject, and the first for noise of the law that its call names. Backed by
    ``tests/audit/auditors/components/test_honest_functions.py``.
    """
    looks = recognise(case.ask, add_unseen(case.ask, look(case.ask, case.pairs, case.seed)))
    runs = [one for looked in looks for one in looked.transcripts]
    if all(one.first.error is not None for one in runs):
        raise ProtocolError(f"every run raises ({runs[0].first.error}): there is nothing to record")
    worst = max(looks, key=lambda one: (_over(case, one.worst), *one.worst.size))
    findings = [
        _spending(case, worst),
        *_scales(case, looks),
        *_unread(case, looks),
        *_sensitivities(case, looks),
        *_stale(case, looks),
        *_outputs(case, looks),
        *examine_laws(case.ask, case.named, worst.pair, case.seed, case.alarm / 4),
    ]
    if all(one.about not in BESIDE for one in findings):
        findings.append(_nothing_else(case))
    return Examined(tuple(findings), _table(worst.worst.parts))


def _losses(parts: Sequence[Part]) -> tuple[list[Loss], float]:
    return [loss for part in parts for loss in part.losses or ()], max(
        (part.leak for part in parts), default=0.0
    )


def _over(case: Case, transcript: Transcript) -> bool:
    """Whether the noise of a transcript spends more than is claimed, as far as theorems go."""
    losses, leak = _losses(transcript.parts)
    return violates(losses, leak, case.guarantee)


def _table(parts: Sequence[Part]) -> tuple[Line, ...]:
    return tuple(line for part in parts for line in part.lines)


def _spending(case: Case, worst: Looked) -> Finding:
    """What the noise of the worst pair spends, against the claim."""
    transcript = worst.worst
    parts = transcript.parts
    unknown = [part for part in parts if part.losses is None and not part.leak]
    over = _over(case, transcript)
    decision, reason = Decision.KEPT, ""
    if over:
        decision, reason = Decision.UNDECIDED, _why_open(parts)
        first = worst.transcripts[0]
        exact = [part for part in first.parts if part.exact]
        losses, leak = _losses(exact)
        if violates(losses, leak, case.guarantee):
            entries = [entry for part in exact for entry in part.entries]
            read = shown(exact, _equal_on_both(case, worst, entries))
            losses, leak = _losses(read)
            if violates(losses, leak, case.guarantee):
                decision, reason = Decision.VIOLATED, ""
                parts = read
            else:
                reason = "the output may tell less than these answers do"
    elif unknown:
        decision, reason = Decision.UNDECIDED, unknown[0].why
    told = HIDDEN if case.hidden and decision is not Decision.KEPT else _words(parts)
    return Finding(
        auditor=NAME,
        about="what its calls of noise spend",
        decision=decision,
        declared=str(case.guarantee),
        found=f"{told}; {reason}" if reason else told,
        rigour=Rigour.FLOOR,
        covers=case.covers(),
        again=case.again,
        pair=case.shown(worst) if decision is not Decision.KEPT else None,
        responsible=_dearest(case, parts) if decision is not Decision.KEPT else None,
    )


def _equal_on_both(
    case: Case, looked: Looked, entries: Sequence[Entry]
) -> Mapping[Entry, Readable]:
    """How answers show where the output is the same on both databases once they are."""
    runs = looked.transcripts
    if any(one.differs and not one.leaves for one in runs):
        return {}
    unequal = {leaf for one in runs for leaf in one.leaves}
    found = find_readable(case.ask, looked, runs[0], entries)
    return {entry: one for entry, one in found.items() if one.leaf not in unequal}


def _why_open(parts: Sequence[Part]) -> str:
    reasons = [part.why for part in parts if not part.exact and part.why]
    return reasons[0] if reasons else "the output may tell less than these answers do"


def _words(parts: Sequence[Part]) -> str:
    """The sums, by the kinds of noise."""
    lines = _table(parts)
    if not lines:
        return "no pair moves what its noise hides"
    pure = sum(line.epsilon for line in lines if not line.squared and line.epsilon < float("inf"))
    squared = sum(line.squared for line in lines)
    told = [f"epsilon {pure:.6g}"] if pure else []
    told += [f"normal noise with μ² = {squared:.6g}"] if squared else []
    leak = max((part.leak for part in parts), default=0.0)
    told += [f"{parts_why(parts)} (told apart with chance {leak:.3g})"] if leak else []
    unknown = sum(part.losses is None and not part.leak for part in parts)
    told += [f"{unknown} answers of noise that no theorem here covers"] if unknown else []
    places = len({line.place for line in lines})
    return f"{', '.join(told)}, at {places} {'line' if places == 1 else 'lines'}"


def parts_why(parts: Sequence[Part]) -> str:
    """Why the part that leaks most does."""
    return max(parts, key=lambda part: part.leak).why


def _dearest(case: Case, parts: Sequence[Part]) -> str | None:
    """The line that spends most, in words."""
    leaking = [line for part in parts if part.leak for line in part.lines]
    lines = leaking or _table(parts)
    if not lines:
        return None
    by_place: dict[str, list[Line]] = {}
    for line in lines:
        by_place.setdefault(line.place, []).append(line)
    found = max(by_place.values(), key=lambda own: sum(one.squared or one.epsilon for one in own))
    one = max(found, key=lambda line: line.squared or line.epsilon)
    added = f", added at {one.added}" if one.added else ""
    scale = f" of scale {one.scale}" if one.scale else ""
    told = f"{one.law} noise{scale} at {one.place}{added}"
    moved = ", ".join(dict.fromkeys(line.moved for line in found))
    return told if case.hidden else f"{told}: what it hides moves by {moved}"


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


def _scales(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
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
        yield _finding(
            case,
            looked,
            key[0],
            "the same on neighbours",
            f"{one.found}; {_SCALE_TOLD if against else _SCALE_OPEN}",
            one.place,
            Decision.VIOLATED if against else Decision.UNDECIDED,
        )


UNBOUNDED = frozenset({"laplace", "normal", "discrete laplace", "discrete gaussian"})
"""Laws two of which, of different scales, have densities whose ratio has no bound."""

_SCALE_TOLD = "the ratio of two such densities has no bound"
_SCALE_OPEN = "mechanisms whose scale follows the data need a theorem of their own"


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
        readable = _equal_on_both(case, looked, [entry])
        if entry in readable and readable[entry].whole:
            return True
    return False


def _unread(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """What was done with noise and data that nobody follows."""
    seen: dict[tuple[str, str], tuple[Looked, Differing]] = {}
    for looked in looks:
        for transcript in looked.transcripts:
            for one in transcript.read.unread:
                seen.setdefault((one.about, one.place), (looked, one))
    for (about, place), (looked, one) in seen.items():
        yield _finding(
            case,
            looked,
            about,
            "noise that is added, or drawn by chances",
            one.found,
            place,
            Decision.UNDECIDED,
        )


def _sensitivities(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
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
            yield _finding(
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


def _stale(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
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
            yield _finding(
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


def _outputs(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
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
            yield _finding(
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
        yield _finding(
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


def _finding(
    case: Case,
    looked: Looked,
    about: str,
    declared: str,
    found: str,
    place: str,
    decision: Decision,
    error: float | None = None,
) -> Finding:
    return Finding(
        auditor=NAME,
        about=about,
        decision=decision,
        declared=declared,
        found=HIDDEN if case.hidden else found,
        rigour=Rigour.FLOOR if error is None else Rigour.STATISTICAL,
        covers=case.covers(),
        again=case.again,
        pair=case.shown(looked),
        responsible=place,
        error=error,
    )


def _nothing_else(case: Case) -> Finding:
    return Finding(
        auditor=NAME,
        about="what depends on the data beside noisy answers",
        decision=Decision.KEPT,
        declared="nothing",
        found="nothing: scales, control flow and output are the same where all answers are",
        rigour=Rigour.FLOOR,
        covers=case.covers(),
        again=case.again,
    )
