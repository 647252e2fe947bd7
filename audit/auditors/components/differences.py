"""What differs between neighbours though every noisy answer is the same: a finding a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from audit.auditors.components.case import MOST_TESTED, Case, read_on_both, state_finding
from audit.auditors.components.forms import Differing
from audit.auditors.components.leaks import find_told
from audit.auditors.components.looking import Looked, Transcript
from audit.auditors.components.shrinking import shrink
from audit.statements.evidence import Decision
from audit.statements.finding import Finding
from proofs.guarantees import ApproxDP

UNBOUNDED = frozenset({"laplace", "normal", "discrete laplace", "discrete gaussian"})
"""Laws two of which, of different scales, have densities whose ratio has no bound."""

_SCALE_TOLD = "the ratio of two such densities has no bound"
_SCALE_OPEN = "mechanisms whose scale follows the data need a theorem of their own"


def _first(case: Case, looks: Sequence[Looked], shows: Callable[[Looked], bool]) -> Looked | None:
    """The smallest pair that shows something, made smaller where that may be."""
    found = next((looked for looked in looks if shows(looked)), None)
    return None if found is None else shrink(case, found, shows)


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
    keys = dict.fromkeys((one.about, one.place) for looked in looks for one in _unread(looked))
    for key in keys:

        def shows(looked: Looked, key: tuple[str, str] = key) -> bool:
            return any((one.about, one.place) == key for one in _unread(looked))

        looked = _first(case, looks, shows)
        assert looked is not None
        one = next(one for one in _unread(looked) if (one.about, one.place) == key)
        yield state_finding(
            case,
            looked,
            one.about,
            "noise that is added, or drawn by chances",
            one.found,
            one.place,
            Decision.UNDECIDED,
        )


def _unread(looked: Looked) -> Iterator[Differing]:
    return (one for transcript in looked.transcripts for one in transcript.read.unread)


def find_outputs(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Outputs that differ though all answers are the same; tested by plain runs."""
    differing = [one for one in looks if any(t.differs for t in one.transcripts)]
    tested = 0
    places: set[str] = set()
    for looked in differing:
        place = _place_that_differs(looked)
        if place in places or tested == MOST_TESTED:
            continue
        places.add(place)
        tested += 1

        def shows(tried: Looked, place: str = place) -> bool:
            return _place_that_differs(tried) == place

        looked = shrink(case, looked, shows)
        transcript = next(one for one in looked.transcripts if one.differs)
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


def _place_that_differs(looked: Looked) -> str:
    """Where the first transcript differs that does; "" is nowhere."""
    found = next((one for one in looked.transcripts if one.differs), None)
    return "" if found is None else _place_of_difference(found)


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
