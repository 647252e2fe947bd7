"""Sensitivities that mechanisms were told, beside how far the values move that they hide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from audit.auditors.components.case import Case, state_finding
from audit.auditors.components.comparing import SLACK
from audit.auditors.components.looking import Looked
from audit.auditors.components.recording.steps import Call
from audit.auditors.components.shrinking import shrink
from audit.auditors.sensitivity.answers import Answer, Seen
from audit.auditors.sensitivity.declaration import Norm, Size
from audit.auditors.sensitivity.rounding import excess_of, explains
from audit.statements.evidence import Decision
from audit.statements.finding import Excess, Finding

_NORMS = {"l1": Norm.L1, "l2": Norm.L2, "linf": Norm.LINF}

_ROUNDS = "a sum of so many floats rounds by as much"
_UNEXPLAINED = "a billionth of what was told, or less"


def find_sensitivities(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Mechanisms whose value moves by more than they were told: one finding a line.

    A move that is beyond by at most `SLACK` of what was told is one of rounding, and says so. One
    that is beyond by more exceeds it, whether or not sums of floats explain it.
    """
    told = dict.fromkeys(
        one.place for looked in looks for one, other in looked.calls() if _beyond(one, other)
    )
    for place in told:
        most = max(_most(looked, place) for looked in looks)
        if most <= 1 + SLACK:
            looked = next(one for one in looks if _most(one, place) == most)
        else:
            looked = next(one for one in looks if _exceeds(place, one))
            looked = shrink(case, looked, partial(_exceeds, place))
        yield _state(case, looked, place)


def _exceeds(place: str, looked: Looked) -> bool:
    """Whether values of a line move further than was told, by more than the rounding of one."""
    return _most(looked, place) > 1 + SLACK


def _state(case: Case, looked: Looked, place: str) -> Finding:
    one, other = max(_calls(looked, place), key=lambda both: _share(*both))
    bound, moved = Fraction(one.sensitivity or 0), _distance(one, other)
    exceeded = _share(one, other) > 1 + SLACK
    excess = _find_excess(looked, one, other)
    found = f"{float(moved):g}" if exceeded else f"{float(bound):g}, up to rounding"
    if exceeded and excess is not None:
        found += ", which is rounding: noise of that scale does not hide it"
    return state_finding(
        case,
        looked,
        "sensitivity that a mechanism was told",
        f"{float(bound):g}",
        found,
        place,
        Decision.of_declaration(exceeded, rounded=not exceeded),
        excess=None if case.hidden else excess,
    )


def _find_excess(looked: Looked, one: Call, other: Call) -> Excess | None:
    """How far a move is beyond what was told, where rounding explains it or it is as small."""
    norm, bound = _NORMS[one.norm], Fraction(one.sensitivity or 0)
    assert one.value is not None and other.value is not None
    answers = tuple(
        Answer(tuple(call.value or ()), (len(call.value or ()),)) for call in (one, other)
    )
    pair = Seen(tuple(looked.pair.first), tuple(looked.pair.second), (answers[0], answers[1]))
    size: Size = pair.size(norm)
    if isinstance(size, float) or not bound:
        return None
    declared = bound**2 if norm is Norm.L2 else bound
    rounds = explains(norm, declared, size, pair)
    if not rounds and _share(one, other) > 1 + SLACK:
        return None
    return excess_of(norm, declared, size, _ROUNDS if rounds else _UNEXPLAINED)


def _calls(looked: Looked, place: str) -> Iterator[tuple[Call, Call]]:
    return (both for both in looked.calls() if both[0].place == place and _beyond(*both))


def _most(looked: Looked, place: str) -> Fraction | float:
    return max((_share(*both) for both in _calls(looked, place)), default=Fraction(0))


def _beyond(one: Call, other: Call) -> bool:
    return _share(one, other) > 1


def _share(one: Call, other: Call) -> Fraction | float:
    """How far a value moves, of what the mechanism was told; 0 where it was told nothing."""
    if one.sensitivity is None or one.value is None or other.value is None:
        return Fraction(0)
    moved, bound = _distance(one, other), Fraction(one.sensitivity)
    if not moved:
        return Fraction(0)
    return moved / bound if bound > 0 else math.inf


def _distance(one: Call, other: Call) -> Fraction | float:
    """How far a call's value moves, in its own norm; 0 where it has another number of entries."""
    assert one.value is not None and other.value is not None
    if len(one.value) != len(other.value):
        return Fraction(0)
    moved = [_move(a, b) for a, b in zip(one.value, other.value, strict=True)]
    if math.inf in moved:
        return math.inf
    exact = [Fraction(step) for step in moved]
    if one.norm == "linf":
        return max(exact, default=Fraction(0))
    if one.norm == "l2":
        return Fraction(math.sqrt(sum(step**2 for step in exact)))
    return sum(exact, Fraction(0))


def _move(before: float, after: float) -> Fraction | float:
    if before == after or before != before or after != after:
        return Fraction(0)
    if not (math.isfinite(before) and math.isfinite(after)):
        return math.inf
    return abs(Fraction(after) - Fraction(before))
