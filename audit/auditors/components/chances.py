"""Draws by chances that the data move: choices, and coins that are tossed by a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from audit.auditors.components.forms import Exposed, Read
from audit.auditors.components.pairs_of_chances import state_chances
from audit.auditors.components.parts import INFINITE, Line, Part
from audit.auditors.components.recording.steps import Call


def toss(read: Read, one: Exposed) -> Part | None:
    """A uniform draw that is compared with a number: a coin of that chance."""
    draws = list(one.form.draws.items())
    if len(draws) != 1 or abs(draws[0][1]) != 1:
        return None
    call = read.calls.get(draws[0][0][0])
    if call is None or call.law != "uniform":
        return None
    low, high = (call.parameters.get(name) for name in ("low", "high"))
    if (low, high) != (0.0, 1.0):
        return None
    values = (abs(one.form.first), abs(one.form.second))
    chances = [min(value, Fraction(1)) for value in values]
    sides = tuple((float(chance), float(1 - chance)) for chance in chances)
    return _of_chances(one.place, "coin", sides[0], sides[1], 1)


def weigh(call: Call, first: Sequence[float], second: Sequence[float]) -> Part:
    """A choice whose chances the pair moves, as often as it was made."""
    draws = len(call.answer)
    if draws > 1 and not call.parameters.get("replace", True):
        line = Line(call.place, call.law, "", "its chances", INFINITE)
        return Part((line,), None, False, (), why="it draws several without replacement")
    return _of_chances(call.place, call.law, first, second, draws)


def _of_chances(
    place: str, law: str, first: Sequence[float], second: Sequence[float], draws: int
) -> Part:
    """Independent draws by the same chances."""
    if len(first) != len(second):
        line = Line(place, law, "", "another number of candidates", INFINITE)
        return Part((line,), None, False, (), why="it draws among another number of candidates")
    loss = state_chances(first, second)
    moved = max(abs(one - other) for one, other in zip(first, second, strict=True))
    line = Line(place, law, "", f"{moved:.3g} of a chance", draws * loss.epsilon)
    if loss.epsilon == INFINITE:
        why = "what has no chance on one database has one on the other"
        return Part((line,), None, False, (), why=why)
    return Part((line,), (loss,) * draws, False, (), why="a draw by chances")
